// Translates OpenTelemetry metrics like the OTLP receiver of Prometheus: the service becomes job and instance, other
// resource attributes become labels of target_info, histograms become cumulative buckets. Scopes are dropped. Both
// encodings of OTLP use it. A bucket of a few bytes becomes a series with all labels of its point, so the total size of
// labels is bounded.
import type { Json } from '../../../base/json.ts';
import type { Attributes } from '../../../core/push/otlp/attributes.ts';
import { UnreadablePush } from '../../../core/push/push-body.ts';
import { short } from '../../../core/push/text.ts';
import { type MetricType, stale } from '../../series.ts';
import { labelsOf, mostLabels, type Pairs, sortPairs } from '../labels.ts';
import type { Sink } from '../sink.ts';
import { mostFamilies } from '../text/metadata.ts';
import { labelName, metricName, type Suffix, unitName } from './names.ts';

export interface Metric {
  name: string;
  unit: string;
  help: string;
  kind: Kind;
  temporality: number;
  monotonic: boolean;
}

export type Kind = 'gauge' | 'sum' | 'histogram' | 'exponential histogram' | 'summary';
export const delta = 1;
export const cumulative = 2;

export interface Point {
  attributes: Attributes;
  timeMs: number; // 0: not set
  absent: boolean; // the series ends here
}

export interface NumberPoint extends Point {
  value: number | undefined;
}

export interface HistogramPoint extends Point {
  count: number;
  sum: number | undefined;
  counts: number[]; // not cumulative
  bounds: number[];
}

export interface SummaryPoint extends Point {
  count: number;
  sum: number;
  quantiles: [quantile: number, value: number][];
}

interface PointLabels {
  pairs: Pairs; // sorted
  size: number; // estimated bytes of each of its series
}

const identifying = ['service.name', 'service.namespace', 'service.instance.id'];

export class Translation {
  readonly #sink: Sink;
  readonly #receivedMs: number;
  readonly #described = new Set<string>();
  #resource: Attributes = [];
  #identity: Pairs = [];
  #newestMs = 0;
  #name = '';
  #left: number;

  constructor(sink: Sink, receivedMs: number, mostLabelBytes: number) {
    this.#sink = sink;
    this.#receivedMs = receivedMs;
    this.#left = mostLabelBytes;
  }

  // Everything until the next call belongs to this resource.
  resource(attributes: Attributes): void {
    this.#resource = attributes;
    this.#identity = identityOf(attributes);
    this.#newestMs = Number.NEGATIVE_INFINITY;
  }

  // Without job and instance the series could not be joined, and without other attributes it would be useless.
  endOfResource(): void {
    const rest = this.#resource.filter(([key]) => !identifying.includes(key));
    if (rest.length === 0 || this.#identity.length === 0 || this.#newestMs === Number.NEGATIVE_INFINITY) return;
    this.#name = 'target_info';
    this.#describe({ name: 'target_info', type: 'gauge', help: 'Target metadata', unit: '' });
    this.#sample(this.#labels(rest), '', [], this.#newestMs, 1);
  }

  // Returns false if its points are rejected and counted.
  metric(metric: Metric, points: number): boolean {
    const why = refusal(metric);
    if (why !== undefined) {
      if (points > 0) this.#sink.reject(points, why);
      return false;
    }
    this.#name = metricName(metric.name, metric.unit, suffixOf(metric));
    if (points > 0)
      this.#describe({ name: this.#name, type: typeOf(metric), help: metric.help, unit: unitName(metric.unit) });
    return true;
  }

  number({ attributes, value, ...point }: NumberPoint): void {
    if (value === undefined && !point.absent) this.#sink.reject(1, `a point of ${short(this.#name)} has no value`);
    else this.#sample(this.#labels(attributes), '', [], this.#time(point), point.absent ? stale : (value ?? 0));
  }

  histogram({ attributes, count, sum, counts, bounds, ...point }: HistogramPoint): void {
    const labels = this.#labels(attributes);
    const timeMs = this.#time(point);
    const valueOrStale = (value: number): number => (point.absent ? stale : value);
    let below = 0;
    for (let at = 0; at < bounds.length && at < counts.length; at++) {
      below += counts[at] as number;
      this.#sample(labels, '_bucket', [['le', decimal(bounds[at] as number)]], timeMs, valueOrStale(below));
    }
    this.#sample(labels, '_bucket', [['le', '+Inf']], timeMs, valueOrStale(count));
    if (sum !== undefined) this.#sample(labels, '_sum', [], timeMs, valueOrStale(sum));
    this.#sample(labels, '_count', [], timeMs, valueOrStale(count));
  }

  summary({ attributes, count, sum, quantiles, ...point }: SummaryPoint): void {
    const labels = this.#labels(attributes);
    const timeMs = this.#time(point);
    const valueOrStale = (value: number): number => (point.absent ? stale : value);
    for (const [quantile, value] of quantiles)
      this.#sample(labels, '', [['quantile', decimal(quantile)]], timeMs, valueOrStale(value));
    this.#sample(labels, '_sum', [], timeMs, valueOrStale(sum));
    this.#sample(labels, '_count', [], timeMs, valueOrStale(count));
  }

  #time({ timeMs }: Pick<Point, 'timeMs'>): number {
    const known = timeMs === 0 ? this.#receivedMs : timeMs;
    this.#newestMs = Math.max(this.#newestMs, known);
    return known;
  }

