// Counts over a window: samples, changes, resets; and the first and last sample.
import type { RangeFunction, Samples } from './windows.ts';
import { show } from './windows.ts';

export const countOverTime: RangeFunction = (_, { first, after, count }, row) => {
  for (let step = 0; step < count; step++) {
    const samples = (after[step] as number) - (first[step] as number);
    if (samples > 0) show(row, step, samples);
  }
};

export const presentOverTime: RangeFunction = (_, { first, after, count }, row) => {
  for (let step = 0; step < count; step++) if ((after[step] as number) > (first[step] as number)) show(row, step, 1);
};

export const firstOverTime: RangeFunction = ({ values }, { first, after, count }, row) => {
  for (let step = 0; step < count; step++) {
    const at = first[step] as number;
    if ((after[step] as number) > at) show(row, step, values[at] as number);
  }
};

export const lastOverTime: RangeFunction = ({ values }, { first, after, count }, row) => {
  for (let step = 0; step < count; step++) {
    const at = (after[step] as number) - 1;
    if (at >= (first[step] as number)) show(row, step, values[at] as number);
  }
};

export const timeOfFirst: RangeFunction = (samples, windows, row, scalars) =>
  firstOverTime({ ...samples, values: secondsOf(samples) }, windows, row, scalars);

export const timeOfLast: RangeFunction = (samples, windows, row, scalars) =>
  lastOverTime({ ...samples, values: secondsOf(samples) }, windows, row, scalars);

function secondsOf({ times }: Samples): Float64Array {
  return times.map((ms) => ms / 1000);
}

// NaN after NaN is not a change.
const isChange = (value: number, previous: number): boolean =>
  value !== previous && !(Number.isNaN(value) && Number.isNaN(previous));

export const changes: RangeFunction = counted(isChange);
export const resets: RangeFunction = counted((value, previous) => value < previous);

// Counts adjacent samples that fulfil a condition with prefix sums: a window costs one subtraction.
function counted(holds: (value: number, previous: number) => boolean): RangeFunction {
  return ({ values }, { first, after, count }, row) => {
    const totals = new Int32Array(values.length);
    for (let at = 1; at < values.length; at++) {
      const isOne = holds(values[at] as number, values[at - 1] as number);
      totals[at] = (totals[at - 1] as number) + (isOne ? 1 : 0);
    }
    for (let step = 0; step < count; step++) {
      const from = first[step] as number;
      const to = (after[step] as number) - 1;
      if (to >= from) show(row, step, (totals[to] as number) - (totals[from] as number));
    }
  };
}
