// What metrics are made of: labels, samples and the matchers that choose among series. Knows nothing of how they are
// pushed, kept or asked for.

// Sorted by name, byte by byte; no name twice, no empty value. The metric's own name is the label __name__.
export type Labels = readonly (readonly [name: string, value: string])[];

export interface SeriesData {
  labels: Labels;
  times: Float64Array; // ms, ascending, none twice
  values: Float64Array;
  // Where an engine knows it, so that nobody has to look: how many of the values, from the first on, are numbers; and
  // how many of them are so with none less than the one before.
  numbersUpTo?: number;
  risingUpTo?: number;
}

export type MatchOp = '=' | '!=' | '=~' | '!~';

export interface Matcher {
  name: string;
  op: MatchOp;
  value: string; // with =~ and !~ a regular expression of RE2's syntax that must match the whole value
}

// What a metric says of itself, as the text format's # TYPE, # HELP and # UNIT do.
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

// Prometheus marks the end of a series by a NaN of its own. On the wire it is a signalling one (7ff0000000000002);
// arithmetic units make it quiet on the way, so in here it is the quiet twin from the beginning.
const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer); // little-endian: low word first
words.set([2, 0x7ff80000]);
export const stale: number = scratch[0] as number;

export function isStale(value: number): boolean {
  if (!Number.isNaN(value)) return false;
  scratch[0] = value;
  return words[0] === 2;
}
