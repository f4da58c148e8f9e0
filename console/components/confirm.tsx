// Asks before an action that can't be undone. The focus is on Cancel.
import { useSignal } from '@preact/signals';
import { Actions, Button } from './button.tsx';
import { Dialog, openDialog } from './dialog.tsx';
import { Failure } from './states.tsx';

export interface Question {
  title: string;
  text: string;
  action: string; // the text of the button: `Delete`
  act(): Promise<void>;
  onDone(): void; // when the dialog is closed
}

export function confirm(question: Question): void {
  openDialog((close) => <Confirm {...question} close={close} />);
}

function Confirm({ title, text, action, act, onDone, close }: Question & { close(): void }) {
  const state = useSignal<'asking' | 'busy' | 'done'>('asking');
  const failure = useSignal<unknown>(undefined);
  const perform = async (): Promise<void> => {
    state.value = 'busy';
    try {
      await act();
      state.value = 'done';
      close();
    } catch (error) {
      state.value = 'asking';
      failure.value = error;
    }
  };
  return (
    <Dialog title={title} close={close} onClosed={() => state.value === 'done' && onDone()}>
      <p>{text}</p>
      <Actions>
        <Button text={action} look="danger" disabled={state.value === 'busy'} onPress={() => void perform()} />
        <Button text="Cancel" look="plain" takesFocus onPress={close} />
      </Actions>
      <div class="problems">{failure.value !== undefined && <Failure error={failure.value} />}</div>
    </Dialog>
  );
}
