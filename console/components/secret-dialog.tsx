// A dialog for a secret that is shown only once, and a field for texts to copy.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Actions, Button } from './button.tsx';
import { copyText, downloadText } from './clipboard.ts';
import { Dialog, openDialog } from './dialog.tsx';
import { Draft, type LeaveQuestion } from './drafts.ts';
import { perform } from './toast.tsx';

export interface Secret {
  title: string; // of the dialog
  name: string; // of the secret
  value: string;
  about: string;
  fileName?: string; // for the Download button
}

export interface SecretProps {
  secret: Secret;
  close(): void;
  children?: ComponentChildren;
}

export const SecretContent = ({ secret: { name, value, about, ...rest }, close, children }: SecretProps) => (
  <>
    <p>{`This is shown only once. ${about}`}</p>
    <Copyable title={name} text={value} fileName={rest.fileName} takesFocus isShownOnce />
    {children}
    <Actions>
      <Button text="Done" look="plain" onPress={close} />
    </Actions>
  </>
);

export function openSecret(secret: Secret): void {
  openDialog((close) => (
    <Dialog title={secret.title} close={close}>
      <SecretContent secret={secret} close={close} />
    </Dialog>
  ));
}

export interface CopyableProps {
  title: string;
  text: string;
  takesFocus?: boolean;
  fileName?: string | undefined;
  isShownOnce?: boolean; // ask before leaving without a copy
}

const ofSecret = (title: string): LeaveQuestion => ({
  title: 'Close without saving it?',
  text: `${title}: you have not copied it, and it is not shown again.`,
  leave: 'Close',
  stay: 'Go back',
});

export function Copyable({ title, text, takesFocus = false, fileName, isShownOnce = false }: CopyableProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const status = useSignal('');
  const isKept = useRef(false);
  const keep = (): void => {
    isKept.current = true;
  };
  const copy = async (): Promise<void> => {
    const isDone = field.current !== null && (await copyText(field.current));
    if (isDone) keep();
    status.value = isDone ? 'Copied.' : 'The browser did not allow copying. Copy the selected text yourself.';
  };
  const save = (): void => {
    downloadText(fileName ?? '', `${text}\n`);
    keep();
    status.value = 'Saved as a file.';
  };
  const lines = text.split('\n').length;
  const wraps = lines === 1;
  const rows = wraps ? Math.max(2, Math.ceil(text.length / 60)) : lines + 1; // one more for the scroll bar
  return (
    <div class="copyable">
      {isShownOnce && <Draft isUnsaved={() => !isKept.current} question={ofSecret(title)} />}
      <label for={id}>{title}</label>
      <textarea
        id={id}
        ref={field}
        class={wraps ? 'code wraps' : 'code'}
        readOnly
        rows={rows}
        spellcheck={false}
        value={text}
        onCopy={keep}
      />
      <Actions>
        <Button
          text="Copy"
          look="plain"
          label={`Copy: ${title}`}
          takesFocus={takesFocus}
          onPress={() => perform(copy)}
        />
        {fileName !== undefined && <Button text="Download" look="plain" onPress={save} />}
        <span class="status-text" role="status">
          {status}
        </span>
      </Actions>
    </div>
  );
}
