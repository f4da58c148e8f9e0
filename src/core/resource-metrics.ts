// The metrics of a contract's resources, measured by products every minute. Each product has a source; platform.ts
// connects the sources to the product that stores metrics.

export interface ResourceMetric {
  name: string; // as a metric is called
  labels: Readonly<Record<string, string>>;
  values: readonly (number | undefined)[]; // of each requested minute; undefined: no value
}

// `ends`: when the minutes end, in ms.
export type MetricSource = (contract: number, region: string, ends: readonly number[]) => AsyncIterable<ResourceMetric>;

export const minuteMs = 60_000;
