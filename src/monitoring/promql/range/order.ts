// Functions of the sorted values of a window: quantiles, and the median absolute deviation. The window is kept sorted
// while it slides; only values that enter or leave are moved.
import { quantileOf } from '../quantile.ts';
import type { RangeFunction, Windows } from './windows.ts';
import { show } from './windows.ts';

const fewValues = 48; // up to this many, a linear search is faster than a binary one

class SortedWindow {
  readonly #values: Float64Array;
  readonly #sorted: Float64Array;
  #from = 0;
  #to = 0;
  #length = 0; // number of values other than NaN
  #others = 0;

  constructor(values: Float64Array, { first, after }: Windows) {
    let longest = 0;
    for (let step = 0; step < first.length; step++)
      longest = Math.max(longest, (after[step] as number) - (first[step] as number));
    this.#values = values;
    this.#sorted = new Float64Array(longest);
  }

  get isWithoutNumber(): boolean {
    return this.#others > 0;
  }

  slide(from: number, to: number): void {
    for (; this.#from < Math.min(from, this.#to); this.#from++) this.#remove(this.#values[this.#from] as number);
    if (this.#from < from) this.#from = from;
    for (this.#to = Math.max(this.#to, from); this.#to < to; this.#to++) this.#insert(this.#values[this.#to] as number);
  }

  // NaN is less than all numbers.
  quantile(share: number): number {
    const { length } = this;
    return quantileOf(share, length, (at) =>
      at < this.#others ? Number.NaN : (this.#sorted[at - this.#others] as number),
    );
  }

  get length(): number {
    return this.#length + this.#others;
  }

  // The distances from a value in ascending order, from the middle outwards.
  distanceAt(centre: number): (rank: number) => number {
    let above = this.#position(centre);
    let below = above - 1;
    let taken = -1;
    let last = 0;
    return (rank) => {
      for (; taken < rank; taken++) {
        const up = above < this.#length ? (this.#sorted[above] as number) - centre : Number.POSITIVE_INFINITY;
        const down = below >= 0 ? centre - (this.#sorted[below] as number) : Number.POSITIVE_INFINITY;
        last = up < down ? up : down;
        if (up < down) above++;
        else below--;
      }
      return last;
    };
  }

  #position(value: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(value: number): void {
    if (Number.isNaN(value)) {
      this.#others++;
      return;
    }
    const sorted = this.#sorted;
    const length = this.#length;
    let at = length;
    if (length <= fewValues) {
      while (at > 0 && (sorted[at - 1] as number) > value) sorted[at] = sorted[--at] as number;
    } else {
      at = this.#position(value);
      sorted.copyWithin(at + 1, at, length);
    }
    sorted[at] = value;
    this.#length++;
  }

  #remove(value: number): void {
    if (Number.isNaN(value)) {
      this.#others--;
      return;
    }
    const sorted = this.#sorted;
    const length = --this.#length;
    if (length > fewValues) {
      const at = this.#position(value);
      sorted.copyWithin(at, at + 1, length + 1);
      return;
    }
    let at = 0;
    while ((sorted[at] as number) < value) at++;
    for (; at < length; at++) sorted[at] = sorted[at + 1] as number;
  }
}

export const quantileOverTime: RangeFunction = ({ values }, windows, row, [shares]) => {
  const sorted = new SortedWindow(values, windows);
  for (let step = 0; step < windows.count; step++) {
    const from = windows.first[step] as number;
    const to = windows.after[step] as number;
    if (to <= from) continue;
    sorted.slide(from, to);
    show(row, step, sorted.quantile(shares?.[step] as number));
  }
};

export const madOverTime: RangeFunction = ({ values }, windows, row) => {
  const sorted = new SortedWindow(values, windows);
  for (let step = 0; step < windows.count; step++) {
    const from = windows.first[step] as number;
    const to = windows.after[step] as number;
    if (to <= from) continue;
    sorted.slide(from, to);
    const distance = sorted.distanceAt(sorted.quantile(0.5));
    show(row, step, sorted.isWithoutNumber ? Number.NaN : quantileOf(0.5, sorted.length, distance));
  }
};
