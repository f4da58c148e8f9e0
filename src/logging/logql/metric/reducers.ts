// Reduces the values in a range to one number, for range functions.

type Reducer = (values: readonly number[], from: number, to: number, parameter: number) => number;

const at = (values: readonly number[], index: number): number => values[index] as number;

const sum: Reducer = (values, from, to) => {
  let total = 0;
  for (let index = from; index < to; index++) total += at(values, index);
  return total;
};

// A running mean, which does not overflow; infinities of one sign stay infinite.
const avg: Reducer = (values, from, to) => {
  let mean = 0;
  for (let index = from, count = 1; index < to; index++, count++) {
    const value = at(values, index);
    if (Math.abs(mean) === Infinity && (value === mean || Number.isFinite(value))) continue;
    mean += value / count - mean / count;
  }
  return mean;
};

const max: Reducer = (values, from, to) => {
  let most = at(values, from);
  for (let index = from; index < to; index++)
    if (at(values, index) > most || Number.isNaN(most)) most = at(values, index);
  return most;
};

const min: Reducer = (values, from, to) => {
  let least = at(values, from);
  for (let index = from; index < to; index++)
    if (at(values, index) < least || Number.isNaN(least)) least = at(values, index);
  return least;
};

// Welford's algorithm.
const stdvar: Reducer = (values, from, to) => {
  let [mean, squares, count] = [0, 0, 0];
  for (let index = from; index < to; index++) {
    count++;
    const delta = at(values, index) - mean;
    mean += delta / count;
    squares += delta * (at(values, index) - mean);
  }
  return squares / count;
};

const quantile: Reducer = (values, from, to, q) => {
  if (q < 0) return -Infinity;
  if (q > 1) return Infinity;
  const sorted = values.slice(from, to).sort((a, b) => (Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b));
  const rank = q * (sorted.length - 1);
  const lower = Math.max(0, Math.floor(rank));
  const upper = Math.min(sorted.length - 1, lower + 1);
  const weight = rank - Math.floor(rank);
  return at(sorted, lower) * (1 - weight) + at(sorted, upper) * weight;
};

export const reducers = {
  sum,
  avg,
  max,
  min,
  stdvar,
  stddev: ((values, from, to, q) => Math.sqrt(stdvar(values, from, to, q))) as Reducer,
  quantile,
  first: ((values, from) => at(values, from)) as Reducer,
  last: ((values, _, to) => at(values, to - 1)) as Reducer,
};

// Values of a counter, which restarts at zero when it falls. Loki extrapolates as Prometheus does, but interprets its
// nanosecond times as milliseconds: the gap before the first sample is practically zero.
export function rateOfCounter(values: readonly number[], timesNs: readonly number[], rangeNs: number): number {
  if (values.length < 2) return 0;
  const [first, last] = [at(values, 0), at(values, values.length - 1)];
  let result = last - first;
  let before = 0;
  for (const value of values) {
    if (value < before) result += before;
    before = value;
  }
  const sampled = (at(timesNs, timesNs.length - 1) - at(timesNs, 0)) / 1000;
  const between = sampled / (values.length - 1);
  let toStart = Math.trunc(rangeNs / 1e6) / 1000;
  if (result > 0 && first >= 0) toStart = Math.min(toStart, sampled * (first / result));
  const extended = sampled + (toStart < between * 1.1 ? toStart : between / 2);
  return (result * (extended / sampled)) / (Math.trunc(rangeNs / 1e9) + (rangeNs % 1e9) / 1e9);
}
