// Short news in a corner, read out by screen readers. Failures stay until they are closed.
import { ApiError, sentencesOf } from '../api.ts';
import { button, byId, element } from '../dom.ts';

const shownMs = 6000;

export function toast(text: string): void {
  const made = element('p', { class: 'toast' }, text);
  byId('toasts').append(made);
  setTimeout(() => made.remove(), shownMs);
}

export function failureToast(error: unknown): void {
  const text = element('span', {}, sentencesOf(error).join(' '));
  const made: HTMLElement = element(
    'p',
    { class: 'toast failed' },
    text,
    button('Close', () => made.remove(), { look: 'plain', label: 'Close this message' }),
  );
  byId('toasts').append(made);
}

// For what is begun by an event, where nobody awaits the end. Who is not signed in any more sees that already.
export function perform(work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 401)) failureToast(error);
  });
}
