// One question for all who ask at once. Who asks while an answer is under way gets the next one, never that one: it
// may have been found before they asked.
import { setImmediate } from 'node:timers/promises';

const mostTurns = 2; // more spare the database a question, and cost more turns than it does

export class SharedQuestion<T> {
  readonly #ask: () => Promise<T>;
  #underWay: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined; // not asked yet: whoever comes may have its answer
  #waiting = 0; // for that one

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  ask(): Promise<T> {
    this.#waiting += 1;
    this.#next ??= this.#askNext();
    return this.#next;
  }

  // As long as each turn of the event loop brings more of them, they are worth waiting for: those who were answered
  // together come together again.
  async #askNext(): Promise<T> {
    await this.#underWay;
    for (let turns = 0, seen = 0; this.#waiting > seen && turns < mostTurns; turns++) {
      seen = this.#waiting;
      await setImmediate();
    }
    this.#next = undefined;
    this.#waiting = 0;
    const asked = this.#ask();
    this.#underWay = asked.catch(() => {});
    return asked;
  }
}
