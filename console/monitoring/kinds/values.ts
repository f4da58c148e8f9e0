// The values of a plot for panels that show numbers: the last value of each line, its colour and its share of the
// scale.
import type { Line, Plot } from '../../plot/plot.ts';
import type { Unit } from '../../plot/units.ts';
import { colourOf, type PanelSettings, type ThresholdColour } from '../plot/panel-settings.ts';

export type Scale = Pick<PanelSettings, 'min' | 'max' | 'decimals' | 'thresholds'>;

export interface LatestValue {
  name: string;
  full: string;
  value: number;
  colour: ThresholdColour | undefined;
  values: readonly (number | null)[]; // over time
  share: number; // 0 to 1, between the ends of the scale
}

const usualEnds: Partial<Record<Unit, readonly [number, number]>> = { percent: [0, 100], ratio: [0, 1] };

export function endsOf(values: readonly number[], unit: Unit, { min, max }: Scale): [least: number, most: number] {
  const [usualLeast = Math.min(0, ...values), usualMost = Math.max(0, ...values)] = usualEnds[unit] ?? [];
  const [least, most] = [min ?? usualLeast, max ?? usualMost];
  return most > least ? [least, most] : [least, least + 1];
}

export function latestValues({ lines }: Plot, unit: Unit, scale: Scale): LatestValue[] {
  const known = lines.filter((line): line is Line & { last: number } => line.last !== undefined);
  const [least, most] = endsOf(known.map(({ last }) => last).filter(Number.isFinite), unit, scale);
  return known.map(({ name, full, last, values }) => ({
    name,
    full,
    value: last,
    values,
    colour: colourOf(last, scale.thresholds),
    share: Math.min(1, Math.max(0, (last - least) / (most - least) || 0)),
  }));
}

export interface ValueTable {
  labels: readonly string[];
  columns: readonly string[]; // the names of the queries
  rows: readonly { cells: readonly string[]; values: readonly (number | undefined)[] }[];
}

// A row for each set of labels, and a column of values for each query.
export function tableOf({ lines }: Plot, names: readonly string[]): ValueTable {
  const labels = [...new Set(lines.flatMap((line) => Object.keys(line.labels ?? {})))].filter(
    (name) => name !== '__name__',
  );
  labels.sort();
  const rows = new Map<string, { cells: string[]; values: (number | undefined)[] }>();
  for (const line of lines) {
    const cells = labels.map((label) => line.labels?.[label] ?? '');
    const key = JSON.stringify(cells);
    const row = rows.get(key) ?? { cells, values: names.map(() => undefined) };
    row.values[line.query ?? 0] = line.last;
    rows.set(key, row);
  }
  return { labels, columns: names, rows: [...rows.values()] };
}

// The points of a small line in a box of 100 × 30, newest at the right.
export function sparkPoints(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const height = (value: number): number => (most > least ? 28 - (26 * (value - least)) / (most - least) : 15);
  return values
    .flatMap((value, at) =>
      value === null ? [] : [`${((100 * at) / Math.max(1, values.length - 1)).toFixed(1)},${height(value).toFixed(1)}`],
    )
    .join(' ');
}
