// The words of the queries of queries.ts, and their valid combinations.
import type { Chance } from '../../../src/testing/seed.ts';
import type { Family } from './data.ts';

export interface OverTime {
  call: string; // @ is the range, # a share of one
  kinds?: Family['kind'][]; // for which it is meaningful; absent: for all
  newest?: true; // not in Debian's Prometheus
  floating?: true; // depends on the evaluation time, which Debian's version takes wrongly if the range has an @
}

export const overTime: readonly OverTime[] = [
  { call: 'rate(@)', kinds: ['counter', 'histogram'] },
  { call: 'rate(@)', kinds: ['counter', 'histogram'] },
  { call: 'increase(@)', kinds: ['counter', 'histogram'] },
  { call: 'irate(@)', kinds: ['counter', 'histogram'] },
  { call: 'delta(@)', kinds: ['gauge'] },
  { call: 'idelta(@)', kinds: ['gauge'] },
  { call: 'deriv(@)', kinds: ['gauge'] },
  { call: 'predict_linear(@, 600)', kinds: ['gauge'], floating: true },
  { call: 'double_exponential_smoothing(@, 0.3, 0.6)', kinds: ['gauge'], newest: true },
  { call: 'mad_over_time(@)', kinds: ['gauge', 'counter'], newest: true },
  { call: 'avg_over_time(@)', kinds: ['gauge', 'counter'] },
  { call: 'stddev_over_time(@)', kinds: ['gauge'] },
  { call: 'stdvar_over_time(@)', kinds: ['gauge'] },
  { call: 'sum_over_time(@)' },
  { call: 'min_over_time(@)' },
  { call: 'max_over_time(@)' },
  { call: 'count_over_time(@)' },
  { call: 'last_over_time(@)' },
  { call: 'present_over_time(@)' },
  { call: 'changes(@)' },
  { call: 'resets(@)' },
  { call: 'quantile_over_time(#, @)' },
  { call: 'absent_over_time(@)' },
];

export const instantFunctions: readonly string[] = [
  'abs',
  'ceil',
  'floor',
  'sgn',
  'sqrt',
  'exp',
  'ln',
  'log2',
  'log10',
  'deg',
  'rad',
];

export const dates: readonly string[] = [
  'day_of_month',
  'day_of_week',
  'day_of_year',
  'days_in_month',
  'hour',
  'minute',
  'month',
  'year',
];

export const trigonometry: readonly string[] = [
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'asinh',
  'acosh',
  'atanh',
];

export interface Join {
  left: string;
  right: string;
  matching: string;
  newest?: true; // refused by Debian's version only where the comparison holds
}

const pair = (left: string, matching: string, right: string): Join => ({ left, matching, right });

export const joins: readonly Join[] = [
  pair('load', '', 'limit_bytes'),
  pair('load', 'on (job, instance)', 'errors_total'),
  pair('limit_bytes', 'ignoring (none)', 'load'),
  pair('requests_total', 'ignoring (code) group_left', 'errors_total'),
  pair('requests_total', 'on (job, instance) group_left ()', 'load'),
  pair('memory_bytes', 'on (job, instance) group_left', 'limit_bytes'),
  pair('odd', 'on (job) group_right', 'load'),
  pair('restarts_total', 'on (job) group_right ()', 'spotty'),
  pair('spotty', 'on (job) group_left', 'odd'),
  pair('restarts_total', '', 'odd'),
  pair('requests_total', '', 'requests_total'),
  { ...pair('errors_total', 'on (job)', 'load'), newest: true }, // several on both sides: refused
];

const patterns: Record<string, readonly string[]> = {
  job: ['=~"a.*"', '=~"api|web"', '!~"b.+"', '="batch"', '!="web"', '=~".*"', '=~"(?i)API"', '=~"[aw].."'],
  instance: ['=~"a.*|b.*"', '="c:9100"', '!~"[ab]:.*"', '=~".+:9100"', '!=""'],
  code: ['=~"2..|4.."', '!="500"', '!~"5\\\\d\\\\d"', '=""', '="404"'],
  kind: ['="heap"', '!="heap"', '=~"heap|stack"'],
  zone: ['="east"', '!~"w.*"'],
  le: ['!="+Inf"', '=~"1|2.5"'],
  missing: ['=""', '=~".*"', '!=""'],
};

export function matchersOf(family: Family, { one, often }: Chance): string {
  const names = [...Object.keys(family.labels), 'missing'].filter((name) => often(name === 'missing' ? 4 : 30));
  return names.map((name) => `${name}${one(patterns[name] ?? [])}`).join(',');
}
