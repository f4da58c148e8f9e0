// Long work pauses after each slice of time, so that other calls are served in between. All slices together may have a
// budget of CPU time, which limits the cost of one request. Time that other programs take on a busy machine does not
// count.
import { Fault } from '../../base/fault.ts';

const usualSliceMs = 10;

export interface Clocks {
  nowMs(): number;
  processorMs(): number; // of this thread
}

export interface SliceOptions {
  ms?: number; // length of a slice
  budgetMs?: number; // of all slices together; absent: unlimited
  clocks?: Clocks;
}

const ownClocks: Clocks = {
  nowMs: () => performance.now(),
  processorMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
};

export class TimeSlice {
  readonly #ms: number;
  readonly #budgetMs: number | undefined;
  readonly #clocks: Clocks;
  #startedAt = 0;
  #processorAt = 0;
  #usedMs = 0;

  constructor({ ms = usualSliceMs, budgetMs, clocks = ownClocks }: SliceOptions = {}) {
    this.#ms = ms;
    this.#budgetMs = budgetMs;
    this.#clocks = clocks;
    this.#start();
  }

  #start(): void {
    this.#startedAt = this.#clocks.nowMs();
    if (this.#budgetMs !== undefined) this.#processorAt = this.#clocks.processorMs();
  }

  // Whether the slice is over.
  get isDue(): boolean {
    return this.#clocks.nowMs() - this.#startedAt >= this.#ms;
  }

  // Between two parts: pauses if the slice is over.
  async pause(): Promise<void> {
    if (this.isDue) await this.rest();
  }

  // Ends the slice, and continues in a later turn of the event loop.
  async rest(): Promise<void> {
    if (this.#budgetMs !== undefined) {
      this.#usedMs += this.#clocks.processorMs() - this.#processorAt;
      if (this.#usedMs > this.#budgetMs)
        throw new Fault('refused', 'The request takes too long to check. Send it in several parts.');
    }
    await new Promise(setImmediate);
    this.#start();
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
