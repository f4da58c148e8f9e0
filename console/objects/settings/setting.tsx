// A setting of a bucket: its value, and a dialog with a form that changes it.
import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import type { Resource } from '../../components/fetched.ts';
import { Form, type FormValues, type Schema } from '../../components/form.tsx';
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { Section } from '../../components/text.tsx';
import { toast } from '../../components/toast.tsx';

export interface SettingProps<T> {
  title: string;
  lead: string;
  read(signal: AbortSignal): Promise<T>;
  children(value: T): ComponentChildren; // shows the value
  action?: string; // the text of the button; `Change` by default
  edit?(value: T, reload: () => void): void; // opens the form
}

export function Setting<T>({ title, lead, read, children, action = 'Change', edit }: SettingProps<T>) {
  const value: Resource<T> = useResource(read);
  const answer = value.answer.value;
  const reload = (): void => void value.reload();
  return (
    <Section
      title={title}
      lead={lead}
      actions={
        edit &&
        answer &&
        'value' in answer && (
          <Button text={action} look="plain" label={`${action}: ${title}`} onPress={() => edit(answer.value, reload)} />
        )
      }
    >
      <div class="ob-setting">
        <Loaded resource={value} what={title.toLowerCase()}>
          {children}
        </Loaded>
      </div>
    </Section>
  );
}

export interface SettingForm {
  title: string;
  schema: Schema;
  values?: FormValues;
  look?: 'tall';
  submit?: string;
  send(values: FormValues): Promise<void>;
  onDone(): void;
}

export function openSettingForm({ title, schema, values, look, submit = 'Save', send, onDone }: SettingForm): void {
  let isDone = false;
  openDialog((close) => (
    <Dialog title={title} close={close} onClosed={() => isDone && onDone()}>
      <Form
        schema={schema}
        {...(values && { values })}
        {...(look && { class: look })}
        submit={submit}
        cancel={close}
        send={async (given) => {
          await send(given);
          toast('Saved.');
          isDone = true;
          close();
        }}
      />
    </Dialog>
  ));
}

export const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
export const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
export const linesIn = (value: unknown): string[] =>
  textIn(value)
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
