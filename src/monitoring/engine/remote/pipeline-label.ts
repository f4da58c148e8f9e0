// Whose a series is: the server knows no pipelines, so each series has a label with its pipeline's id, which nobody
// can send and nobody sees. What metrics say of themselves is kept as series too, under a label of its own, so that no
// question for samples meets it.
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

// A selector of PromQL that finds series of this pipeline only, whatever the matchers say.
export function selectorOf(tenant: string, matchers: readonly Matcher[]): string {
  const own = matchers.map(({ name, op, value }) => `${nameText(name)}${op}${JSON.stringify(value)}`);
  return `{${[`${pipelineLabel}=${JSON.stringify(tenant)}`, ...own].join(',')}}`;
}

const nameText = (name: string): string => (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) ? name : JSON.stringify(name));
