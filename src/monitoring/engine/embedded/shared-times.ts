// The times of one or more series while their samples are collected. Series that are scraped together share one array,
// and each knows how many of its times it has. The array only grows, so a series that is behind still finds its own
// times.
import { uninitialised } from '../buffer-pool.ts';

export class SharedTimes {
  times: Float64Array;
  length = 0;
  orderedUpTo = 0; // times ascend that far
  #shown: Float64Array | undefined;

  constructor(capacity: number) {
    this.times = uninitialised(capacity);
  }

  // Appends times to those of a series: shared if no other series has more of them, otherwise as a copy.
  extend(count: number, times: Float64Array, start: number, end: number): SharedTimes {
    if (count !== this.length) return this.#branch(count, end - start).extend(count, times, start, end);
    const length = count + end - start;
    if (length > this.times.length) this.times = widened(this.times, count, Math.ceil(length * 1.25));
    this.times.set(times.subarray(start, end), count);
    this.length = length;
    this.#shown = undefined;
    const isLater = count === 0 || (times[start] as number) > (this.times[count - 1] as number);
    if (isLater && this.orderedUpTo === count) this.orderedUpTo = length;
    return this;
  }

  #branch(count: number, more: number): SharedTimes {
    const branch = new SharedTimes(count + more);
    branch.times.set(this.times.subarray(0, count));
    branch.length = count;
    branch.orderedUpTo = Math.min(count, this.orderedUpTo);
    return branch;
  }

  // Returns one array for all series that have all of its times.
  upTo(count: number): Float64Array {
    if (count !== this.length) return this.times.subarray(0, count);
    this.#shown ??= count === this.times.length ? this.times : this.times.subarray(0, count);
    return this.#shown;
  }
}

export function widened(old: Float64Array, count: number, size: number): Float64Array {
  const wider = uninitialised(size);
  wider.set(old.subarray(0, count));
  return wider;
}
