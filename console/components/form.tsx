// A form from a description similar to JSON Schema. Problems are shown next to their fields: the browser's messages
// before the form is sent, the platform's messages afterwards.
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError, plainMessage } from '../api.ts';
import { Actions, Button } from './button.tsx';
import { Draft } from './drafts.ts';
import { Field, type Property, type Value } from './field.tsx';
import { Failure } from './states.tsx';

export interface Schema {
  properties: Readonly<Record<string, Property>>;
  required?: readonly string[];
}

export type FormValues = Record<string, Value>;

export interface FormProps {
  schema: Schema;
  values?: FormValues; // initial values instead of the defaults
  submit: string; // the text of the button
  send(values: FormValues): Promise<void>;
  cancel?: () => void;
  class?: 'tall';
  formRef?: RefObject<HTMLFormElement | null>; // gives access to the values before they are sent
}

export function Form({ schema, values = {}, submit, send, cancel, class: look, formRef }: FormProps) {
  const own = useRef<HTMLFormElement>(null);
  const ref = formRef ?? own;
  const problems = useSignal<Readonly<Record<string, string>>>({}); // by the name of the field
  const failure = useSignal<unknown>(undefined);
  const isSending = useSignal(false);
  const saved = useRef('');
  const written = (): string => (ref.current ? JSON.stringify(valuesOf(ref.current, schema)) : saved.current);
  useLayoutEffect(() => {
    saved.current = written();
  }, []);

  const show = (found: Record<string, string>, form: HTMLFormElement): void => {
    problems.value = found;
    const [first] = Object.keys(schema.properties).filter((name) => name in found);
    if (first !== undefined) controlOf(form, first)?.focus();
  };

  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = ref.current;
    if (!form || isSending.value) return;
    failure.value = undefined;
    const invalid = invalidFields(form, schema);
    show(invalid, form);
    if (Object.keys(invalid).length > 0) return;
    isSending.value = true;
    try {
      await send(valuesOf(form, schema));
      saved.current = written();
    } catch (error) {
      const [byField, others] = sorted(error, schema);
      show(byField, form);
      failure.value = others;
    }
    isSending.value = false;
  };

  return (
    <form ref={ref} class={look ? `form ${look}` : 'form'} noValidate onSubmit={onSubmit}>
      <Draft isUnsaved={() => written() !== saved.current} />
      {fieldsOf(schema).map(([name, property]) => (
        <Field
          key={name}
          name={name}
          property={property}
          required={schema.required?.includes(name) === true}
          value={values[name] ?? property.default}
          problem={problems.value[name] ?? ''}
          onInput={() => {
            if (name in problems.value) problems.value = { ...problems.value, [name]: '' };
          }}
        />
      ))}
      <Actions>
        {/* Not disabled while the form is sent, because that would remove the focus. */}
        <button type="submit" aria-disabled={isSending.value || undefined}>
          {submit}
        </button>
        {cancel && <Button text="Cancel" look="plain" onPress={cancel} />}
      </Actions>
      {/* Last, so that nothing moves under the pointer. */}
      <div class="problems">{failure.value !== undefined && <Failure error={failure.value} />}</div>
    </form>
  );
}

const fieldsOf = ({ properties }: Schema): [string, Property][] =>
  Object.entries(properties).filter(([, property]) => !property.readOnly);

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const controlOf = (form: HTMLFormElement, name: string): Control | null =>
  form.elements.namedItem(name) as Control | null;

// Problems by the browser's validation rules.
const invalidFields = (form: HTMLFormElement, schema: Schema): Record<string, string> =>
  Object.fromEntries(
    fieldsOf(schema).flatMap(([name]) => {
      const message = controlOf(form, name)?.validationMessage ?? '';
      return message === '' ? [] : [[name, message]];
    }),
  );

// Empty fields have no value.
export const valuesOf = (form: HTMLFormElement, schema: Schema): FormValues =>
  Object.fromEntries(
    fieldsOf(schema).flatMap(([name, { type }]): [string, Value][] => {
      const control = controlOf(form, name);
      if (control instanceof HTMLInputElement && type === 'boolean') return [[name, control.checked]];
      if (!control || control.value === '') return [];
      return [
        [name, type === 'string' ? control.value : type === 'boolean' ? control.value === 'true' : +control.value],
      ];
    }),
  );

// `[(root).properties.name] Attribute is required` belongs to the field `name`.
function sorted(error: unknown, { properties }: Schema): [byField: Record<string, string>, others: unknown] {
  if (!(error instanceof ApiError)) return [{}, error];
  const byField: Record<string, string> = {};
  const others = error.problems.filter(({ message }) => {
    const name = /^\[\S*?(\w+)\]\s/.exec(message)?.[1];
    if (name === undefined || !(name in properties)) return true;
    byField[name] = plainMessage(message);
    return false;
  });
  return [byField, others.length > 0 ? new ApiError(error.status, others) : undefined];
}
