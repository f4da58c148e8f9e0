// Short messages in a corner, read out by screen readers. Failures stay until they are closed.
import { signal } from '@preact/signals';
import { ApiError, isAborted, sentencesOf } from '../api.ts';
import { Button } from './button.tsx';

interface Toast {
  id: number;
  text: string;
  isFailure: boolean;
}

const shownMs = 6000;
const toasts = signal<readonly Toast[]>([]);
let count = 0;

function add(text: string, isFailure: boolean): number {
  const id = ++count;
  toasts.value = [...toasts.value, { id, text, isFailure }];
  return id;
}

const remove = (id: number): void => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};

export function toast(text: string): void {
  const id = add(text, false);
  setTimeout(() => remove(id), shownMs);
}

export function failureToast(error: unknown): void {
  add(sentencesOf(error).join(' '), true);
}

// Runs what an event begins, where nobody awaits the end. A user whose session has ended sees the sign-in page instead.
export function perform(work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    if (!isAborted(error) && !(error instanceof ApiError && error.status === 401)) failureToast(error);
  });
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, isFailure }) => (
      <p key={id} class={isFailure ? 'toast failed' : 'toast'}>
        <span>{text}</span>
        {isFailure && <Button text="Close" look="plain" label="Close this message" onPress={() => remove(id)} />}
      </p>
    ))}
  </div>
);