  // Attributes with equal translated names share a label, in the order of their original names.
  #labels(attributes: Attributes): PointLabels {
    const labels = new Map<string, string>();
    const sorted = attributes.length < 2 ? attributes : attributes.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    for (const [key, value] of sorted) {
      const name = labelName(key);
      const before = labels.get(name);
      labels.set(name, before === undefined ? textOf(value) : `${before};${textOf(value)}`);
      if (labels.size > mostLabels) break;
    }
    for (const [name, value] of this.#identity) labels.set(name, value);
    const pairs = sortPairs([...labels]);
    return { pairs, size: pairs.reduce((size, [name, value]) => size + name.length + value.length + 16, 64) };
  }

  #sample({ pairs, size }: PointLabels, suffix: string, extra: Pairs, timeMs: number, value: number): void {
    this.#left -= size + this.#name.length;
    if (this.#left < 0) throw new UnreadablePush('the labels of all series together are too large', true);
    const own: Pairs = [['__name__', this.#name + suffix], ...extra];
    const checked = labelsOf(own.concat(pairs.filter(([name]) => own.every(([taken]) => taken !== name))));
    if (typeof checked === 'string') this.#sink.reject(1, checked);
    else this.#sink.sample(this.#sink.register(checked), timeMs, value);
  }

  #describe(described: { name: string; type: MetricType; help: string; unit: string }): void {
    if (this.#described.has(described.name) || this.#described.size >= mostFamilies) return;
    this.#described.add(described.name);
    this.#sink.describe(described);
  }
}

function identityOf(attributes: Attributes): Pairs {
  const values = new Map(attributes.filter(([key]) => identifying.includes(key)));
  const [service, namespace, instance] = identifying.map((key) => textOf(values.get(key) ?? '')) as [
    string,
    string,
    string,
  ];
  const pairs: Pairs = [];
  if (service !== '') pairs.push(['job', namespace === '' ? service : `${namespace}/${service}`]);
  if (instance !== '') pairs.push(['instance', instance]);
  return pairs;
}

function refusal({ name, kind, temporality, unit }: Metric): string | undefined {
  const metric = `the metric ${short(name)}`;
  if (kind === 'exponential histogram') return `${metric} is an exponential histogram: send explicit buckets`;
  if (kind !== 'gauge' && kind !== 'summary' && temporality !== cumulative) {
    const temporalityName = temporality === delta ? 'delta' : 'no';
    return `${metric} has ${temporalityName} temporality: set the exporter to cumulative`;
  }
  return metricName(name, unit, undefined) === '' ? `${metric} has no valid name` : undefined;
}

function suffixOf({ kind, monotonic, unit }: Metric): Suffix {
  if (kind === 'sum' && monotonic) return 'total';
  return unit === '1' && kind === 'gauge' ? 'ratio' : undefined;
}

function typeOf({ kind, monotonic }: Metric): MetricType {
  if (kind === 'sum') return monotonic ? 'counter' : 'gauge';
  return kind === 'exponential histogram' ? 'histogram' : kind;
}

const textOf = (value: Json): string =>
  typeof value === 'string'
    ? value
    : value === null
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);

// Without an exponent, like the labels of buckets.
export function decimal(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  const text = String(value);
  const parts = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!parts) return text;
  const [, sign = '', first = '', rest = '', exponent = ''] = parts;
  const shift = Number(exponent);
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${first}${rest}`;
  return sign + first + rest.padEnd(shift, '0');
}
