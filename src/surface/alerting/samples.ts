// The samples in the answer to an instant query: Prometheus and Loki give it the same form.
import { type FoundSample, RuleError } from './source.ts';

type Point = [time: number, value: string];
type Found = { metric: Record<string, string>; value: Point }[];
interface Reply {
  status?: string;
  data?: { resultType: string; result: unknown };
}

export function samplesIn(text: string): FoundSample[] {
  const { status, data } = JSON.parse(text) as Reply;
  if (status !== 'success' || !data) throw new RuleError('the query was not answered with a result');
  const { resultType, result } = data;
  if (resultType === 'scalar') return [{ labels: {}, value: numberOf((result as Point)[1]) }];
  if (resultType !== 'vector') throw new RuleError('rule result is not a vector or scalar');
  return (result as Found).map(({ metric, value }) => ({ labels: metric, value: numberOf(value[1]) }));
}

const endless: Record<string, number> = { '+Inf': Infinity, Inf: Infinity, '-Inf': -Infinity, NaN: Number.NaN };
const numberOf = (text: string): number => endless[text] ?? Number(text);
