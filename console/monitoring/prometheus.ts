// Queries the Prometheus interface of a source, which has its own error format.
import { ApiError, failureOf, jsonOf, send } from '../api.ts';
import { mostLines, type SeriesAnswer } from '../plot/plot.ts';
import type { Span } from '../time/time-range.ts';
import { type Descriptions, type Metric, metricsOf } from './explorer/metrics.ts';
import type { Source } from './sources.ts';

interface Reply<T> {
  status: 'success' | 'error';
  data: T;
  error?: string;
  errorType?: string;
  warnings?: string[];
  infos?: string[];
}

export interface QueryResult<T> {
  data: T;
  notes: string[];
}

// Expressions can be long, so they are sent in the body if the interface allows it.
const byForm = /^(?:query|query_range|labels|series)$/;

export async function query<T>(
  { path }: Source,
  endpoint: string,
  parameters: Record<string, string>,
  signal: AbortSignal,
): Promise<QueryResult<T>> {
  const isForm = byForm.test(endpoint);
  const text = new URLSearchParams(parameters).toString();
  const response = await send(`${path}/api/v1/${endpoint}${isForm || text === '' ? '' : `?${text}`}`, {
    method: isForm ? 'POST' : 'GET',
    signal,
    ...(isForm && { body: text, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  });
  const reply = (await jsonOf(response)) as Reply<T> | undefined;
  if (response.ok && reply?.status === 'success')
    return { data: reply.data, notes: [...(reply.warnings ?? []), ...(reply.infos ?? [])] };
  // The stages before the interface, such as the access check, answer with the platform's error format.
  if (reply?.error === undefined) throw failureOf(response, reply);
  const errorCode = reply.errorType ?? String(response.status);
  throw new ApiError(response.status, [{ errorCode, message: reply.error }]);
}

// The region's time in seconds, which the lab can move.
export async function regionTimeS(source: Source, signal: AbortSignal): Promise<number> {
  const { data } = await query<{ result: [number, string] }>(source, 'query', { query: 'time()' }, signal);
  return Number(data.result[1]);
}

export async function queryRange(
  source: Source,
  expression: string,
  { fromS, toS }: Span,
  stepS: number,
  signal: AbortSignal,
): Promise<QueryResult<SeriesAnswer[]>> {
  const [start, end] = [fromS.toFixed(3), toS.toFixed(3)];
  const limit = String(mostLines + 1); // one more, to detect truncation
  const parameters = { query: expression, start, end, step: String(stepS), limit };
  const { data, notes } = await query<{ result: SeriesAnswer[] }>(source, 'query_range', parameters, signal);
  return { data: data.result, notes: notes.filter((note) => !note.startsWith('results truncated')) };
}

interface Sample {
  metric: SeriesAnswer['metric'];
  value: [number, string];
}

// The values at one time, as series with one value.
export async function queryInstant(
  source: Source,
  expression: string,
  atS: number,
  signal: AbortSignal,
): Promise<QueryResult<SeriesAnswer[]>> {
  const parameters = { query: expression, time: atS.toFixed(3), limit: String(mostLines + 1) };
  const { data, notes } = await query<{ resultType: string; result: unknown }>(source, 'query', parameters, signal);
  return { data: seriesIn(data), notes: notes.filter((note) => !note.startsWith('results truncated')) };
}

function seriesIn({ resultType, result }: { resultType: string; result: unknown }): SeriesAnswer[] {
  if (resultType === 'vector') return (result as Sample[]).map(({ metric, value }) => ({ metric, values: [value] }));
  return resultType === 'scalar' ? [{ metric: {}, values: [result as [number, string]] }] : [];
}

const list = async (source: Source, endpoint: string, parameters: Record<string, string>, signal: AbortSignal) =>
  (await query<string[]>(source, endpoint, parameters, signal)).data;

const nameValues = 'label/__name__/values';

export const metricNames = (source: Source, signal: AbortSignal): Promise<string[]> =>
  list(source, nameValues, {}, signal);

export async function listMetrics(source: Source, signal: AbortSignal): Promise<Metric[]> {
  const [names, described] = await Promise.all([
    metricNames(source, signal),
    query<Descriptions>(source, 'metadata', { limit_per_metric: '1' }, signal),
  ]);
  return metricsOf(names, described.data);
}

const mostTried = 20;

// The first source with metrics.
export async function firstMeasured(sources: readonly Source[], signal: AbortSignal): Promise<Source | undefined> {
  const some = sources.slice(0, mostTried);
  const names = await Promise.all(some.map((source) => list(source, nameValues, { limit: '1' }, signal)));
  return some.find((_, at) => names[at]?.length);
}

export const labelsOf = async (source: Source, selector: string, signal: AbortSignal): Promise<string[]> =>
  (await list(source, 'labels', { 'match[]': selector }, signal)).filter((name) => name !== '__name__');

export const labelValues = (source: Source, label: string, selector: string, signal: AbortSignal): Promise<string[]> =>
  list(
    source,
    `label/${encodeURIComponent(label)}/values`,
    { ...(selector !== '' && { 'match[]': selector }), limit: '500' },
    signal,
  );
