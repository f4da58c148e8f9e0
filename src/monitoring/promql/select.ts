// Instant selectors: at each step the last sample, unless it is too old or a stale marker.
import { isStale, type SeriesData } from '../series.ts';
import type { SelectorPlan } from './plan.ts';
import type { Row } from './rows.ts';
import type { Scope } from './scope.ts';

// The number of times at or before each step. Samples usually have regular intervals, so the next position is guessed
// from the last stride and corrected if necessary.
export function positions(times: Float64Array, fromMs: number, stepMs: number, into: Int32Array): void {
  const { length } = times;
  let at = positionOf(times, fromMs);
  let stride = 0;
  into[0] = at;
  for (let step = 1; step < into.length; step++) {
    const moment = fromMs + step * stepMs;
    let next = Math.min(at + stride, length);
    if (next > at && (times[next - 1] as number) > moment) next = at;
    while (next < length && (times[next] as number) <= moment) next++;
    stride = next - at;
    at = next;
    into[step] = at;
  }
}

export function positionOf(times: Float64Array, moment: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

// With `shown` = time, the results are the times of the samples in seconds.
export function selectRows(plan: SelectorPlan, scope: Scope, shown: 'value' | 'time' = 'value'): Row[] {
  const { count, stepMs, startMs } = scope.grid;
  const { atMs, offsetMs, load } = plan;
  const fromMs = (atMs ?? startMs) - offsetMs;
  const strideMs = atMs === undefined ? stepMs : 0;
  const found = new Int32Array(count);
  let foundOf: Float64Array | undefined; // series that are scraped together share one array of times
  const rows: Row[] = [];
  scope.take(load.series.length * count);
  for (const series of load.series) {
    const row = scope.row(series.labels);
    if (series.times !== foundOf) positions(series.times, fromMs, strideMs, found);
    foundOf = plan.extension === 'smoothed' ? undefined : series.times;
    const isThere =
      plan.extension === 'smoothed'
        ? smooth(series, found, fromMs, strideMs, scope.lookbackMs, row)
        : pick(series, found, fromMs, strideMs, scope.lookbackMs, row);
    if (!isThere) continue;
    if (shown === 'time') showTimes(series, found, row);
    rows.push(row);
  }
  return rows;
}

function pick(
  { times, values }: SeriesData,
  found: Int32Array,
  fromMs: number,
  strideMs: number,
  lookbackMs: number,
  row: Row,
): boolean {
  let isThere = false;
  for (let step = 0; step < found.length; step++) {
    const at = (found[step] as number) - 1;
    if (at < 0 || (times[at] as number) <= fromMs + step * strideMs - lookbackMs) continue;
    const value = values[at] as number;
    // biome-ignore lint/suspicious/noSelfCompare: the fastest test for NaN
    if (value !== value && isStale(value)) continue;
    row.values[step] = value;
    row.present[step] = 1;
    isThere = true;
  }
  return isThere;
}

function showTimes({ times }: SeriesData, found: Int32Array, row: Row): void {
  for (let step = 0; step < found.length; step++)
    if (row.present[step]) row.values[step] = (times[(found[step] as number) - 1] as number) / 1000;
}

// Smoothed: interpolates between two samples.
function smooth(
  given: SeriesData,
  found: Int32Array,
  fromMs: number,
  strideMs: number,
  lookbackMs: number,
  row: Row,
): boolean {
  const { times, values } = withoutEnds(given);
  if (times !== given.times) positions(times, fromMs, strideMs, found);
  let isThere = false;
  for (let step = 0; step < found.length; step++) {
    const moment = fromMs + step * strideMs;
    const before = (found[step] as number) - 1;
    if (before < 0 || (times[before] as number) <= moment - lookbackMs) continue;
    const after = before + 1;
    const hasNext = (times[after] ?? Number.POSITIVE_INFINITY) <= moment + lookbackMs;
    const isExact = times[before] === moment || !hasNext;
    row.values[step] = isExact ? (values[before] as number) : between(times, values, before, moment, false);
    row.present[step] = 1;
    isThere = true;
  }
  return isThere;
}

// The value at a time between two samples. A counter that decreased was reset to zero between them.
export function between(
  times: Float64Array,
  values: Float64Array,
  at: number,
  moment: number,
  isCounter: boolean,
): number {
  const to = values[at + 1] as number;
  const given = values[at] as number;
  const from = isCounter && to < given ? 0 : given;
  const startMs = times[at] as number;
  return from + ((to - from) * (moment - startMs)) / ((times[at + 1] as number) - startMs);
}

// The samples without stale markers, which ranges ignore.
export function withoutEnds(series: SeriesData): SeriesData {
  const { labels, times, values } = series;
  let ends = 0;
  for (let at = series.numbersUpTo ?? 0; at < values.length; at++) {
    const value = values[at] as number;
    // biome-ignore lint/suspicious/noSelfCompare: the fastest test for NaN
    if (value !== value && isStale(value)) ends++;
  }
  if (ends === 0) return series;
  const keptTimes = new Float64Array(times.length - ends);
  const keptValues = new Float64Array(times.length - ends);
  let kept = 0;
  for (let at = 0; at < values.length; at++) {
    if (isStale(values[at] as number)) continue;
    keptTimes[kept] = times[at] as number;
    keptValues[kept++] = values[at] as number;
  }
  return { labels, times: keptTimes, values: keptValues };
}
