// A dialog above the page. The browser keeps the focus in it and closes it with Escape; the focus goes back to where it
// was. Whoever opens one gives a view, which returns a <Dialog>.
import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

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
  title: string; // with another one, the focus goes to the content that came with it
  close: Close;
  onClosed?: (() => void) | undefined; // also after Escape
  ignoresEscape?: boolean | undefined; // only its own buttons close it
  children: ComponentChildren;
}

export function Dialog({ title, close, onClosed, ignoresEscape = false, children }: DialogProps) {
  const id = useId();
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
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      closedby={ignoresEscape ? 'none' : 'closerequest'}
      onCancel={(event) => ignoresEscape && event.preventDefault()}
      onClose={close}
    >
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      <div class="content">{children}</div>
    </dialog>
  );
}
