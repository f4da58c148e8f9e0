// The control for a plain value: check box, select, number, single-line or multi-line text.
import type { FieldSchema } from '../model.ts';
import { isSecretName } from '../words.ts';
import { ChoiceControl, type Shared } from './choices.tsx';
import { choicesIn, type Json, type Place, typeOf } from './form-value.ts';
import type { SchemaFieldProps } from './labelled.tsx';

export interface ControlProps extends SchemaFieldProps {
  shared: Shared;
  value: Json | undefined;
}

export function Control({ form, schema, place, choices, shared, value, ...rest }: ControlProps) {
  const set = rest.set ?? ((to: Json | undefined): void => form.set(place, to));
  const type = typeOf(schema);
  const listed = choicesIn(schema);
  const source = choices.of(place);
  const isOpen = !(shared.required && value !== undefined); // optional, or not selected yet
  if (type === 'boolean')
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === undefined ? schema.default === true : value === true}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    );
  if (listed)
    return (
      <select
        {...shared}
        value={String(value ?? '')}
        onChange={(event) => set(chosen(listed, event.currentTarget.value))}
      >
        {isOpen && <option value="">{usualOf(schema) === undefined ? '–' : `${usualOf(schema)} (default)`}</option>}
        {listed.map((one) => (
          <option key={String(one)} value={String(one)}>
            {String(one)}
          </option>
        ))}
      </select>
    );
  if (source)
    return (
      <ChoiceControl
        shared={shared}
        source={source}
        isNumber={type !== 'string'}
        usual={usualOf(schema)}
        value={value}
        set={set}
      />
    );
  if (type === 'integer' || type === 'number')
    return (
      <input
        {...shared}
        type="number"
        min={schema.minimum as number}
        max={schema.maximum as number}
        step={(schema.multipleOf as number | undefined) ?? (type === 'integer' ? 1 : 'any')}
        value={typeof value === 'number' ? value : ''}
        placeholder={exampleOf(schema)}
        onInput={(event) => set(event.currentTarget.value === '' ? undefined : event.currentTarget.valueAsNumber)}
      />
    );
  const text = typeof value === 'string' ? value : '';
  const onInput = (event: { currentTarget: { value: string } }): void => set(event.currentTarget.value || undefined);
  if (isLong(schema, place))
    return <textarea {...shared} class="code grows" rows={2} spellcheck={false} value={text} onInput={onInput} />;
  if (isSecretName(place.at(-1) ?? ''))
    return <input {...shared} type="password" autocomplete="new-password" value={text} onInput={onInput} />;
  return <input {...shared} autocomplete="off" value={text} placeholder={exampleOf(schema)} onInput={onInput} />;
}

const chosen = (listed: readonly (string | number | boolean)[], text: string): Json | undefined =>
  listed.find((one) => String(one) === text);

const isLong = ({ maxLength }: FieldSchema, place: Place): boolean =>
  (typeof maxLength === 'number' && maxLength > 4096) ||
  /^(?:certificate|certificateChain|privateKey|userData|content)$/.test(place.at(-1) ?? '');

function exampleOf({ examples }: FieldSchema): string {
  const [first] = Array.isArray(examples) ? examples : [];
  return first !== 'example' && (typeof first === 'string' || typeof first === 'number') ? `e.g. ${first}` : '';
}

// The default value.
const usualOf = ({ default: value }: FieldSchema): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
