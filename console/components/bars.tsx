// A small bar chart with stacked parts, such as events by hour. The arrow keys move between the bars; a press selects
// one if `onChoose` is set.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { scaleTo } from './bar-axis.ts';

export interface BarPart {
  look: string; // a class of bars.css: good, danger, accent, pale, line-0 …
  value: number;
}

export interface BarOf {
  key: string;
  label: string; // for screen readers, and as tooltip: `10:00, 12 events`
  tick?: string; // shown below it
  parts: readonly BarPart[];
}

export interface BarAxis {
  title: string; // EUR per day
  text(value: number): string;
}

export interface BarsProps {
  label: string; // of the chart
  bars: readonly BarOf[];
  chosen?: string | undefined;
  size?: 'high';
  axis?: BarAxis; // with values and lines
  onChoose?(key: string): void;
}

export function Bars({ axis, ...props }: BarsProps) {
  const scale = axis ? scaleTo(highestOf(props.bars)) : [];
  const top = scale.at(-1) ?? 0;
  if (!axis || top === 0) return <Plot {...props} highest={highestOf(props.bars)} />;
  return (
    <div class="barchart-axes">
      <p class="barchart-unit">{axis.title}</p>
      <div class="barchart-frame">
        {scale.map((value) => (
          <span key={value} class="barchart-line" aria-hidden="true" style={{ '--at': value / top }}>
            <small>{axis.text(value)}</small>
          </span>
        ))}
        <Plot {...props} highest={top} />
      </div>
    </div>
  );
}

const highestOf = (bars: readonly BarOf[]): number => Math.max(1e-9, ...bars.map(({ parts }) => sumOf(parts)));

function Plot({ label, bars, chosen, size, highest, onChoose }: Omit<BarsProps, 'axis'> & { highest: number }) {
  const current = useSignal(0);
  const group = useRef<HTMLDivElement>(null);
  const ticked = bars.filter(({ tick = '' }) => tick !== '');
  const minor = new Set(ticked.filter((_, at) => at % 2 === 1).map(({ key }) => key)); // not shown in a narrow window
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    current.value = Math.min(bars.length - 1, Math.max(0, current.value + step));
    group.current?.querySelectorAll<HTMLElement>('.barchart-bar')[current.value]?.focus();
  };
  return (
    <div
      class={size ? `barchart ${size}` : 'barchart'}
      role="toolbar"
      tabIndex={-1}
      aria-label={label}
      ref={group}
      onKeyDown={move}
    >
      {bars.map((bar, at) => (
        <button
          key={bar.key}
          type="button"
          class="barchart-bar"
          tabIndex={at === Math.min(current.value, bars.length - 1) ? 0 : -1}
          aria-label={bar.label}
          aria-pressed={onChoose && chosen === bar.key}
          title={bar.label}
          onFocus={() => {
            current.value = at;
          }}
          onClick={() => onChoose?.(bar.key)}
        >
          <span class="barchart-stack">
            {bar.parts.map(({ look, value }) => (
              <span key={look} class={`barchart-part ${look}`} style={{ height: `${(value / highest) * 100}%` }} />
            ))}
          </span>
          <span class={minor.has(bar.key) ? 'barchart-tick minor' : 'barchart-tick'} aria-hidden="true">
            {bar.tick}
          </span>
        </button>
      ))}
    </div>
  );
}

export const sumOf = (parts: readonly BarPart[]): number => parts.reduce((sum, { value }) => sum + value, 0);
