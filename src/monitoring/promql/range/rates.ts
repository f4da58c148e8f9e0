// rate, increase and delta over a window, extrapolated to its edges; irate and idelta over the last two samples.
import type { RangeFunction, Samples } from './windows.ts';
import { show } from './windows.ts';

export const rate: RangeFunction = extrapolated(true, true);
export const increase: RangeFunction = extrapolated(true, false);
export const delta: RangeFunction = extrapolated(false, false);
export const irate: RangeFunction = lastTwo(true);
export const idelta: RangeFunction = lastTwo(false);

// The positions of counter resets: samples that are less than the previous one.
export function resetsOf({ values, risingUpTo = 0 }: Samples): number[] {
  const resets: number[] = [];
  const from = Math.max(1, risingUpTo);
  let previous = values[from - 1] as number;
  for (let at = from; at < values.length; at++) {
    const value = values[at] as number;
    if (value < previous) resets.push(at);
    previous = value;
  }
  return resets;
}

function extrapolated(isCounter: boolean, isPerSecond: boolean): RangeFunction {
  return (samples, windows, row) => {
    const { times, values } = samples;
    const { first, after, count, endMs, strideMs, rangeMs } = windows;
    const resets = isCounter ? resetsOf(samples) : [];
    let reset = 0; // the first reset that can be in the window
    for (let step = 0; step < count; step++) {
      const from = first[step] as number;
      const to = (after[step] as number) - 1;
      if (to <= from) continue;
      const start = values[from] as number;
      let result = (values[to] as number) - start;
      while (reset < resets.length && (resets[reset] as number) <= from) reset++;
      for (let at = reset; at < resets.length && (resets[at] as number) <= to; at++)
        result += values[(resets[at] as number) - 1] as number;

      const windowEndMs = endMs + step * strideMs;
      const fromMs = times[from] as number;
      const toMs = times[to] as number;
      const sampled = (toMs - fromMs) / 1000;
      const interval = sampled / (to - from);
      const threshold = interval * 1.1;
      let toStart = (fromMs - (windowEndMs - rangeMs)) / 1000;
      let toEnd = (windowEndMs - toMs) / 1000;
      // If a sample is far from the edge, the series is assumed to start or end half an interval beyond it.
      if (toStart >= threshold) toStart = interval / 2;
      // A counter is never extrapolated below zero.
      if (isCounter && result > 0 && start >= 0) toStart = Math.min(toStart, sampled * (start / result));
      if (toEnd >= threshold) toEnd = interval / 2;
      let factor = (sampled + toStart + toEnd) / sampled;
      if (isPerSecond) factor /= rangeMs / 1000;
      row.values[step] = result * factor;
      row.present[step] = 1;
    }
  };
}

function lastTwo(isRate: boolean): RangeFunction {
  return ({ times, values }, { first, after, count }, row) => {
    for (let step = 0; step < count; step++) {
      const to = (after[step] as number) - 1;
      if (to - 1 < (first[step] as number)) continue;
      const last = values[to] as number;
      const previous = values[to - 1] as number;
      const isReset = isRate && last < previous;
      const change = isReset ? last : last - previous;
      const seconds = ((times[to] as number) - (times[to - 1] as number)) / 1000;
      show(row, step, isRate ? change / seconds : change);
    }
  };
}
