// Anchored and smoothed ranges: their values at the edges are those of the last sample before (anchored) or
// interpolated between the samples around the edge (smoothed).
import { between, positionOf } from '../select.ts';
import { changes, resets } from './counts.ts';
import type { RangeFunction, Samples, Windows } from './windows.ts';
import { show } from './windows.ts';

export const anchoredFunctions: Readonly<Record<string, RangeFunction>> = {
  changes: anchoredCount(changes),
  delta: edgeToEdge(false, false, false),
  increase: edgeToEdge(false, true, false),
  rate: edgeToEdge(false, true, true),
  resets: anchoredCount(resets),
};

export const smoothedFunctions: Readonly<Record<string, RangeFunction>> = {
  delta: edgeToEdge(true, false, false),
  increase: edgeToEdge(true, true, false),
  rate: edgeToEdge(true, true, true),
};

// The window includes the last sample before its start.
function anchoredCount(count: RangeFunction): RangeFunction {
  return (samples, windows, row, scalars) => {
    const first = windows.first.slice();
    for (let step = 0; step < windows.count; step++) {
      const startMs = windows.endMs + step * windows.strideMs - windows.rangeMs;
      const before = (first[step] as number) - 1;
      const isEmpty = (first[step] as number) >= (windows.after[step] as number);
      if (isEmpty || before < 0 || (samples.times[before] as number) <= startMs - windows.lookbackMs) continue;
      first[step] = before;
    }
    count(samples, { ...windows, first }, row, scalars);
  };
}

function edgeToEdge(isSmoothed: boolean, isCounter: boolean, isPerSecond: boolean): RangeFunction {
  return (samples, windows, row) => {
    const { times, values } = samples;
    for (let step = 0; step < windows.count; step++) {
      const endMs = windows.endMs + step * windows.strideMs;
      const startMs = endMs - windows.rangeMs;
      const edges = edgesOf(samples, windows, startMs, endMs, isSmoothed);
      if (!edges) continue;
      let [from, to] = edges;
      const cutsLeft = isSmoothed && (times[from] as number) < startMs;
      const left = cutsLeft ? between(times, values, from, startMs, isCounter) : (values[from] as number);
      const cutsRight = isSmoothed && to > edges[2] && (times[to] as number) > endMs;
      const right = cutsRight ? between(times, values, to - 1, endMs, isCounter) : (values[to] as number);
      let result = right - left;
      if (isCounter) {
        if ((times[from] as number) <= startMs) from++;
        if ((times[to] as number) >= endMs) to--;
        result += fallsBetween(values, from, to, left, right);
      }
      show(row, step, isPerSecond ? result / (windows.rangeMs / 1000) : result);
    }
  };
}

// The first and last sample of the result, and the first one that may be read.
function edgesOf(
  { times }: Samples,
  { lookbackMs }: Windows,
  startMs: number,
  endMs: number,
  isSmoothed: boolean,
): [from: number, to: number, first: number] | undefined {
  const first = positionOf(times, startMs - lookbackMs);
  const after = positionOf(times, isSmoothed ? endMs + lookbackMs : endMs);
  if (after <= first) return undefined;
  let to = after - 1;
  const from = Math.max(first, Math.min(positionOf(times, startMs), to) - 1);
  if (isSmoothed) to = Math.min(to, Math.max(first, positionOf(times, endMs - 1)));
  if ((times[to] as number) <= startMs) return undefined;
  if (isSmoothed && (times[from] as number) > endMs) return undefined;
  return [from, to, first];
}

// The correction for counter resets within the range.
function fallsBetween(values: Float64Array, from: number, to: number, left: number, right: number): number {
  let lost = 0;
  let previous = left;
  for (let at = from; at <= to; at++) {
    const value = values[at] as number;
    if (value < previous) lost += previous;
    previous = value;
  }
  return right < previous ? lost + previous : lost;
}

// The samples of such a range, with an additional one at each edge.
export function extendedSamples(
  samples: Samples,
  windows: Windows,
  isSmoothed: boolean,
): { times: Float64Array; values: Float64Array } {
  const { times, values } = samples;
  const endMs = windows.endMs;
  const startMs = endMs - windows.rangeMs;
  const edges = edgesOf(samples, windows, startMs, endMs, isSmoothed);
  if (!edges) return { times: new Float64Array(0), values: new Float64Array(0) };
  let [from, to] = edges;
  const cutsLeft = isSmoothed && (times[from] as number) < startMs;
  const left = cutsLeft ? between(times, values, from, startMs, false) : (values[from] as number);
  const cutsRight = isSmoothed && to > edges[2] && (times[to] as number) > endMs;
  const right = cutsRight ? between(times, values, to - 1, endMs, false) : (values[to] as number);
  if ((times[from] as number) <= startMs) from++;
  if ((times[to] as number) >= endMs) to--;
  return {
    times: Float64Array.from([startMs, ...times.subarray(from, to + 1), endMs]),
    values: Float64Array.from([left, ...values.subarray(from, to + 1), right]),
  };
}
