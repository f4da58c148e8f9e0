// The dialog that sends messages to a topic. It stays open for the next message.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Actions, Button } from '../components/button.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Draft } from '../components/drafts.ts';
import { Failure } from '../components/states.tsx';
import { FormValue } from '../resources/schema-form/form-value.ts';
import { Fields } from '../resources/schema-form/schema-field.tsx';
import { produceMessage } from './inspection.ts';
import { messageFrom, messageSchema, problemsIn } from './new-message.ts';

export interface NewMessageProps {
  path: string; // of the topic, in the API
  name: string;
  partitions: number;
  onSent(): void;
}

export function openNewMessage(props: NewMessageProps): void {
  openDialog((close) => <NewMessage {...props} close={close} />);
}

const noChoices = { of: () => undefined };

function NewMessage({ path, name, partitions, onSent, close }: NewMessageProps & { close(): void }) {
  const form = useMemo(() => new FormValue({}), []);
  const schema = useMemo(() => messageSchema(partitions), []);
  const isBusy = useSignal(false);
  const sent = useSignal('');
  const isSent = useSignal(false); // what the form has now
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy.value || !form.isReady(schema)) return;
    form.problems.value = problemsIn(form.value.value);
    if (Object.keys(form.problems.value).length > 0) return;
    isBusy.value = true;
    try {
      const { partition, offset } = await produceMessage(path, messageFrom(form.value.value));
      sent.value = `Sent to partition ${partition} with offset ${offset}.`;
      isSent.value = true;
      onSent();
    } catch (error) {
      form.take(error, schema);
    }
    isBusy.value = false;
  };
  return (
    <Dialog title={`Send message: ${name}`} close={close}>
      <form class="form" noValidate onSubmit={(event) => void send(event)} onInput={() => (isSent.value = false)}>
        <Draft isUnsaved={() => form.isChanged && !isSent.value} />
        <Fields form={form} schema={schema} place={[]} locked={[]} choices={noChoices} />
        <Actions>
          <button type="submit" aria-disabled={isBusy.value || undefined}>
            Send
          </button>
          <Button text="Close" look="plain" onPress={close} />
          <span role="status">{sent.value}</span>
        </Actions>
        <div class="problems">{form.others.value !== undefined && <Failure error={form.others.value} />}</div>
      </form>
    </Dialog>
  );
}
