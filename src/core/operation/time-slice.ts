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

const sortedAtOnce = 1000;

// Sorts as Array.sort does, in place.
export async function sortInSlices<T>(items: T[], compare: (a: T, b: T) => number, slice: TimeSlice): Promise<void> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += sortedAtOnce) {
    runs.push(items.slice(at, at + sortedAtOnce).sort(compare));
    await slice.pause();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] as T[], runs[at + 1] ?? [], compare, slice));
    runs = merged;
  }
  for (const [at, item] of (runs[0] ?? []).entries()) items[at] = item;
}

async function merge<T>(left: T[], right: T[], compare: (a: T, b: T) => number, slice: TimeSlice): Promise<T[]> {
  const merged: T[] = [];
  for (let [a, b] = [0, 0]; a < left.length || b < right.length; ) {
    const isLeft = b === right.length || (a < left.length && compare(left[a] as T, right[b] as T) <= 0);
    merged.push((isLeft ? left[a++] : right[b++]) as T);
    if (merged.length % sortedAtOnce === 0) await slice.pause();
  }
  return merged;
}
