// Converts responses to range queries into a plot: one time grid, and a line for each series with its name and its
// last, minimum, mean and maximum value.
import { type Span, timeText } from '../time/time-range.ts';
import { formatValue, type Unit } from './units.ts';

export interface Query {
  expression: string;
  legend: string; // {{label}} is replaced by its value; empty: the labels in which the series differ
}

export type Labels = Readonly<Record<string, string>>;

export interface SeriesAnswer {
  metric: Labels;
  values: [timeS: number, value: string][];
}

export interface Line {
  name: string; // distinguishes it from other lines
  full: string; // all of its labels
  labels?: Labels;
  query?: number; // the index of its query
  colour?: string; // a CSS variable; absent: by index
  values: (number | null)[]; // at each time of the grid
  last: number | undefined;
  lastS: number;
  least: number;
  most: number;
  mean: number;
}

export interface Plot {
  span: Span;
  times: number[];
  lines: Line[];
  isCut: boolean; // there are more series than lines
}

export const mostLines = 100;
export const colours = 10; // lines take them in turn

export interface Answered {
  query: Query;
  series: readonly SeriesAnswer[];
}

export function plotOf(span: Span, stepS: number, answers: readonly Answered[]): Plot {
  const count = Math.floor((span.toS - span.fromS) / stepS + 1e-6) + 1;
  const times = Array.from({ length: count }, (_, at) => span.fromS + at * stepS);
  const all = answers.flatMap((answered, query) =>
    named(answered).map((one) => ({ ...lineOf(one, times, stepS), query })),
  );
  return { span, times, lines: all.slice(0, mostLines), isCut: all.length > mostLines };
}

interface Named extends SeriesAnswer {
  name: string;
}

function lineOf({ metric, name, values }: Named, times: readonly number[], stepS: number): Line {
  const line: Line = {
    name,
    full: seriesText(metric) || name,
    labels: metric,
    values: new Array<number | null>(times.length).fill(null),
    last: undefined,
    lastS: 0,
    least: Number.POSITIVE_INFINITY,
    most: Number.NEGATIVE_INFINITY,
    mean: 0,
  };
  let [sum, count] = [0, 0];
  for (const [timeS, text] of values) {
    const value = numberOf(text);
    line.last = value;
    line.lastS = timeS;
    const at = Math.round((timeS - (times[0] ?? 0)) / stepS);
    if (!Number.isFinite(value) || at < 0 || at >= times.length) continue; // such values can't be drawn
    line.values[at] = value;
    line.least = Math.min(line.least, value);
    line.most = Math.max(line.most, value);
    sum += value;
    count += 1;
  }
  line.mean = sum / count;
  return line;
}

const endless: Record<string, number> = { '+Inf': Infinity, '-Inf': -Infinity, NaN: Number.NaN };
export const numberOf = (text: string): number => endless[text] ?? Number(text);

// The name is the legend's text, or else the labels in which the series of a response differ.
function named({ query, series }: Answered): Named[] {
  const keys = [...new Set(series.flatMap(({ metric }) => Object.keys(metric)))];
  const differing = keys.filter((key) => series.some(({ metric }) => metric[key] !== series[0]?.metric[key]));
  return series.map((one) => ({ ...one, name: nameOf(query, one.metric, differing) }));
}

function nameOf({ expression, legend }: Query, metric: Labels, differing: readonly string[]): string {
  if (legend !== '') return legend.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, label: string) => metric[label] ?? '');
  const shown = Object.fromEntries(differing.flatMap((key) => (key in metric ? [[key, metric[key]]] : []))) as Labels;
  return (differing.length > 0 ? seriesText(shown) : metric.__name__) || expression;
}

export function seriesText({ __name__: name = '', ...labels }: Labels): string {
  const inside = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${name}${inside.length > 0 ? `{${inside.join(', ')}}` : ''}`;
}

const maxRead = 5;

// The screen reader's text for the values at an index of the grid.
export function readOut({ times, lines }: Plot, at: number, unit: Unit): string {
  const said = lines.slice(0, maxRead).map(({ name, values }) => {
    const value = values[at] ?? undefined;
    return `${name}: ${value === undefined ? 'nothing' : formatValue(value, unit)}`;
  });
  return [timeText(times[at] ?? 0), ...said].join('; ');
}
