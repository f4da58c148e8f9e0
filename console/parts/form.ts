// A form from a description that reads like JSON Schema: the properties of an OpenAPI document do as they are, so
// pages of resources can be made from declarations. What is wrong is told beside the field it is about, in the
// browser's words before anything is sent and in the platform's afterwards.
import { ApiError, plainMessage } from '../api.ts';
import { button, element, fill } from '../dom.ts';
import { type Field, fieldOf, type Property, type Value } from './field.ts';
import { failure } from './states.ts';

export interface Schema {
  properties: Readonly<Record<string, Property>>;
  required?: readonly string[];
}

export type FormValues = Record<string, Value>;

export interface FormOptions {
  schema: Schema;
  values?: FormValues; // what the fields show at first, instead of the defaults
  submit: string; // what the button says
  send(values: FormValues): Promise<void>;
  cancel?: () => void;
}

export function form({ schema, values = {}, submit, send, cancel }: FormOptions): HTMLFormElement {
  const fields = Object.entries(schema.properties)
    .filter(([, property]) => !property.readOnly)
    .map(([name, property]) => fieldOf(name, property, schema.required?.includes(name) === true, values[name]));
  const problems = element('div', { class: 'problems' });
  const press = button(submit, () => undefined, { submits: true });
  const view = element(
    'form',
    { class: 'form', novalidate: true, submit: (event) => onSubmit(event) },
    fields.map((field) => field.view),
    element('div', { class: 'actions' }, press, cancel && button('Cancel', cancel, { look: 'plain' })),
    problems, // last, so that nothing moves under the pointer
  );
  let isSending = false;

  const onSubmit = (event: Event): void => {
    event.preventDefault();
    if (!isSending && isComplete(fields)) void sendAll();
  };

  async function sendAll(): Promise<void> {
    isSending = true;
    // Not disabled, which would take the focus away.
    press.setAttribute('aria-disabled', 'true');
    fill(problems);
    try {
      await send(Object.fromEntries(fields.flatMap((field) => field.entry())));
    } catch (error) {
      tell(error, fields, problems);
    }
    isSending = false;
    press.removeAttribute('aria-disabled');
  }

  return view;
}

function isComplete(fields: readonly Field[]): boolean {
  const wrong = fields.filter((field) => !field.check());
  wrong[0]?.control.focus();
  return wrong.length === 0;
}

// `[(root).properties.name] Attribute is required` belongs to the field `name`.
function tell(error: unknown, fields: readonly Field[], problems: HTMLElement): void {
  const told = error instanceof ApiError ? error : new ApiError(0, [{ errorCode: '0', message: String(error) }]);
  const others = told.problems.filter(({ message }) => {
    const name = /^\[[^\]]*?(\w+)\]/.exec(message)?.[1];
    const field = fields.find((one) => one.name === name);
    field?.complain(plainMessage(message));
    return !field;
  });
  if (others.length > 0) fill(problems, failure('', new ApiError(told.status, others)));
  else fields.find((field) => field.control.getAttribute('aria-invalid') === 'true')?.control.focus();
}
