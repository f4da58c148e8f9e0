// Labels, samples and the matchers that select series. Independent of how they are pushed, stored or queried.

// Sorted by name, byte by byte; no name twice, no empty value. The metric's own name is the label __name__.
export type Labels = readonly (readonly [name: string, value: string])[];

export interface SeriesData {
  labels: Labels;
  times: Float64Array; // ms, ascending, none twice
  values: Float64Array;
  // If the engine knows it: how many values, from the first on, are numbers; and how many of these never decrease.
  numbersUpTo?: number;
  risingUpTo?: number;
}

export type MatchOp = '=' | '!=' | '=~' | '!~';

export interface Matcher {
  name: string;
  op: MatchOp;
  value: string; // with =~ and !~ a regular expression of RE2's syntax that must match the whole value
}

// Metadata of a metric, as in # TYPE, # HELP and # UNIT.
export interface Described {
  name: string; // of the family, as its sender calls it: without the _bucket, _sum and _count of its parts
  type: MetricType;
  help: string;
  unit: string;
}

export const metricTypes = [
  'counter',
  'gauge',
  'histogram',
  'summary',
  'gaugehistogram',
  'info',
  'stateset',
  'unknown',
] as const;
export type MetricType = (typeof metricTypes)[number];

// Prometheus marks the end of a series by a special NaN. On the wire it is a signalling one (7ff0000000000002);
// floating-point units make it quiet, so here it is the quiet form from the start.
const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer); // little-endian: low word first
words.set([2, 0x7ff80000]);
export const stale: number = scratch[0] as number;

export function isStale(value: number): boolean {
  if (!Number.isNaN(value)) return false;
  scratch[0] = value;
  return words[0] === 2;
}
