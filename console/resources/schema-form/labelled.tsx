// The frame of every field: label, unit, hint and problem.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { FieldSchema } from '../model.ts';
import { labelOf, withoutIdSuffix } from '../words.ts';
import type { Choices } from './choice-source.ts';
import type { Shared } from './choices.tsx';
import { choicesIn, type FormValue, type Json, type Place } from './form-value.ts';

export interface SchemaFieldProps {
  form: FormValue;
  schema: FieldSchema;
  place: Place;
  isRequired: boolean;
  title?: string;
  set?(value: Json | undefined): void; // receives the value instead of the form
  locked?: readonly string[]; // paths that can't be changed
  choices: Choices;
}

export interface LabelledProps extends SchemaFieldProps {
  isFlag?: boolean;
  children(shared: Shared): ComponentChildren;
}

export function Labelled({ form, schema, place, isRequired, title, locked, choices, isFlag, children }: LabelledProps) {
  const id = useId();
  const key = place.join('.');
  const problem = form.problems.value[key];
  const isLocked = locked?.includes(key) === true;
  const source = choices.of(place);
  const ownLabel = labelOf(place.at(-1) ?? '', schema);
  const label = (
    <label for={id}>
      {title ?? (source ? withoutIdSuffix(ownLabel) : ownLabel)}
      {isRequired && <RequiredMark />}
    </label>
  );
  const shared: Shared = {
    id,
    'aria-describedby': `${id}-hint ${id}-wrong`,
    'aria-invalid': problem !== undefined || undefined,
    required: isRequired && !isFlag,
    disabled: isLocked,
  };
  return (
    <div class={isFlag ? 'field flag' : 'field'} data-place={key}>
      {!isFlag && label}
      {typeof schema['x-unit'] === 'string' ? (
        <span class="with-unit">
          {children(shared)}
          <span>{schema['x-unit']}</span>
        </span>
      ) : (
        children(shared)
      )}
      {isFlag && label}
      <p class="hint" id={`${id}-hint`}>
        <Hint text={hintOf(schema, isLocked, source !== undefined || choicesIn(schema) !== undefined)} />
      </p>
      <p class="wrong" id={`${id}-wrong`} aria-live="polite">
        {problem ?? ''}
      </p>
    </div>
  );
}

// A select shows the default itself.
function hintOf(schema: FieldSchema, isLocked: boolean, isChosen: boolean): string {
  if (isLocked) return 'It cannot be changed.';
  const { default: value, description } = schema;
  const showsDefault = !isChosen && (typeof value === 'number' || (typeof value === 'string' && value !== ''));
  return [sentence(description, schema['x-unit']), showsDefault ? `Default: ${value}.` : ''].filter(Boolean).join(' ');
}

// Removes the unit, which is shown next to the field.
export function sentence(description: unknown, unit?: unknown): string {
  if (typeof description !== 'string') return '';
  if (typeof unit === 'string' && description.startsWith(unit)) {
    const rest = description.slice(unit.length + 2);
    return sentence(rest.charAt(0).toUpperCase() + rest.slice(1));
  }
  return description === '' ? '' : `${description}.`.replace(/([.…])\.$/, '$1');
}

// Renders text in backquotes as code: `ubuntu:latest`.
export const Hint = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
);

export const RequiredMark = () => (
  <span class="needed" aria-hidden="true">
    {' '}
    *
  </span>
);
