// One field of a form: label, control for the property's type, hint and problem. Controls keep their values; the form
// reads them when it is sent.
import type { Signal } from '@preact/signals';
import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';

export type Value = string | number | boolean;

export interface Property {
  type: 'string' | 'integer' | 'number' | 'boolean';
  title?: string; // default: the name of the property
  description?: string;
  format?: 'email' | 'password' | 'multiline';
  width?: 'short'; // several short fields fit in one row
  enum?: readonly Value[];
  oneOf?: readonly { const: Value; title: string }[]; // an enumeration with titles
  default?: Value;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  readOnly?: boolean;
  autocomplete?: string; // for password managers
}

export interface FieldProps {
  name: string;
  property: Property;
  required: boolean;
  value: Value | undefined; // initial value
  problem: string;
  onInput(): void;
}

export function Field({ name, property, required, value, problem, onInput }: FieldProps) {
  const id = useId();
  const { type, title, description, width } = property;
  const isFlag = type === 'boolean';
  const label = <label for={id}>{title ?? name}</label>;
  const shared = {
    id,
    name,
    required: required && !isFlag,
    'aria-describedby': `${description ? `${id}-hint ` : ''}${id}-wrong`,
    'aria-invalid': problem !== '' || undefined,
    onInput,
  };
  return (
    <div class={['field', isFlag && 'flag', width].filter(Boolean).join(' ')}>
      {!isFlag && label}
      {controlOf(property, value, shared)}
      {isFlag && label}
      {description && (
        <p class="hint" id={`${id}-hint`}>
          {description}
        </p>
      )}
      <p class="wrong" id={`${id}-wrong`} aria-live="polite">
        {problem}
      </p>
    </div>
  );
}

function controlOf(property: Property, value: Value | undefined, shared: object) {
  const choices = property.oneOf ?? property.enum?.map((one) => ({ const: one, title: String(one) }));
  if (choices)
    return (
      <select {...shared}>
        {value === undefined && <option value="">…</option>}
        {choices.map((one) => (
          <option key={one.const} value={String(one.const)} selected={one.const === value}>
            {one.title}
          </option>
        ))}
      </select>
    );
  const text = value === undefined ? '' : String(value);
  const limits = {
    minLength: property.minLength,
    maxLength: property.maxLength,
    autocomplete: property.autocomplete ?? 'off',
  };
  if (property.format === 'multiline')
    return <textarea rows={4} spellcheck={false} defaultValue={text} {...limits} {...shared} />;
  if (property.type === 'boolean') return <input type="checkbox" defaultChecked={value === true} {...shared} />;
  const rules: object = {
    type: inputType(property),
    inputMode: property.format === 'email' ? 'email' : undefined,
    min: property.minimum,
    max: property.maximum,
    step: property.type === 'number' ? 'any' : undefined,
    pattern: property.pattern,
  };
  return <input defaultValue={text} {...rules} {...limits} {...shared} />;
}

function inputType({ type, format }: Property): 'number' | 'password' | 'text' {
  if (type !== 'string') return 'number';
  return format === 'password' ? 'password' : 'text'; // browsers reject some valid e-mail addresses
}

export interface LabelledProps {
  title: string;
  class?: string;
  children(id: string): ComponentChildren; // the control takes the id
}

// A label with a control, for use outside of forms.
export function Labelled({ title, class: classes = 'field', children }: LabelledProps) {
  const id = useId();
  return (
    <div class={classes}>
      <label for={id}>{title}</label>
      {children(id)}
    </div>
  );
}

export interface TextInputProps {
  value: Signal<string>; // follows what is typed
  id?: string;
  'aria-label'?: string;
  list?: string;
  placeholder?: string;
  maxLength?: number;
  onChange?(): void;
}

export const TextInput = ({ value, ...rest }: TextInputProps) => (
  <input
    autocomplete="off"
    value={value.value}
    onInput={({ currentTarget }) => {
      value.value = currentTarget.value;
    }}
    {...(rest as object)}
  />
);

export interface ChoiceProps {
  value: string;
  options: readonly (readonly [value: string, title: string])[];
  onChange(value: string): void;
}

export const Select = ({ title, ...rest }: ChoiceProps & { title: string }) => (
  <Labelled title={title}>{(id) => <Choice id={id} {...rest} />}</Labelled>
);

export interface BareChoiceProps extends ChoiceProps {
  id?: string;
  label?: string; // if there is no label element
  ref?: Ref<HTMLSelectElement>;
}

export const Choice = ({ value, options, onChange, label, ...rest }: BareChoiceProps) => (
  <select value={value} aria-label={label} onChange={({ currentTarget }) => onChange(currentTarget.value)} {...rest}>
    {options.map(([one, title]) => (
      <option key={one} value={one}>
        {title}
      </option>
    ))}
  </select>
);
