// `query_metrics`: PromQL over a metric pipeline. Range results are reduced to statistics and a few points per series.
import { iso } from '../../base/clock.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { input, numberOf, optional, type Tool, type ToolContext, text, textOf, whole } from '../tool.ts';
import { momentArgument, spanOf } from '../tools/activity.ts';
import { type Pipeline, pipelineArgument, pipelineFor } from './pipelines.ts';

const hourMs = 3_600_000;
const maxPoints = 240; // requested per series
const shownPoints = 30; // shown per series
const lookbackSeconds = 300; // how long a sample is valid in PromQL

export const queryMetrics: Tool = {
  name: 'query_metrics',
  group: 'insight',
  description:
    'Evaluate PromQL over a metric pipeline: at one time, or with `from` over a range. A range returns minimum, maximum, average, last value and some points of each series.',
  input: input({
    query: text('PromQL, such as sum by (job) (rate(orders_total[5m]))', { minLength: 1 }),
    pipeline: pipelineArgument('metric'),
    from: momentArgument('Start of a range; without it the query is evaluated once'),
    to: momentArgument('The evaluation time, or the end of the range; now by default'),
    limit: optional(whole('Maximum number of series; 50 by default', 1, 1000)),
  }),
  read: query,
};

async function query(args: Values, context: ToolContext): Promise<Json> {
  const pipeline = await pipelineFor(context, 'monitoring', textOf(args, 'pipeline'));
  const expression = textOf(args, 'query') ?? '';
  const span = spanOf(args, ['from', 'to'], hourMs, await context.now());
  const limit = numberOf(args, 'limit', 50);
  const about = { pipeline: { id: pipeline.id, name: pipeline.name }, query: expression };
  if (textOf(args, 'from') === undefined) {
    const { type, result } = await instant(context, pipeline, expression, span.to);
    const answer = { ...about, time: iso(span.to), result_type: type };
    return isOneValue(type) ? { ...answer, ...result[0] } : { ...answer, ...cut(result, limit) };
  }
  const series = await range(context, pipeline, expression, span.from, span.to);
  const step = stepOf(span.from, span.to);
  return {
    ...about,
    from: iso(span.from),
    to: iso(span.to),
    step_seconds: step,
    ...(step > lookbackSeconds && {
      step_note: `The query is evaluated every ${step} seconds: samples between the evaluations are not included. To see them, choose a shorter range, or a function such as max_over_time(...[${step}s]).`,
    }),
    ...cut(series, limit),
  };
}

const isOneValue = (type: Json): boolean => type === 'scalar' || type === 'string';

const cut = (series: readonly Json[], limit: number): Values => ({
  count: series.length,
  series: series.slice(0, limit),
  ...(series.length > limit && { note: `${series.length - limit} more series exist. Aggregate, or raise the limit.` }),
});

export async function instant({ api }: ToolContext, { path }: Pipeline, expression: string, time: number) {
  const answer = await api.object('monitoring', `${path}/api/v1/query`, { query: expression, time: time / 1000 });
  const data = isObject(answer.data) ? answer.data : {};
  const type = data.resultType ?? null;
  const result = Array.isArray(data.result) ? data.result : [];
  return { type, result: isOneValue(type) ? [{ value: sampleValue(result) }] : result.filter(isObject).map(rowOf) };
}

// A range selector returns the stored samples, which are shown unchanged.
const rowOf = (row: Values): Values =>
  row.values === undefined ? { metric: row.metric ?? {}, value: sampleValue(row.value) } : row;
const sampleValue = (sample: Json | undefined): Json => (Array.isArray(sample) ? (sample[1] ?? null) : null);

const stepOf = (from: number, to: number): number => Math.max(1, Math.ceil((to - from) / 1000 / maxPoints));

// Steps are counted from the end: the newest samples matter most, and a step may be longer than a sample is valid.
export async function range(
  { api }: ToolContext,
  { path }: Pipeline,
  expression: string,
  from: number,
  to: number,
): Promise<Values[]> {
  const step = stepOf(from, to);
  const start = to - Math.floor((to - from) / 1000 / step) * step * 1000;
  const parameters = { query: expression, start: start / 1000, end: to / 1000, step };
  const answer = await api.object('monitoring', `${path}/api/v1/query_range`, parameters);
  const data = isObject(answer.data) ? answer.data : {};
  return (Array.isArray(data.result) ? data.result : []).filter(isObject).map(seriesRow);
}

function seriesRow({ metric, values }: Values): Values {
  const points = (Array.isArray(values) ? values : [])
    .filter(Array.isArray)
    .map(([time, value]) => [Number(time), Number(value)] as const);
  const numbers = points.map(([, value]) => value).filter(Number.isFinite);
  const every = Math.max(1, Math.ceil(points.length / shownPoints));
  const shown = points.filter((_, at) => at % every === 0 || at === points.length - 1);
  const sum = numbers.reduce((total, one) => total + one, 0);
  return {
    metric: metric ?? {},
    ...(numbers.length > 0 && {
      min: Math.min(...numbers),
      max: Math.max(...numbers),
      average: Number((sum / numbers.length).toPrecision(6)),
      last: numbers.at(-1) ?? null,
    }),
    points: shown.map(([time, value]) => [iso(time * 1000), Number.isFinite(value) ? value : String(value)]),
  };
}
