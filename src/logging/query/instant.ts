// A metric query at one moment, for rules: what it gives, and whether it is one at all.
import type { Labels } from '../engine/engine.ts';
import { badData, QueryError } from '../logql/query-error.ts';
import { parseQuery } from '../logql/syntax/parse.ts';
import type { LogStore } from '../store.ts';

export interface InstantSample {
  labels: Labels;
  value: number;
}

export interface InstantQuestion {
  tenant: string;
  query: string;
  atMs: number;
}

const longest = 5000; // of what is read on the event loop

// Throws a QueryError with Loki's message where the text is not a metric query.
export function checkMetricQuery(query: string): void {
  if (query.length > longest) throw badData(`the query is longer than ${longest} characters`);
  if (parseQuery(query).kind === 'logs') throw badData('only metric queries give values that can be compared');
}

// Evaluated in a reader thread. A query that can't be answered is a QueryError.
export async function evaluateInstant(
  store: Pick<LogStore, 'ask'>,
  { tenant, query, atMs }: InstantQuestion,
  origin: Parameters<LogStore['ask']>[1],
): Promise<InstantSample[]> {
  const parameters = new URLSearchParams({ query, time: `${BigInt(Math.trunc(atMs)) * 1_000_000n}` }).toString();
  const { status, body } = await store.ask({ tenant, path: 'query', parameters, nowMs: atMs }, origin);
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  const text = Buffer.concat(parts).toString('utf8');
  if (status !== 200) throw new QueryError(status >= 500 ? 'unavailable' : 'bad_data', text);
  const { data } = JSON.parse(text) as InstantBody;
  if (data.resultType === 'scalar') return [{ labels: {}, value: numberOf((data.result as Point)[1]) }];
  return (data.result as Found[]).map(({ metric, value }) => ({ labels: metric, value: numberOf(value[1]) }));
}

type Point = [seconds: number, value: string];
interface Found {
  metric: Labels;
  value: Point;
}
interface InstantBody {
  data: { resultType: string; result: Found[] | Point };
}

const numberOf = (text: string): number =>
  /^[+-]?Inf$/.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);
