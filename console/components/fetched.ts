// Data from the region: the value or error of the last response, which stays until the next one arrives, so that
// nothing jumps. Responses that arrive out of order are dropped.
import { batch, signal } from '@preact/signals';

export type Answer<T> = { value: T } | { error: unknown };

export class Resource<T> {
  readonly answer = signal<Answer<T> | undefined>(undefined);
  readonly isBusy = signal(false);
  readonly #fetch: (signal: AbortSignal) => Promise<T>;
  readonly #signal: AbortSignal;
  #turn = 0;

  constructor(fetch: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) {
    this.#fetch = fetch;
    this.#signal = signal;
  }

  async reload(): Promise<void> {
    const turn = ++this.#turn;
    this.isBusy.value = true;
    const answer = await this.#fetch(this.#signal).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (this.#signal.aborted || turn !== this.#turn) return;
    batch(() => {
      this.answer.value = answer;
      this.isBusy.value = false;
    });
  }
}
