// The metrics of a source: stored names with their pushed type and help, or the type that the name suggests. The series
// of a histogram are one metric with the name of its family.

export type MetricType =
  | 'counter'
  | 'gauge'
  | 'histogram'
  | 'gaugehistogram'
  | 'summary'
  | 'info'
  | 'stateset'
  | 'unknown';

export interface Metric {
  name: string; // for a histogram: the family, without _bucket
  type: MetricType;
  help: string;
}

export interface Description {
  type: MetricType;
  help: string;
  unit: string;
}

export type Descriptions = Readonly<Record<string, readonly Description[]>>;

export function metricsOf(names: readonly string[], descriptions: Descriptions): Metric[] {
  const all = new Set(names);
  const found = new Map<string, Metric>();
  for (const name of names) {
    const metric = metricOf(name, all, descriptions);
    if (!found.has(metric.name)) found.set(metric.name, metric);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function metricOf(name: string, all: ReadonlySet<string>, descriptions: Descriptions): Metric {
  const [, family = name, part = ''] = /^(.+)_(bucket|sum|count|total|created|info)$/.exec(name) ?? [];
  const own = (of: string): Description | undefined =>
    Object.hasOwn(descriptions, of) ? descriptions[of]?.[0] : undefined;
  const described = own(name);
  const ofFamily = own(family);
  const help = (described ?? ofFamily)?.help ?? '';
  const isBuckets = ofFamily?.type === 'histogram' || ofFamily?.type === 'gaugehistogram';
  if (part === 'bucket' && (isBuckets || (!described && all.has(`${family}_count`))))
    return { name: family, type: ofFamily?.type === 'gaugehistogram' ? 'gaugehistogram' : 'histogram', help };
  if (described && described.type !== 'unknown') return { name, type: described.type, help };
  const isPart = isBuckets || ofFamily?.type === 'summary' || all.has(`${family}_bucket`);
  if ((part === 'sum' || part === 'count') && isPart)
    return { name, type: ofFamily?.type === 'gaugehistogram' ? 'gauge' : 'counter', help };
  if (part === 'total') return { name, type: 'counter', help };
  if (part === 'created') return { name, type: 'gauge', help };
  if (part === 'info' && ofFamily?.type === 'info') return { name, type: 'info', help };
  return { name, type: 'unknown', help };
}

// Alert and recording rules and scrapes add series to those that clients push. The explorer starts with a pushed one.
export const firstExplored = (metrics: readonly Metric[]): Metric | undefined =>
  metrics.find(({ name }) => !/^(?:ALERTS|ALERTS_FOR_STATE|up)$|:/.test(name)) ?? metrics[0];

// All words must occur in the name or help. Names that begin with them come first.
export function searched(metrics: readonly Metric[], text: string, most: number): Metric[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ name, help }: Metric): number => {
    const [low, more] = [name.toLowerCase(), help.toLowerCase()];
    if (!words.every((word) => low.includes(word) || more.includes(word))) return -1;
    if (low.startsWith(words[0] ?? '')) return 0;
    return words.every((word) => low.includes(word)) ? 1 : 2;
  };
  return metrics
    .map((metric) => ({ metric, order: rank(metric) }))
    .filter(({ order }) => order >= 0)
    .sort((a, b) => a.order - b.order)
    .slice(0, most)
    .map(({ metric }) => metric);
}
