// The axes of a chart: local times at the bottom, values with units on the left.
import type uPlot from 'uplot';
import { axisTimes } from '../time/time-range.ts';
import { formatValue, type Unit } from './units.ts';

type Colours = (name: string) => string;

const font = '12px system-ui, sans-serif';
const letterPx = 6.6;

export function axesOf(unit: Unit, colourOf: Colours): uPlot.Axis[] {
  const shared = {
    font,
    stroke: colourOf('--quiet'),
    grid: { stroke: colourOf('--line'), width: 1 },
    ticks: { stroke: colourOf('--line'), width: 1, size: 5 },
  };
  return [
    { ...shared, space: 80, size: 34, values: (_chart, splits, _axis, _space, stepS) => axisTimes(splits, stepS) },
    {
      ...shared,
      space: 36,
      size: (_chart, values) => 14 + Math.ceil(letterPx * Math.max(4, ...(values ?? []).map((text) => text.length))),
      values: (_chart, splits) => splits.map((value) => formatValue(value, unit)),
      ...(unit.startsWith('byte') && { incrs: binarySteps }),
    },
  ];
}

const binarySteps = Array.from({ length: 64 }, (_, at) => 2 ** (at - 4));

// The value range covers values and thresholds, and starts at zero if that is near.
export const valueRange =
  (library: typeof uPlot, thresholds: () => readonly number[]) =>
  (_chart: uPlot, least: number | null, most: number | null): uPlot.Range.MinMax => {
    const limits = thresholds();
    const low = Math.min(least ?? Number.POSITIVE_INFINITY, ...limits);
    const high = Math.max(most ?? Number.NEGATIVE_INFINITY, ...limits);
    if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    if (low === high) return around(low);
    const side = { pad: 0.1, soft: 0, mode: 3 } as const;
    return library.rangeNum(low, high, { min: side, max: side });
  };

export const fromZero = (_chart: uPlot, _least: number | null, most: number | null): uPlot.Range.MinMax => [
  0,
  Math.max(1, (most ?? 0) * 1.1),
];

// A constant value is drawn in the middle; a constant zero on the axis.
function around(value: number): uPlot.Range.MinMax {
  if (value === 0) return [0, 1];
  return value > 0 ? [0, value * 2] : [value * 2, 0];
}

// A value without neighbours is drawn as a point, because it forms no line.
export function isolated(chart: uPlot, line: number, areShown: boolean): number[] | null {
  if (areShown) return null;
  const values = chart.data[line] as (number | null)[];
  const isThere = (at: number): boolean => values[at] !== null && values[at] !== undefined;
  return values.flatMap((_, at) => (isThere(at) && !isThere(at - 1) && !isThere(at + 1) ? [at] : []));
}
