// Questions to the Loki interface of a source. Its failures are plain texts.
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

// Labels of the stream, metadata of the line and what the query has parsed come apart.
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
  const body = new URLSearchParams(parameters).toString(); // queries can be long
  const response = await send(`${path}/loki/api/v1/${endpoint}`, { method: 'POST', body, headers, signal });
  if (response.ok) return (await response.json()) as T;
  // The stages in front of the interface, such as the check of rights, answer in the platform's own form.
  if (response.headers.get('content-type')?.includes('json')) throw failureOf(response, await jsonOf(response));
  const errorCode = String(response.status);
  throw new ApiError(response.status, [{ errorCode, message: (await response.text()).trim() }]);
}

export interface LinesQuestion {
  query: string;
  startNs: string;
  endNs: string; // not included
  direction: 'backward' | 'forward';
  limit: number;
  stepS?: number; // for queries that count
}

export const askRange = async (
  source: LogSource,
  { query, startNs, endNs, direction, limit, stepS }: LinesQuestion,
  signal: AbortSignal,
): Promise<RangeAnswer> => {
  const asked = { query, start: startNs, end: endNs, direction, limit: String(limit) };
  const step = stepS === undefined ? {} : { step: String(stepS) };
  return (await ask<{ data: RangeAnswer }>(source, 'query_range', { ...asked, ...step }, signal)).data;
};

export const nsOf = (seconds: number): string => `${BigInt(Math.round(seconds * 1000)) * 1_000_000n}`;

// Counts at the end of each step: a range whose steps are whole numbers of seconds since 1970.
export async function askCounts(
  source: LogSource,
  query: string,
  { fromS, toS }: Span,
  stepS: number,
  signal: AbortSignal,
): Promise<SeriesAnswer[]> {
  const asked = { query, start: nsOf(fromS + stepS), end: nsOf(toS), step: String(stepS) };
  return (await ask<{ data: { result: SeriesAnswer[] } }>(source, 'query_range', asked, signal)).data.result;
}

export async function askInstant(
  source: LogSource,
  query: string,
  atS: number,
  signal: AbortSignal,
): Promise<{ metric: Labels; value: [number, string] }[]> {
  const asked = { query, time: nsOf(atS) };
  return (
    await ask<{ data: { result: { metric: Labels; value: [number, string] }[] } }>(source, 'query', asked, signal)
  ).data.result;
}

const windowS = 30 * 86_400; // a query reaches back so far
const mostTried = 20;

// Whether a source has had any line in the time that can be searched.
export async function hasLines(source: LogSource, nowS: number, signal: AbortSignal): Promise<boolean> {
  const asked = { start: nsOf(nowS - windowS), end: nsOf(nowS + 600) };
  return ((await ask<{ data?: string[] }>(source, 'labels', asked, signal)).data ?? []).length > 0;
}

// The first of them that has lines.
export async function firstWithLines(
  sources: readonly LogSource[],
  nowS: number,
  signal: AbortSignal,
): Promise<LogSource | undefined> {
  const some = sources.slice(0, mostTried);
  const found = await Promise.all(some.map((source) => hasLines(source, nowS, signal)));
  return some.find((_, at) => found[at]);
}
