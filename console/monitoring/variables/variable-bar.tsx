// The variables of a dashboard, as selects above its panels.
import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Choice, Labelled, TextInput } from '../../components/field.tsx';
import { all, titleOf } from './variable.ts';
import type { VariableState } from './variables-model.ts';

export interface VariableBarProps {
  states: readonly VariableState[];
  onSelect(name: string, values: readonly string[]): void;
}

export function VariableBar({ states, onSelect }: VariableBarProps) {
  const shown = states.filter(({ variable }) => variable.isHidden !== true && variable.kind !== 'constant');
  if (shown.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out like the fields next to it
    <div class="variables" role="group" aria-label="Variables">
      {shown.map((state) => (
        <Control key={state.variable.name} state={state} onSelect={(values) => onSelect(state.variable.name, values)} />
      ))}
    </div>
  );
}

interface ControlProps {
  state: VariableState;
  onSelect(values: readonly string[]): void;
}

function Control({ state, onSelect }: ControlProps) {
  const { variable, options, values, problem } = state;
  const title = titleOf(variable);
  if (variable.kind === 'text') return <FreeText title={title} value={values[0] ?? ''} onSelect={onSelect} />;
  if (variable.isMulti) return <Several state={state} onSelect={onSelect} />;
  const listed = options.map(({ value, text }) => [value, text] as const);
  const choices = variable.hasAll ? [[all, 'All'] as const, ...listed] : listed;
  return (
    <Labelled title={title}>
      {(id) => (
        <>
          <Choice
            id={id}
            value={values[0] ?? ''}
            options={choices.length > 0 ? choices : [['', 'No values']]}
            onChange={(value) => onSelect([value])}
          />
          {problem !== '' && <p class="problem">{problem}</p>}
        </>
      )}
    </Labelled>
  );
}

function FreeText({ title, value, onSelect }: { title: string; value: string; onSelect: ControlProps['onSelect'] }) {
  const text = useSignal(value);
  return (
    <Labelled title={title}>
      {(id) => <TextInput id={id} value={text} onChange={() => onSelect([text.value])} />}
    </Labelled>
  );
}

// A button that opens a list of checkboxes.
function Several({ state, onSelect }: ControlProps) {
  const { variable, options, values, problem } = state;
  const id = useId();
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!isOpen.value) return undefined;
    const close = ({ target }: Event): void => {
      if (!(target instanceof Node && box.current?.contains(target))) isOpen.value = false;
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [isOpen.value]);
  const toggle = (value: string): void => {
    const chosen = values.filter((one) => one !== all);
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    onSelect(value === all ? [all] : next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isOpen.value) return;
    isOpen.value = false;
    box.current?.querySelector('button')?.focus();
    event.stopPropagation();
  };
  const entries = [...(variable.hasAll ? [{ value: all, text: 'All' }] : []), ...options];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the box handles Escape of all entries
    <div class="field several" ref={box} onKeyDown={onKeyDown}>
      <span id={id} class="several-title">
        {titleOf(variable)}
      </span>
      <button
        type="button"
        class="plain"
        aria-expanded={isOpen.value}
        aria-label={`${titleOf(variable)}: ${summary(values)}`}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <span class="several-text">{summary(values)}</span> <span aria-hidden="true">▾</span>
      </button>
      {isOpen.value && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be positioned like a list
        <div class="several-list" role="group" aria-labelledby={id}>
          {entries.map(({ value, text }) => (
            <label key={value}>
              <input type="checkbox" checked={values.includes(value)} onChange={() => toggle(value)} /> {text}
            </label>
          ))}
          {entries.length === 0 && <p class="note">No values</p>}
        </div>
      )}
      {problem !== '' && <p class="problem">{problem}</p>}
    </div>
  );
}

function summary(values: readonly string[]): string {
  if (values.includes(all)) return 'All';
  return values.length > 2 ? `${values.length} selected` : values.join(', ') || 'None';
}
