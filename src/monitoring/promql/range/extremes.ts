// The maximum and minimum of a window, and their times. NaN counts only where all values are NaN.
import type { RangeFunction } from './windows.ts';
import { show } from './windows.ts';

const blockLength = 16;

export const maxOverTime: RangeFunction = extreme((value, best) => value > best);
export const minOverTime: RangeFunction = extreme((value, best) => value < best);
export const timeOfMax: RangeFunction = timeOf((value, best) => value >= best);
export const timeOfMin: RangeFunction = timeOf((value, best) => value <= best);

type Beats = (value: number, best: number) => boolean;

function extreme(beats: Beats): RangeFunction {
  const best = (values: Float64Array, from: number, to: number, given: number): number => {
    let found = given;
    for (let at = from; at < to; at++) {
      const value = values[at] as number;
      if (beats(value, found) || Number.isNaN(found)) found = value;
    }
    return found;
  };
  return ({ values }, { first, after, count }, row) => {
    let blocks: Float64Array | undefined; // the best of each block, for windows with many blocks
    for (let step = 0; step < count; step++) {
      const from = first[step] as number;
      const to = after[step] as number;
      if (to <= from) continue;
      if (to - from <= 3 * blockLength) {
        show(row, step, best(values, from, to, Number.NaN));
        continue;
      }
      blocks ??= bestOfBlocks(values, best);
      const firstBlock = Math.ceil(from / blockLength);
      const afterBlock = Math.floor(to / blockLength);
      const head = best(values, from, firstBlock * blockLength, Number.NaN);
      const middle = best(blocks, firstBlock, afterBlock, head);
      show(row, step, best(values, afterBlock * blockLength, to, middle));
    }
  };
}

function bestOfBlocks(
  values: Float64Array,
  best: (values: Float64Array, from: number, to: number, given: number) => number,
): Float64Array {
  const blocks = new Float64Array(Math.floor(values.length / blockLength));
  for (let block = 0; block < blocks.length; block++)
    blocks[block] = best(values, block * blockLength, (block + 1) * blockLength, Number.NaN);
  return blocks;
}

function timeOf(beats: Beats): RangeFunction {
  return ({ times, values }, { first, after, count }, row) => {
    for (let step = 0; step < count; step++) {
      const from = first[step] as number;
      const to = after[step] as number;
      if (to <= from) continue;
      let best = from;
      for (let at = from; at < to; at++) {
        const found = values[best] as number;
        if (beats(values[at] as number, found) || Number.isNaN(found)) best = at;
      }
      show(row, step, (times[best] as number) / 1000);
    }
  };
}
