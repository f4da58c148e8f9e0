// `query_metrics`: PromQL over a metric pipeline. Series over time are told by their figures and a few points.
import { iso } from '../../base/clock.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { input, numberOf, optional, type Sight, type Tool, text, textOf, whole } from '../tool.ts';
import { momentArgument, spanOf } from '../tools/activity.ts';
import { type Pipeline, pipelineArgument, pipelineFor } from './pipelines.ts';

const hourMs = 3_600_000;
const mostPoints = 240; // that are asked for
const shownPoints = 30; // of a series

export const queryMetrics: Tool = {
  name: 'query_metrics',
  group: 'insight',
  description:
    'Evaluate PromQL over a metric pipeline: at one time, or with `from` over a range, told as minimum, maximum, average, last value and some points of each series.',
  input: input({
    query: text('PromQL, such as sum by (job) (rate(orders_total[5m]))', { minLength: 1 }),
    pipeline: pipelineArgument('metric'),
    from: momentArgument('Begin of a range; without it the query is evaluated once'),
    to: momentArgument('The time of the evaluation, or the end of the range; now by default'),
    limit: optional(whole('How many series at most; 50 by default', 1, 1000)),
  }),
  read: query,
};

async function query(args: Values, sight: Sight): Promise<Json> {
  const pipeline = await pipelineFor(sight, 'monitoring', textOf(args, 'pipeline'));
  const asked = textOf(args, 'query') ?? '';
  const span = spanOf(args, ['from', 'to'], hourMs, sight.now());
  const limit = numberOf(args, 'limit', 50);
  const about = { pipeline: { id: pipeline.id, name: pipeline.name }, query: asked };
  if (textOf(args, 'from') === undefined) {
    const { type, result } = await instant(sight, pipeline, asked, span.to);
    return { ...about, time: iso(span.to), result_type: type, ...cut(result, limit) };
  }
  const series = await range(sight, pipeline, asked, span.from, span.to);
  return { ...about, from: iso(span.from), to: iso(span.to), ...cut(series, limit) };
}

const cut = (series: readonly Json[], limit: number): Values => ({
  count: series.length,
  series: series.slice(0, limit),
  ...(series.length > limit && { note: `${series.length - limit} more series: aggregate, or raise the limit.` }),
});

export async function instant({ api }: Sight, { path }: Pipeline, asked: string, time: number) {
  const told = await api.object('monitoring', `${path}/api/v1/query`, { query: asked, time: time / 1000 });
  const data = isObject(told.data) ? told.data : {};
  const result = Array.isArray(data.result) ? data.result : [];
  const isVector = data.resultType === 'vector';
  return {
    type: data.resultType ?? null,
    result: isVector ? result.filter(isObject).map(vectorRow) : result,
  };
}

const vectorRow = ({ metric, value }: Values): Values => ({
  metric: metric ?? {},
  value: Array.isArray(value) ? (value[1] ?? null) : null,
});

export async function range(
  { api }: Sight,
  { path }: Pipeline,
  asked: string,
  from: number,
  to: number,
): Promise<Values[]> {
  const step = Math.max(1, Math.ceil((to - from) / 1000 / mostPoints));
  const parameters = { query: asked, start: from / 1000, end: to / 1000, step };
  const told = await api.object('monitoring', `${path}/api/v1/query_range`, parameters);
  const data = isObject(told.data) ? told.data : {};
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
