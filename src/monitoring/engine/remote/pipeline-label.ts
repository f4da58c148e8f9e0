// The server has no pipelines, so each series has a label with its pipeline's id, which clients can neither send nor
// see. Metric metadata is stored as series too, under another label, so that no query for samples finds it.
import type { Labels, Matcher } from '../../series.ts';

export const pipelineLabel = 'cumulet_pipeline';
export const describedLabel = 'cumulet_described';
export const describedName = 'cumulet_metric_description';

export const isOurs = (name: string): boolean => name === pipelineLabel || name === describedLabel;

export function withPipeline(labels: Labels, tenant: string): Labels {
  const added: [string, string] = [pipelineLabel, tenant];
  return [...labels, added].sort(([a], [b]) => (a < b ? -1 : 1));
}

export function labelsFrom(metric: Record<string, string>): Labels {
  const labels = Object.entries(metric).filter(([name]) => !isOurs(name));
  return labels.sort(([a], [b]) => (a < b ? -1 : 1));
}

// Returns a PromQL selector for series of this pipeline only, for any matchers.
export function selectorOf(tenant: string, matchers: readonly Matcher[]): string {
  const own = matchers.map(({ name, op, value }) => `${nameText(name)}${op}${JSON.stringify(value)}`);
  return `{${[`${pipelineLabel}=${JSON.stringify(tenant)}`, ...own].join(',')}}`;
}

const nameText = (name: string): string => (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) ? name : JSON.stringify(name));
