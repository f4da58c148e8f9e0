// Single flight: concurrent calls share one query. A call that comes while a query is running gets the result of the
// next one, never of that one: the running query may have read the state before the call was made.
import { setImmediate } from 'node:timers/promises';

const maxTurns = 2; // waiting longer saves queries, but costs more than they do

export class SingleFlight<T> {
  readonly #query: () => Promise<T>;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined; // not sent yet: new calls join it
  #waiting = 0; // calls that share it

  constructor(query: () => Promise<T>) {
    this.#query = query;
  }

  get(): Promise<T> {
    this.#waiting += 1;
    this.#next ??= this.#sendNext();
    return this.#next;
  }

  // Waits as long as each turn of the event loop brings more calls: callers that were answered together call again
  // together.
  async #sendNext(): Promise<T> {
    await this.#running;
    for (let turns = 0, seen = 0; this.#waiting > seen && turns < maxTurns; turns++) {
      seen = this.#waiting;
      await setImmediate();
    }
    this.#next = undefined;
    this.#waiting = 0;
    const sent = this.#query();
    this.#running = sent.catch(() => {});
    return sent;
  }
}
