// Work that consists of many parts lets others have the event loop between them, once it had it for a slice of time.
// All slices together have a budget of the processor's time, so that no request takes much of the region's, whatever it
// is made of. What other programs take of a busy machine does not count.
import { Fault } from '../../base/fault.ts';

const sliceMs = 10;
const usualBudgetMs = 20_000; // three seconds were too few for hundreds of servers with passwords to hash

export interface Clocks {
  nowMs(): number;
  processorMs(): number; // of this thread
}

const ownClocks: Clocks = {
  nowMs: () => performance.now(),
  processorMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
};

export class TimeSlice {
  readonly #budgetMs: number;
  readonly #clocks: Clocks;
  #startedAt: number;
  #processorAt: number;
  #usedMs = 0;

  constructor(budgetMs = usualBudgetMs, clocks = ownClocks) {
    this.#budgetMs = budgetMs;
    this.#clocks = clocks;
    this.#startedAt = clocks.nowMs();
    this.#processorAt = clocks.processorMs();
  }

  // Between two parts.
  async pause(): Promise<void> {
    if (this.#clocks.nowMs() - this.#startedAt < sliceMs) return;
    this.#usedMs += this.#clocks.processorMs() - this.#processorAt;
    if (this.#usedMs > this.#budgetMs)
      throw new Fault('refused', 'The request takes too long to decide about: send it in several parts.');
    await new Promise(setImmediate);
    this.#startedAt = this.#clocks.nowMs();
    this.#processorAt = this.#clocks.processorMs();
  }
}
