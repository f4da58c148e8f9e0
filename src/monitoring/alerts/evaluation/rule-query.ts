// The query of a rule, and its samples.
import type { Labels } from '../../series.ts';
import type { AlertMetrics, Answer, MetricOwner } from '../ports.ts';
import { sorted } from '../rules/rule-group.ts';
import { RuleError, type Sample } from './alert-state.ts';
import { HeavyRule } from './rule-pause.ts';

export async function querySamples(
  metrics: AlertMetrics,
  owner: MetricOwner,
  expr: string,
  timeMs: number,
): Promise<Sample[]> {
  const parameters = new URLSearchParams({ query: expr, time: (timeMs / 1000).toFixed(3) });
  return samplesIn(await metrics.query(owner, 'query', parameters));
}

interface Reply {
  status: string;
  error?: string;
  data?: { resultType: string; result: unknown };
}
type Point = [time: number, value: string];

function samplesIn({ status, body, isTooHeavy = false }: Answer): Sample[] {
  const reply = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')) as Reply;
  if (isTooHeavy) throw new HeavyRule(reply.error);
  if (status !== 200 || reply.status !== 'success' || !reply.data)
    throw new RuleError(reply.error ?? `the query was answered with ${status}`);
  const { resultType, result } = reply.data;
  if (resultType === 'scalar') return [{ labels: [], value: numberOf((result as Point)[1]) }];
  if (resultType !== 'vector') throw new RuleError('rule result is not a vector or scalar');
  return (result as { metric: Record<string, string>; value: Point }[]).map(({ metric, value }) => ({
    labels: labelsIn(metric),
    value: numberOf(value[1]),
  }));
}

const labelsIn = (metric: Record<string, string>): Labels => sorted(Object.entries(metric));

const endless: Record<string, number> = { '+Inf': Infinity, Inf: Infinity, '-Inf': -Infinity, NaN: Number.NaN };
const numberOf = (text: string): number => endless[text] ?? Number(text);
