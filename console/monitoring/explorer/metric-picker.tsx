// Picks a metric: typing searches names and help texts, arrow keys move through the list, Enter selects. It follows the
// pattern of a combobox with a listbox.
import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { type Metric, searched } from './metrics.ts';

export interface MetricPickerProps {
  metrics: readonly Metric[];
  chosen: string;
  onChoose(metric: Metric): void;
}

const mostShown = 100;
const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

interface Opened {
  text: string | undefined; // undefined: nothing typed yet
  found: readonly Metric[];
  at: number; // -1: none
}

export function MetricPicker({ metrics, chosen, onChoose }: MetricPickerProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const opened = useSignal<Opened | undefined>(undefined);
  const { text, found = [], at = -1 } = opened.value ?? {};
  const optionId = (index: number): string => `${id}-${index}`;
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [opened.value]);

  const open = (typed: string | undefined): void => {
    const all = searched(metrics, typed ?? '', mostShown);
    const isSearch = typed !== undefined && typed !== '';
    const first = isSearch ? Math.min(0, all.length - 1) : all.findIndex(({ name }) => name === chosen);
    opened.value = { text: typed, found: all, at: first };
  };
  const close = (): void => {
    opened.value = undefined;
  };
  const take = (metric: Metric | undefined): void => {
    if (!metric) return;
    close();
    onChoose(metric);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { value } = opened;
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      if (value) opened.value = { ...value, at: Math.min(value.found.length - 1, Math.max(0, value.at + move)) };
      else open(undefined);
    } else if (event.key === 'Enter' && value) {
      event.preventDefault();
      take(value.found[value.at]);
    } else if (event.key === 'Escape' && value) {
      event.stopPropagation();
      close();
    }
  };
  return (
    <div class="field picker">
      <label for={id}>Metric</label>
      <input
        id={id}
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder="Search by name or help"
        aria-autocomplete="list"
        aria-expanded={opened.value !== undefined}
        aria-controls={`${id}-list`}
        aria-activedescendant={at >= 0 ? optionId(at) : undefined}
        aria-describedby={`${id}-hint`}
        value={text ?? chosen}
        onInput={({ currentTarget }) => open(currentTarget.value)}
        onClick={() => open(undefined)}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <div id={`${id}-list`} ref={list} class="found" role="listbox" aria-label="Metrics" hidden={!opened.value}>
        {found.map((metric, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys
          <div
            key={metric.name}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(metric)}
          >
            <span class="name">{metric.name}</span>
            <span class="type">{metric.type === 'unknown' ? '' : metric.type}</span>
            {metric.help !== '' && <span class="help">{metric.help}</span>}
          </div>
        ))}
        {found.length === 0 && <p class="none">No metric matches.</p>}
      </div>
      <p class="hint" id={`${id}-hint`}>
        {metrics.length === 1 ? '1 metric' : `${metrics.length} metrics`}
      </p>
    </div>
  );
}
