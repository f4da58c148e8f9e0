// Tests an alert rule: how many of its series would alert now, and their values.
import { sentencesOf } from '../../api.ts';
import { numberOf } from '../../plot/plot.ts';
import { formatValue, unitOf } from '../../plot/units.ts';
import { plainProblem } from '../explorer/expression.ts';
import { query } from '../prometheus.ts';
import type { Source } from '../sources.ts';

export interface Condition {
  expression: string;
  comparison: string;
  threshold: number;
}

export async function tryRule(source: Source, condition: Condition, signal: AbortSignal): Promise<string> {
  const { expression, comparison, threshold } = condition;
  try {
    const { data } = await query<Instant>(source, 'query', { query: expression }, signal);
    const values = valuesIn(data);
    if (!values) return 'The expression returns a range. Write one that returns a number for each series.';
    if (values.length === 0) return 'The expression has no values now, so there would be no alert.';
    const count = values.filter((value) => holds[comparison]?.(value, threshold)).length;
    const shown = values.slice(0, 3).map((value) => formatValue(value, unitOf(expression)));
    const more = values.length > shown.length ? ' …' : '';
    return `Now ${shown.join(', ')}${more}: ${count} of ${values.length} would alert.`;
  } catch (error) {
    return plainProblem(sentencesOf(error).join(' '));
  }
}

type Instant =
  | { resultType: 'vector'; result: { value: [number, string] }[] }
  | { resultType: 'scalar'; result: [number, string] }
  | { resultType: 'matrix' | 'string' };

function valuesIn(data: Instant): number[] | undefined {
  if (data.resultType === 'scalar') return [numberOf(data.result[1])];
  return data.resultType === 'vector' ? data.result.map(({ value }) => numberOf(value[1])) : undefined;
}

const holds: Record<string, (value: number, threshold: number) => boolean> = {
  '>': (value, threshold) => value > threshold,
  '>=': (value, threshold) => value >= threshold,
  '<': (value, threshold) => value < threshold,
  '<=': (value, threshold) => value <= threshold,
  '==': (value, threshold) => value === threshold,
  '!=': (value, threshold) => value !== threshold,
};
