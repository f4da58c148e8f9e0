// Sums and means over a window. Sums compensate rounding errors (Kahan-Neumaier summation), as in Prometheus, so that
// results are equal to the last digits.
import type { RangeFunction } from './windows.ts';
import { show } from './windows.ts';

// The rounding error of adding a value to a sum.
export function lostBy(sum: number, value: number, total: number): number {
  return Math.abs(sum) >= Math.abs(value) ? sum - total + value : value - total + sum;
}

export const isEndless = (value: number): boolean =>
  value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;

const blockLength = 16;
const fewSamples = 3 * blockLength;

// Sums over any part of a series. Long parts use precomputed sums of blocks: a window of a day costs little more than
// one of an hour.
class Adder {
  sum = 0;
  lost = 0;
  readonly #values: Float64Array;
  #blockSums: Float64Array | undefined;
  #blockLosses: Float64Array | undefined;

  constructor(values: Float64Array) {
    this.#values = values;
  }

  add(from: number, to: number): void {
    this.sum = 0;
    this.lost = 0;
    const isLong = to - from > fewSamples;
    const firstBlock = Math.ceil(from / blockLength);
    const afterBlock = Math.floor(to / blockLength);
    this.#addEach(from, isLong ? firstBlock * blockLength : to);
    if (!isLong) return;
    this.#addBlocks(firstBlock, afterBlock);
    this.#addEach(afterBlock * blockLength, to);
  }

  #addEach(from: number, to: number): void {
    const values = this.#values;
    let { sum, lost } = this;
    for (let at = from; at < to; at++) {
      const value = values[at] as number;
      const total = sum + value;
      lost = isEndless(total) ? 0 : lost + lostBy(sum, value, total);
      sum = total;
    }
    this.sum = sum;
    this.lost = lost;
  }

  #addBlocks(from: number, to: number): void {
    const { sums, losses } = this.#blocks();
    for (let block = from; block < to; block++) {
      const value = sums[block] as number;
      const total = this.sum + value;
      this.lost = isEndless(total) ? 0 : this.lost + lostBy(this.sum, value, total) + (losses[block] as number);
      this.sum = total;
    }
  }

  #blocks(): { sums: Float64Array; losses: Float64Array } {
    if (this.#blockSums && this.#blockLosses) return { sums: this.#blockSums, losses: this.#blockLosses };
    const count = Math.floor(this.#values.length / blockLength);
    const sums = new Float64Array(count);
    const losses = new Float64Array(count);
    const { sum, lost } = this;
    for (let block = 0; block < count; block++) {
      this.sum = 0;
      this.lost = 0;
      this.#addEach(block * blockLength, (block + 1) * blockLength);
      sums[block] = this.sum;
      losses[block] = this.lost;
    }
    this.sum = sum;
    this.lost = lost;
    this.#blockSums = sums;
    this.#blockLosses = losses;
    return { sums, losses };
  }
}

export const sumOverTime: RangeFunction = ({ values }, { first, after, count }, row) => {
  const adder = new Adder(values);
  for (let step = 0; step < count; step++) {
    const from = first[step] as number;
    const to = after[step] as number;
    if (to <= from) continue;
    adder.add(from, to);
    show(row, step, isEndless(adder.sum) ? adder.sum : adder.sum + adder.lost);
  }
};

export const avgOverTime: RangeFunction = ({ values }, { first, after, count }, row) => {
  const adder = new Adder(values);
  for (let step = 0; step < count; step++) {
    const from = first[step] as number;
    const to = after[step] as number;
    if (to <= from) continue;
    adder.add(from, to);
    const isPlain = Number.isFinite(adder.sum);
    show(row, step, isPlain ? adder.sum / (to - from) + adder.lost / (to - from) : meanOf(values, from, to));
  }
};

// The mean of values whose sum overflows: from then on the running mean is used.
export function meanOf(values: Float64Array, from: number, to: number): number {
  let sum = values[from] as number;
  let lost = 0;
  let mean = 0;
  let isRunning = false;
  for (let at = from + 1; at < to; at++) {
    const value = values[at] as number;
    const count = at - from + 1;
    if (!isRunning) {
      const total = sum + value;
      if (!isEndless(total)) {
        lost += lostBy(sum, value, total);
        sum = total;
        continue;
      }
      isRunning = true;
      mean = sum / (count - 1);
      lost /= count - 1;
    }
    const share = (count - 1) / count;
    const kept = share * mean;
    const part = value / count;
    const total = kept + part;
    lost = isEndless(total) ? 0 : share * lost + lostBy(kept, part, total);
    mean = total;
  }
  return isRunning ? mean + lost : sum / (to - from) + lost / (to - from);
}

export const stdvarOverTime: RangeFunction = spread((variance) => variance);
export const stddevOverTime: RangeFunction = spread(Math.sqrt);

function spread(shown: (variance: number) => number): RangeFunction {
  return ({ values }, { first, after, count }, row) => {
    for (let step = 0; step < count; step++) {
      const from = first[step] as number;
      const to = after[step] as number;
      if (to > from) show(row, step, shown(varianceOf(values, from, to)));
    }
  };
}

function varianceOf(values: Float64Array, from: number, to: number): number {
  let mean = 0;
  let meanLost = 0;
  let squares = 0;
  let squaresLost = 0;
  for (let at = from; at < to; at++) {
    const value = values[at] as number;
    const difference = value - (mean + meanLost);
    const part = difference / (at - from + 1);
    const newMean = mean + part;
    meanLost = isEndless(newMean) ? 0 : meanLost + lostBy(mean, part, newMean);
    mean = newMean;
    const square = difference * (value - (mean + meanLost));
    const newSquares = squares + square;
    squaresLost = isEndless(newSquares) ? 0 : squaresLost + lostBy(squares, square, newSquares);
    squares = newSquares;
  }
  return (squares + squaresLost) / (to - from);
}
