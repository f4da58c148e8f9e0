// Short messages in a corner, also for screen readers. Errors stay until they are closed, and messages of running
// operations until the operation ends. A message may link to pages with details.
import { signal } from '@preact/signals';
import { ApiError, isAborted, sentencesOf } from '../api.ts';
import { Button } from './button.tsx';

export interface ToastLink {
  text: string;
  url: string;
}

interface Toast {
  id: number;
  text: string;
  isFailure: boolean;
  links: readonly ToastLink[];
}

const shownMs = 6000;
const toasts = signal<readonly Toast[]>([]);
let count = 0;

function add(one: Omit<Toast, 'id'>): number {
  const id = ++count;
  toasts.value = [...toasts.value, { id, ...one }];
  return id;
}

const remove = (id: number): void => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};

export function toast(text: string, ...links: ToastLink[]): void {
  const id = add({ text, links, isFailure: false });
  setTimeout(() => remove(id), shownMs);
}

export function failureToast(error: unknown, ...links: ToastLink[]): void {
  add({ text: sentencesOf(error).join(' '), links, isFailure: true });
}

// Stays until the caller calls the returned function.
export function lastingToast(text: string, ...links: ToastLink[]): () => void {
  const id = add({ text, links, isFailure: false });
  return () => remove(id);
}

// Runs the asynchronous work of an event handler and shows its error. If the session has ended, the sign-in page
// appears instead.
export function perform(work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    if (!isAborted(error) && !(error instanceof ApiError && error.status === 401)) failureToast(error);
  });
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, isFailure, links }) => (
      <p key={id} class={isFailure ? 'toast failed' : 'toast'}>
        <span>{text}</span>
        {links.map((link) => (
          <a key={link.url} href={link.url} onClick={() => remove(id)}>
            {link.text}
          </a>
        ))}
        {isFailure && <Button text="Close" look="plain" label="Close this message" onPress={() => remove(id)} />}
      </p>
    ))}
  </div>
);
