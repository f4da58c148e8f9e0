// Work that consists of many parts lets others have the event loop between them, once it had it for a slice of time.
// All slices together have a budget, so that no request takes much of the region's time, whatever it is made of.
import { Fault } from '../../base/fault.ts';

const sliceMs = 10;
const usualBudgetMs = 20_000; // three seconds were too few for hundreds of servers with passwords to hash

export class TimeSlice {
  readonly #budgetMs: number;
  #startedAt = performance.now();
  #usedMs = 0;

  constructor(budgetMs = usualBudgetMs) {
    this.#budgetMs = budgetMs;
  }

  // Between two parts.
  async pause(): Promise<void> {
    const ms = performance.now() - this.#startedAt;
    if (ms < sliceMs) return;
    this.#usedMs += ms;
    if (this.#usedMs > this.#budgetMs)
      throw new Fault('refused', 'The request takes too long to decide about: send it in several parts.');
    await new Promise(setImmediate);
    this.#startedAt = performance.now();
  }
}
