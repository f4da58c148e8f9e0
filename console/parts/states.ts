// What a part of a page shows while its data comes, when there is none, and when it could not be had. What stood there
// stays until the new is known, so nothing jumps.
import { sentencesOf } from '../api.ts';
import { button, type Child, element, fill } from '../dom.ts';

export interface Loaded {
  view: HTMLElement;
  reload(): Promise<void>;
}

export interface LoadOptions<T> {
  what: string; // `the tokens`
  signal: AbortSignal;
  fetch(signal: AbortSignal): Promise<T>;
  draw(value: T): Child;
}

export function loaded<T>({ what, signal, fetch, draw }: LoadOptions<T>): Loaded {
  const view = element('div', { class: 'loaded' });
  let asked = 0;
  const reload = async (): Promise<void> => {
    const turn = ++asked;
    const isOld = (): boolean => signal.aborted || turn !== asked;
    view.setAttribute('aria-busy', 'true');
    if (view.childElementCount === 0) fill(view, waiting(what));
    try {
      const value = await fetch(signal);
      if (!isOld()) fill(view, draw(value));
    } catch (error) {
      if (!isOld())
        fill(
          view,
          failure(`Could not get ${what}.`, error, () => void reload()),
        );
    }
    if (!isOld()) view.removeAttribute('aria-busy');
  };
  void reload();
  return { view, reload };
}

export const waiting = (what: string): HTMLElement =>
  element('p', { class: 'state waiting', role: 'status' }, `Getting ${what} …`);

export const empty = (text: string, ...more: Child[]): HTMLElement =>
  element('div', { class: 'state' }, element('p', {}, text), more);

export function failure(title: string, error: unknown, again?: () => void): HTMLElement {
  return element(
    'div',
    { class: 'state failed', role: 'alert' },
    title !== '' && element('p', {}, element('strong', {}, title)),
    sentencesOf(error).map((sentence) => element('p', {}, sentence)),
    again && button('Try again', again, { look: 'plain' }),
  );
}
