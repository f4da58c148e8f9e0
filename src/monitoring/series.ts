// Labels, samples and the matchers that select series. Independent of how they are pushed, stored or queried.
export { isStale, stale } from '../core/push/stale-marker.ts';

// Sorted by name, byte by byte; no name twice, no empty value. The metric's own name is the label __name__.
export type Labels = readonly (readonly [name: string, value: string])[];

export interface SeriesData {
  labels: Labels;
  times: Float64Array; // ms, ascending, none twice
  values: Float64Array;
  // If the engine knows it: how many values from the first on are numbers, and how many of these never decrease.
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
  name: string; // of the metric family: without _bucket, _sum and _count
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
