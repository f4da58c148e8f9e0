// One question for all who ask at once. Who asks while an answer is under way gets the next one, never that one: it
// may have been found before they asked.
import { setImmediate } from 'node:timers/promises';

export class SharedQuestion<T> {
  readonly #ask: () => Promise<T>;
  #underWay: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined; // not asked yet: whoever comes may have its answer

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  ask(): Promise<T> {
    this.#next ??= this.#askNext();
    return this.#next;
  }

  // All that come with the same turn of the event loop are there before it is asked.
  async #askNext(): Promise<T> {
    await this.#underWay;
    await setImmediate();
    this.#next = undefined;
    const asked = this.#ask();
    this.#underWay = asked.catch(() => {});
    return asked;
  }
}
