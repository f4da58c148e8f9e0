// Questions to the Prometheus interface of a source, which tells its failures in a form of its own.
import { ApiError, scope } from '../api.ts';
import { type Descriptions, type Metric, metricsOf } from './metrics.ts';
import { mostLines, type SeriesAnswer } from './plot.ts';
import type { Source } from './sources.ts';
import type { Span } from './time-range.ts';

interface Reply<T> {
  status: 'success' | 'error';
  data: T;
  error?: string;
  errorType?: string;
  warnings?: string[];
  infos?: string[];
}

export interface Told<T> {
  data: T;
  notes: string[];
}

// Expressions can be long, so they go in the body where the interface allows it.
const byForm = /^(?:query|query_range|labels|series)$/;

export async function ask<T>(
  { path }: Source,
  question: string,
  parameters: Record<string, string>,
  signal: AbortSignal,
): Promise<Told<T>> {
  const isForm = byForm.test(question);
  const text = new URLSearchParams(parameters).toString();
  const response = await fetch(`${path}/api/v1/${question}${isForm || text === '' ? '' : `?${text}`}`, {
    method: isForm ? 'POST' : 'GET',
    headers: {
      Accept: 'application/json',
      'X-Console': '1',
      ...(scope.contract !== undefined && { 'X-Contract-Number': String(scope.contract) }),
      ...(isForm && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
    cache: 'no-store',
    signal,
    ...(isForm && { body: text }),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new ApiError(0, [{ errorCode: '0', message: 'The region does not answer. Is it running?' }]);
  });
  const reply = await replyOf<T>(response);
  if (response.ok && reply?.status === 'success')
    return { data: reply.data, notes: [...(reply.warnings ?? []), ...(reply.infos ?? [])] };
  if (response.status === 401) scope.onSignedOut();
  throw new ApiError(response.status, problemsOf(response, reply));
}

async function replyOf<T>(response: Response): Promise<Reply<T> | undefined> {
  try {
    return (await response.json()) as Reply<T>;
  } catch {
    return undefined;
  }
}

// What stands in front of the interface, such as the check of rights, answers in the platform's own form.
function problemsOf<T>({ status }: Response, reply: Reply<T> | undefined): ApiError['problems'] {
  const { messages } = (reply ?? {}) as { messages?: ApiError['problems'] };
  if (Array.isArray(messages) && messages.length > 0) return messages;
  const message = reply?.error ?? `The region answered ${status}.`;
  return [{ errorCode: reply?.errorType ?? String(status), message }];
}

// The region's own time in seconds, which the lab can move.
export async function nowOf(source: Source, signal: AbortSignal): Promise<number> {
  const { data } = await ask<{ result: [number, string] }>(source, 'query', { query: 'time()' }, signal);
  return Number(data.result[1]);
}

export async function askRange(
  source: Source,
  expression: string,
  { fromS, toS }: Span,
  stepS: number,
  signal: AbortSignal,
): Promise<Told<SeriesAnswer[]>> {
  const [start, end] = [fromS.toFixed(3), toS.toFixed(3)];
  const limit = String(mostLines + 1); // one more tells that there are more
  const asked = { query: expression, start, end, step: String(stepS), limit };
  const { data, notes } = await ask<{ result: SeriesAnswer[] }>(source, 'query_range', asked, signal);
  return { data: data.result, notes: notes.filter((note) => !note.startsWith('results truncated')) };
}

export async function listMetrics(source: Source, signal: AbortSignal): Promise<Metric[]> {
  const [names, described] = await Promise.all([
    ask<string[]>(source, 'label/__name__/values', {}, signal),
    ask<Descriptions>(source, 'metadata', { limit_per_metric: '1' }, signal),
  ]);
  return metricsOf(names.data, described.data);
}

// The first of them that has any metric, or simply the first.
export async function firstMeasured(sources: readonly Source[], signal: AbortSignal): Promise<Source> {
  const some = sources.slice(0, mostTried);
  const found = await Promise.all(
    some.map((source) => ask<string[]>(source, 'label/__name__/values', { limit: '1' }, signal)),
  );
  return some.find((_, at) => (found[at]?.data.length ?? 0) > 0) ?? (some[0] as Source);
}

const mostTried = 20;

export const labelsOf = async (source: Source, selector: string, signal: AbortSignal): Promise<string[]> =>
  (await ask<string[]>(source, 'labels', { 'match[]': selector }, signal)).data.filter((name) => name !== '__name__');

export const labelValues = async (
  source: Source,
  label: string,
  selector: string,
  signal: AbortSignal,
): Promise<string[]> =>
  (
    await ask<string[]>(
      source,
      `label/${encodeURIComponent(label)}/values`,
      { 'match[]': selector, limit: '500' },
      signal,
    )
  ).data;
