// Builds PromQL from the user's choice: a metric, filters on its labels and a label to split by. The type of the metric
// decides the query.
import { type Place, placeAt } from '../../components/marked-place.ts';
import type { Query } from '../../plot/plot.ts';
import type { Metric } from './metrics.ts';

export const operators = ['=', '!=', '=~', '!~'] as const;
export type Operator = (typeof operators)[number];

export interface Filter {
  label: string;
  operator: Operator;
  value: string;
}

export interface Choice {
  metric: Metric;
  filters: readonly Filter[];
  by: string; // a label; empty: none
}

const window = '5m';
const quantiles: readonly [value: string, name: string][] = [
  ['0.5', 'p50'],
  ['0.9', 'p90'],
  ['0.99', 'p99'],
];

export function queriesFor(choice: Choice): Query[] {
  const { type } = choice.metric;
  if (type === 'histogram' || type === 'gaugehistogram') return quantilesOf(choice, type === 'histogram');
  const by = choice.by === '' ? '' : ` by (${labelText(choice.by)}) `;
  const series = selectorOf(choice);
  if (type === 'counter') return [{ expression: `sum${by}(rate(${series}[${window}]))`, legend: '' }];
  return [{ expression: by === '' ? series : `avg${by}(${series})`, legend: '' }];
}

function quantilesOf(choice: Choice, isCounted: boolean): Query[] {
  const buckets = selectorOf({ ...choice, metric: { ...choice.metric, name: `${choice.metric.name}_bucket` } });
  const labels = ['le', ...(choice.by === '' ? [] : [labelText(choice.by)])].join(', ');
  const counts = isCounted ? `rate(${buckets}[${window}])` : buckets;
  return quantiles.map(([value, name]) => ({
    expression: `histogram_quantile(${value}, sum by (${labels}) (${counts}))`,
    legend: choice.by === '' ? name : `${name} {{${choice.by}}}`,
  }));
}

// Names with characters other than letters, digits and underscores are quoted; the metric's name then becomes a
// matcher.
export function selectorOf({ metric, filters }: Pick<Choice, 'metric' | 'filters'>): string {
  const isPlain = /^[A-Za-z_:][\w:]*$/.test(metric.name);
  const matchers = filters
    .filter(({ label }) => label !== '')
    .map(({ label, operator, value }) => `${labelText(label)}${operator}${quoted(value)}`);
  const inside = [...(isPlain ? [] : [quoted(metric.name)]), ...matchers].join(', ');
  return `${isPlain ? metric.name : ''}${inside === '' ? '' : `{${inside}}`}`;
}

const labelText = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));

const escapes: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const quoted = (text: string): string => `"${text.replace(/[\\"\n]/g, (sign) => escapes[sign] as string)}"`;

// The place of a syntax error in an expression, from the server's message: 1:5: parse error: unexpected …
export function placeOf(expression: string, message: string): Place | undefined {
  const found = /(?:^|\s)(\d+):(\d+): parse error/.exec(message);
  return found ? placeAt(expression, Number(found[1]), Number(found[2])) : undefined;
}

// Without the prefix that repeats the place.
export const plainProblem = (message: string): string =>
  message.replace(/^invalid parameter "query": /, '').replace(/^(?:\d+:\d+|unknown position): parse error: /, '');
