// Linear regression and double exponential smoothing over a window.
import { failing } from '../query-error.ts';
import { isEndless, lostBy } from './sums.ts';
import type { RangeFunction, Samples } from './windows.ts';
import { show } from './windows.ts';

export const deriv: RangeFunction = (samples, { first, after, count }, row) => {
  for (let step = 0; step < count; step++) {
    const from = first[step] as number;
    const to = after[step] as number;
    if (to - from < 2) continue;
    // Times are relative to the samples: large absolute times would cost precision.
    show(row, step, lineThrough(samples, from, to, samples.times[from] as number).slope);
  }
};

export const predictLinear: RangeFunction = (samples, windows, row, [seconds]) => {
  const { first, after, count, startMs, stepMs } = windows;
  for (let step = 0; step < count; step++) {
    const from = first[step] as number;
    const to = after[step] as number;
    if (to - from < 2) continue;
    const { slope, intercept } = lineThrough(samples, from, to, startMs + step * stepMs);
    show(row, step, slope * (seconds?.[step] as number) + intercept);
  }
};

// Least squares; the intercept is the value of the line at the given time.
function lineThrough(
  { times, values }: Samples,
  from: number,
  to: number,
  momentMs: number,
): { slope: number; intercept: number } {
  const count = to - from;
  const start = values[from] as number;
  let [x, y, xy, xx] = [0, 0, 0, 0];
  let [xLost, yLost, xyLost, xxLost] = [0, 0, 0, 0];
  let isConstant = true;
  for (let at = from; at < to; at++) {
    const value = values[at] as number;
    if (value !== start) isConstant = false;
    const time = ((times[at] as number) - momentMs) / 1000;
    xLost += lostBy(x, time, x + time);
    x += time;
    if (isEndless(y + value)) yLost = 0;
    else yLost += lostBy(y, value, y + value);
    y += value;
    const product = time * value;
    if (isEndless(xy + product)) xyLost = 0;
    else xyLost += lostBy(xy, product, xy + product);
    xy += product;
    xxLost += lostBy(xx, time * time, xx + time * time);
    xx += time * time;
  }
  if (isConstant && Number.isFinite(start)) return { slope: 0, intercept: start };
  if (isConstant) return { slope: Number.NaN, intercept: Number.NaN };
  x += xLost;
  y += yLost;
  const slope = (xy + xyLost - (x * y) / count) / (xx + xxLost - (x * x) / count);
  return { slope, intercept: y / count - (slope * x) / count };
}

export const doubleExponentialSmoothing: RangeFunction = ({ values }, { first, after, count }, row, [level, trend]) => {
  for (let step = 0; step < count; step++) {
    const from = first[step] as number;
    const to = after[step] as number;
    if (to <= from) continue;
    const smoothing = demandFactor('smoothing', level?.[step] as number);
    const following = demandFactor('trend', trend?.[step] as number);
    if (to - from < 2) continue;
    let before = 0;
    let smoothed = values[from] as number;
    let slope = (values[from + 1] as number) - smoothed;
    for (let at = from + 1; at < to; at++) {
      if (at > from + 1) slope = following * (smoothed - before) + (1 - following) * slope;
      before = smoothed;
      smoothed = smoothing * (values[at] as number) + (1 - smoothing) * (smoothed + slope);
    }
    show(row, step, smoothed);
  }
};

function demandFactor(name: string, value: number): number {
  if (value > 0 && value < 1) return value;
  const short = name === 'trend' ? 'tf' : 'sf';
  throw failing(`invalid ${name} factor. Expected: 0 < ${short} < 1, got: ${value.toFixed(6)}`);
}
