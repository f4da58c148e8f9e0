// Asks before something is done that can't be undone. The focus is on Cancel.
import { useSignal } from '@preact/signals';
import { Actions, Button } from './button.tsx';
import { Dialog, openDialog } from './dialog.tsx';
import { Failure } from './states.tsx';

export interface Question {
  title: string;
  text: string;
  action: string; // the text of the button: `Delete`
  act(): Promise<void>;
}

// Resolves when the dialog is closed: true if it was done.
export const confirmed = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    openDialog((close) => <Confirm {...question} close={close} onClosed={resolve} />);
  });

interface ConfirmProps extends Question {
  close(): void;
  onClosed(isDone: boolean): void;
}

function Confirm({ title, text, action, act, close, onClosed }: ConfirmProps) {
  const isDone = useSignal(false);
  const isBusy = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const perform = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await act();
      isDone.value = true;
      close();
    } catch (error) {
      isBusy.value = false;
      failure.value = error;
    }
  };
  return (
    <Dialog title={title} close={close} onClosed={() => onClosed(isDone.value)}>
      <p>{text}</p>
      <Actions>
        <Button look="danger" disabled={isBusy.value} onPress={() => void perform()}>
          {action}
        </Button>
        <Button look="plain" takesFocus onPress={close}>
          Cancel
        </Button>
      </Actions>
      <div class="problems">{failure.value !== undefined && <Failure error={failure.value} />}</div>
    </Dialog>
  );
}
