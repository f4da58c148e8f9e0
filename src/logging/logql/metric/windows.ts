// Collects the samples of one series for a range function, and computes the value of each step. Functions that count or
// add whole numbers keep sums per step; the others keep the samples.
import type { Pace } from '../pace.ts';
import type { RangeExpr, RangeOp } from '../syntax/tree.ts';
import { secondsOf } from '../syntax/units.ts';
import { rateOfCounter, reducers } from './reducers.ts';
import type { Grid, Row } from './rows.ts';

export interface Window {
  // `first` and `last` are the steps whose ranges contain the sample.
  add(atNs: number, value: number, first: number, last: number): void;
  fill(row: Row, pace: Pace): Promise<void> | void;
}

const counting: ReadonlySet<RangeOp> = new Set<RangeOp>([
  'count_over_time',
  'bytes_over_time',
  'bytes_rate',
  'absent_over_time',
]);

export function createWindow(expr: RangeExpr, grid: Grid, take: (count: number) => void): Window {
  const isCount = counting.has(expr.op) || (expr.op === 'rate' && !expr.unwrap);
  return isCount ? countingWindow(expr, grid, take) : samplesWindow(expr, grid, take);
}

// Differences between consecutive steps: a sample adds at the first step and subtracts after the last. The sums are
// exact, because they are of whole numbers.
function countingWindow({ op, rangeNs }: RangeExpr, { count }: Grid, take: (count: number) => void): Window {
  take(2 * count);
  const counts = new Float64Array(count + 1);
  const isBytes = op === 'bytes_over_time' || op === 'bytes_rate';
  const sums = isBytes ? new Float64Array(count + 1) : counts;
  const perSecond = op === 'rate' || op === 'bytes_rate' ? secondsOf(rangeNs) : 1;
  const plus = (numbers: Float64Array, at: number, value: number): void => {
    numbers[at] = (numbers[at] as number) + value;
  };
  return {
    add(_, value, first, last) {
      plus(counts, first, 1);
      plus(counts, last + 1, -1);
      if (!isBytes) return;
      plus(sums, first, value);
      plus(sums, last + 1, -value);
    },
    fill({ values, present }) {
      let lines = 0;
      let sum = 0;
      for (let step = 0; step < count; step++) {
        lines += counts[step] as number;
        sum += sums[step] as number;
        if (lines === 0) continue;
        present[step] = 1;
        values[step] = sum / perSecond;
      }
    },
  };
}

function samplesWindow(expr: RangeExpr, { count, stepNs }: Grid, take: (count: number) => void): Window {
  const times: number[] = [];
  const values: number[] = [];
  let isOrdered = true;
  take(2 * count);
  return {
    add(atNs, value) {
      take(4);
      if (times.length > 0 && atNs < (times.at(-1) as number)) isOrdered = false;
      times.push(atNs);
      values.push(value);
    },
    async fill(row, pace) {
      const order = isOrdered
        ? undefined
        : times.map((_, index) => index).sort((a, b) => (times[a] as number) - (times[b] as number));
      const at = order ? order.map((index) => times[index] as number) : times;
      const numbers = order ? order.map((index) => values[index] as number) : values;
      const reduce = reducerOf(expr);
      let [from, to, work] = [0, 0, 0];
      for (let step = 0; step < count; step++) {
        const endNs = step * stepNs;
        while (to < at.length && (at[to] as number) <= endNs) to++;
        while (from < to && (at[from] as number) <= endNs - expr.rangeNs) from++;
        if (from === to) continue;
        row.present[step] = 1;
        row.values[step] = reduce(numbers, at, from, to);
        work += to - from;
        if (work < workOfSlice) continue;
        work = 0;
        await pace.rest();
      }
    },
  };
}

const workOfSlice = 1_000_000; // samples that are reduced before other work runs

type Reduce = (values: readonly number[], times: readonly number[], from: number, to: number) => number;

function reducerOf({ op, parameter = 0, rangeNs }: RangeExpr): Reduce {
  const seconds = secondsOf(rangeNs);
  if (op === 'rate_counter')
    return (values, times, from, to) => rateOfCounter(values.slice(from, to), times.slice(from, to), rangeNs);
  if (op === 'rate') return (values, _, from, to) => reducers.sum(values, from, to, 0) / seconds;
  if (op === 'quantile_over_time') return (values, _, from, to) => reducers.quantile(values, from, to, parameter);
  const reduce = reducers[op.replace('_over_time', '') as keyof typeof reducers];
  return (values, _, from, to) => reduce(values, from, to, parameter);
}
