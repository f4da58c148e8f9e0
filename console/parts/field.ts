// One field of a form: a label, the control that suits the property's type, a hint and what is wrong with it.
import { type Child, element, freshId } from '../dom.ts';

export type Value = string | number | boolean;

export interface Property {
  type: 'string' | 'integer' | 'number' | 'boolean';
  title?: string; // the name of the property where there is none
  description?: string;
  format?: 'email' | 'password' | 'multiline';
  enum?: readonly Value[];
  oneOf?: readonly { const: Value; title: string }[]; // an enumeration with names
  default?: Value;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  readOnly?: boolean;
  autocomplete?: string; // what password stores know the field by
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export interface Field {
  name: string;
  view: HTMLElement;
  control: Control;
  entry(): [name: string, value: Value][]; // none where it is left empty
  check(): boolean; // by the browser's own rules; tells what is wrong
  complain(message: string): void;
}

export function fieldOf(name: string, property: Property, required: boolean, given: Value | undefined): Field {
  const id = freshId(name);
  const value = given ?? property.default;
  const control = controlOf(property, value);
  control.id = id;
  control.name = name;
  control.required = required && property.type !== 'boolean';
  const hint = property.description ? element('p', { class: 'hint', id: `${id}-hint` }, property.description) : null;
  const wrong = element('p', { class: 'wrong', id: `${id}-wrong`, 'aria-live': 'polite' });
  control.setAttribute('aria-describedby', [hint?.id, wrong.id].filter(Boolean).join(' '));
  const label = element('label', { for: id }, property.title ?? name);
  const parts: Child[] = property.type === 'boolean' ? [control, label] : [label, control];
  const complain = (message: string): void => {
    wrong.textContent = message;
    if (message === '') control.removeAttribute('aria-invalid');
    else control.setAttribute('aria-invalid', 'true');
  };
  control.addEventListener('input', () => complain(''));
  return {
    name,
    view: element('div', { class: property.type === 'boolean' ? 'field flag' : 'field' }, parts, hint, wrong),
    control,
    entry: () => entryOf(name, property, control),
    check() {
      complain(control.validationMessage);
      return control.validity.valid;
    },
    complain,
  };
}

function controlOf(property: Property, value: Value | undefined): Control {
  const choices = property.oneOf ?? property.enum?.map((one) => ({ const: one, title: String(one) }));
  if (choices)
    return element(
      'select',
      {},
      value === undefined && element('option', { value: '' }, '…'),
      choices.map((one) => element('option', { value: String(one.const), selected: one.const === value }, one.title)),
    );
  const shared = {
    minlength: property.minLength,
    maxlength: property.maxLength,
    autocomplete: property.autocomplete ?? 'off',
  };
  if (property.format === 'multiline')
    return element('textarea', { rows: 4, spellcheck: 'false', ...shared }, value === undefined ? '' : String(value));
  return element('input', {
    type: inputType(property),
    inputmode: property.format === 'email' ? 'email' : undefined,
    value: value === undefined || property.type === 'boolean' ? undefined : String(value),
    checked: value === true,
    min: property.minimum,
    max: property.maximum,
    step: property.type === 'number' ? 'any' : undefined,
    pattern: property.pattern,
    ...shared,
  });
}

function inputType({ type, format }: Property): string {
  if (type === 'boolean') return 'checkbox';
  if (type !== 'string') return 'number';
  return format === 'password' ? 'password' : 'text'; // browsers know fewer e-mail addresses than there are
}

function entryOf(name: string, { type }: Property, control: Control): [string, Value][] {
  if (control instanceof HTMLInputElement && type === 'boolean') return [[name, control.checked]];
  if (control.value === '') return [];
  return [[name, type === 'string' ? control.value : type === 'boolean' ? control.value === 'true' : +control.value]];
}
