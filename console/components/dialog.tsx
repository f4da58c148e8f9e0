// A modal dialog. The browser keeps the focus in it and closes it with Escape, after a question if changes would be
// lost. The focus then returns to where it was. The view that opens a dialog must return a <Dialog>.
import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Actions, Button } from './button.tsx';
import { DraftScope, Drafts, type LeaveQuestion } from './drafts.ts';

type Close = () => void;

interface Opened {
  id: number;
  view: VNode;
}

const opened = signal<readonly Opened[]>([]);
let count = 0;

export function openDialog(view: (close: Close) => VNode): void {
  const id = ++count;
  const close = (): void => {
    opened.value = opened.value.filter((one) => one.id !== id);
  };
  opened.value = [...opened.value, { id, view: view(close) }];
}

export const closeDialogs = (): void => {
  opened.value = [];
};

export const Dialogs = () => opened.value.map(({ id, view }) => <div key={id}>{view}</div>);

export interface DialogProps {
  title: string; // a new title moves the focus to the new content
  close: Close;
  onClosed?: (() => void) | undefined; // also after Escape
  children: ComponentChildren;
}

export function Dialog({ title, close, onClosed, children }: DialogProps) {
  const id = useId();
  const drafts = useMemo(() => new Drafts(), []);
  const ref = useRef<HTMLDialogElement>(null);
  const closed = useRef(onClosed);
  closed.current = onClosed;
  useLayoutEffect(() => {
    const [dialog, opener] = [ref.current, document.activeElement];
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      closed.current?.();
    };
  }, []);
  useLayoutEffect(() => {
    const content = ref.current;
    const wished = content?.querySelector<HTMLElement>('[data-focus]');
    const first = content?.querySelector<HTMLElement>('input, select, textarea');
    (wished ?? first ?? content?.querySelector('h2'))?.focus();
  }, [title]);
  const askFirst = (event: Event): void => {
    const { question } = drafts;
    if (!question) return;
    event.preventDefault();
    askToLeave(question, close);
  };
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      closedby="closerequest"
      // After one refusal the browser closes the dialog at the next Escape without `cancel`, so the key is handled,
      // too.
      onKeyDown={(event) => event.key === 'Escape' && askFirst(event)}
      onCancel={askFirst}
      onClose={close}
    >
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      <div class="content">
        <DraftScope.Provider value={drafts}>{children}</DraftScope.Provider>
      </div>
    </dialog>
  );
}

let isAsking = false;

// Asks once, however often the user tries to leave. The focus is on staying.
export function askToLeave(
  { title, text, leave, stay }: LeaveQuestion,
  onLeave: () => void,
  onStay?: () => void,
): void {
  if (isAsking) return;
  isAsking = true;
  let isLeaving = false;
  const onClosed = (): void => {
    isAsking = false;
    if (isLeaving) onLeave();
    else onStay?.();
  };
  openDialog((close) => (
    <Dialog title={title} close={close} onClosed={onClosed}>
      <p>{text}</p>
      <Actions>
        <Button
          text={leave}
          look="danger"
          onPress={() => {
            isLeaving = true;
            close();
          }}
        />
        <Button text={stay} look="plain" takesFocus onPress={close} />
      </Actions>
    </Dialog>
  ));
}
