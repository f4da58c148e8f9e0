// Queries the Loki interface of a source, whose errors are plain text.
import { ApiError, failureOf, jsonOf, send } from '../api.ts';
import type { Labels, SeriesAnswer } from '../plot/plot.ts';
import type { Span } from '../time/time-range.ts';
import type { LogSource } from './sources.ts';

export interface StreamAnswer {
  stream: Labels;
  values: [timeNs: string, line: string, more?: { structuredMetadata?: Labels; parsed?: Labels }][];
}

export type RangeAnswer =
  | { resultType: 'streams'; result: StreamAnswer[] }
  | { resultType: 'matrix'; result: SeriesAnswer[] };

// Requests stream labels, metadata of the line and parsed fields separately.
const headers = {
  'Content-Type': 'application/x-www-form-urlencoded',
  'X-Loki-Response-Encoding-Flags': 'categorize-labels',
};

export async function ask<T>(
  { path }: Pick<LogSource, 'path'>,
  endpoint: string,
  parameters: Record<string, string>,
  signal: AbortSignal,
): Promise<T> {
  const body = new URLSearchParams(parameters).toString(); // in the body, because queries can be long
  const response = await send(`${path}/loki/api/v1/${endpoint}`, { method: 'POST', body, headers, signal });
  if (response.ok) return (await response.json()) as T;
  // The stages before the interface, such as the access check, answer with the platform's error format.
  if (response.headers.get('content-type')?.includes('json')) throw failureOf(response, await jsonOf(response));
  const errorCode = String(response.status);
  throw new ApiError(response.status, [{ errorCode, message: (await response.text()).trim() }]);
}

export interface LinesQuestion {
  query: string;
  startNs: string;
  endNs: string; // exclusive
  direction: 'backward' | 'forward';
  limit: number;
  stepS?: number; // for counting queries
}

export const askRange = async (
  source: LogSource,
  { query, startNs, endNs, direction, limit, stepS }: LinesQuestion,
  signal: AbortSignal,
): Promise<RangeAnswer> => {
  const parameters = { query, start: startNs, end: endNs, direction, limit: String(limit) };
  const step = stepS === undefined ? {} : { step: String(stepS) };
  return (await ask<{ data: RangeAnswer }>(source, 'query_range', { ...parameters, ...step }, signal)).data;
};

export const nsOf = (seconds: number): string => `${BigInt(Math.round(seconds * 1000)) * 1_000_000n}`;

// Counts at the end of each step. Steps are whole seconds since 1970.
export async function askCounts(
  source: LogSource,
  query: string,
  { fromS, toS }: Span,
  stepS: number,
  signal: AbortSignal,
): Promise<SeriesAnswer[]> {
  const parameters = { query, start: nsOf(fromS + stepS), end: nsOf(toS), step: String(stepS) };
  return (await ask<{ data: { result: SeriesAnswer[] } }>(source, 'query_range', parameters, signal)).data.result;
}

export async function askInstant(
  source: LogSource,
  query: string,
  atS: number,
  signal: AbortSignal,
): Promise<{ metric: Labels; value: [number, string] }[]> {
  const parameters = { query, time: nsOf(atS) };
  return (
    await ask<{ data: { result: { metric: Labels; value: [number, string] }[] } }>(source, 'query', parameters, signal)
  ).data.result;
}

const windowS = 30 * 86_400; // the maximum range of a query
const mostTried = 20;

// Whether a source has any line in the searchable time.
export async function hasLines(source: LogSource, nowS: number, signal: AbortSignal): Promise<boolean> {
  const parameters = { start: nsOf(nowS - windowS), end: nsOf(nowS + 600) };
  return ((await ask<{ data?: string[] }>(source, 'labels', parameters, signal)).data ?? []).length > 0;
}

// The first source with lines.
export async function firstWithLines(
  sources: readonly LogSource[],
  nowS: number,
  signal: AbortSignal,
): Promise<LogSource | undefined> {
  const some = sources.slice(0, mostTried);
  const found = await Promise.all(some.map((source) => hasLines(source, nowS, signal)));
  return some.find((_, at) => found[at]);
}
