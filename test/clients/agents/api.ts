// The Prometheus query API for tests, the same for ours and for others: queries, and answers in a form that can be
// compared.
import assert from 'node:assert/strict';
import { limits } from '../../../src/testing/limits.ts';

export type LabelSet = Record<string, string>;
export type Point = [timeMs: number, value: number];

export interface Found {
  labels: LabelSet;
  points: Point[]; // one with an instant vector
}

export interface QueryAnswer {
  status: number;
  errorType?: string;
  error?: string;
  resultType?: string;
  result: Found[];
}

export interface Api {
  base: string;
  ask<T>(path: string, parameters?: Record<string, string>): Promise<T>; // the data of a success
  query(query: string, timeMs?: number): Promise<QueryAnswer>;
  range(query: string, fromMs: number, toMs: number, stepMs: number): Promise<QueryAnswer>;
  samples(selector: string, fromMs: number, toMs: number): Promise<Map<string, Point[]>>; // after from, up to to
}

interface Answer {
  status: string;
  errorType?: string;
  error?: string;
  data?: unknown;
}

type Wire = [seconds: number, value: string];
interface WireData {
  resultType: string;
  result: Wire | { metric: LabelSet; value?: Wire; values?: Wire[] }[];
}

export function apiAt(base: string, headers: Record<string, string> = {}): Api {
  const send = async (path: string, parameters: Record<string, string>): Promise<{ status: number; body: Answer }> => {
    const response = await fetch(`${base}/api/v1/${path}?${new URLSearchParams(parameters)}`, {
      headers,
      signal: AbortSignal.timeout(limits.agent),
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) as Answer };
    } catch {
      throw new Error(`${base}/api/v1/${path}: ${response.status} ${text.slice(0, 500)}`);
    }
  };
  const answerOf = async (path: string, parameters: Record<string, string>): Promise<QueryAnswer> => {
    const { status, body } = await send(path, parameters);
    const { errorType, error } = body;
    const failed = { ...(errorType === undefined ? {} : { errorType }), ...(error === undefined ? {} : { error }) };
    if (body.status !== 'success') return { status, ...failed, result: [] };
    const { resultType, result } = body.data as WireData;
    return { status, resultType, result: foundIn(result) };
  };
  const query = (text: string, timeMs?: number): Promise<QueryAnswer> =>
    answerOf('query', { query: text, ...(timeMs === undefined ? {} : { time: seconds(timeMs) }) });
  return {
    base,
    query,
    async ask<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
      const { status, body } = await send(path, parameters);
      assert.equal(body.status, 'success', `${path}: ${status} ${body.error}`);
      return body.data as T;
    },
    range: (text, fromMs, toMs, stepMs) =>
      answerOf('query_range', { query: text, start: seconds(fromMs), end: seconds(toMs), step: seconds(stepMs) }),
    async samples(selector, fromMs, toMs) {
      const answer = await query(`${selector}[${toMs - fromMs}ms]`, toMs);
      assert.equal(answer.error, undefined, `${base}: ${selector}: ${answer.error}`);
      // Older versions include the beginning of the range.
      const inside = answer.result.map(({ labels, points }) => ({
        labels,
        points: points.filter(([timeMs]) => timeMs > fromMs),
      }));
      return new Map(inside.filter(({ points }) => points.length > 0).map((one) => [keyOf(one.labels), one.points]));
    },
  };
}

export const keyOf = (labels: LabelSet): string =>
  JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function foundIn(result: WireData['result']): Found[] {
  if (isScalar(result)) return [{ labels: {}, points: [pointOf(result)] }];
  return result.map(({ metric, value, values }) => ({
    labels: metric,
    points: (values ?? (value ? [value] : [])).map(pointOf),
  }));
}

const isScalar = (result: WireData['result']): result is Wire => typeof result[0] === 'number';
const pointOf = ([time, value]: Wire): Point => [Math.round(time * 1000), numberOf(value)];

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}
