// Answers the HTTP API of Loki from a reader: queries, and descriptions of streams. It runs in a reader thread. Errors
// are answers too, never exceptions.
import { Fault } from '../../base/fault.ts';
import type { LogReader } from '../engine/engine.ts';
import { evaluateLogs } from '../logql/logs.ts';
import { evaluateInstant, evaluateRange } from '../logql/metric/evaluate.ts';
import { badData, QueryError, type QueryErrorKind } from '../logql/query-error.ts';
import { parseQuery } from '../logql/syntax/parse.ts';
import { printQuery } from '../logql/syntax/print.ts';
import type { Expr, MetricExpr } from '../logql/syntax/tree.ts';
import type { Answerer, LogAnswer } from '../threads/question.ts';
import { counted } from './counted-reader.ts';
import { labelNames, labelValues, seriesList, stats, volume, volumeRange } from './describe.ts';
import { detectedFields, detectedFieldValues, detectedLabels } from './detected.ts';
import {
  decoded,
  demandWindow,
  directionOf,
  encodingFlags,
  intervalOf,
  lineLimitOf,
  momentOf,
  rangeOf,
  stepOf,
} from './parameters.ts';
import {
  json,
  matrixResult,
  pieces,
  scalarResult,
  streamsResult,
  streamTexts,
  success,
  vectorResult,
} from './render.ts';

// The Loki version of this LogQL, for clients that check it before they use new features.
const version = '3.7.8';

export interface LogRequest {
  reader: LogReader;
  tenant: string;
  parameters: URLSearchParams;
  nowNs: bigint;
  signal: AbortSignal;
}

type Body = AsyncIterable<Uint8Array>;
type Answering = (request: LogRequest) => Promise<Body> | Body;

const answers: Readonly<Record<string, Answering>> = {
  query: instantQuery,
  query_range: rangeQuery,
  tail: tailQuery,
  labels: labelNames,
  label: labelNames,
  series: seriesList,
  'index/stats': stats,
  'index/volume': volume,
  'index/volume_range': volumeRange,
  detected_labels: detectedLabels,
  detected_fields: detectedFields,
  format_query: ({ parameters }) => success(printQuery(parsed(parameters))),
  'status/buildinfo': () =>
    json({ version, revision: 'cumulet', branch: '', buildUser: '', buildDate: '', goVersion: '' }),
};

const statuses: Readonly<Record<QueryErrorKind, number>> = {
  bad_data: 400,
  not_found: 404,
  timeout: 504,
  canceled: 499,
  unavailable: 503,
};

export const answer: Answerer = async (reader, { tenant, path, parameters, nowMs }, signal) => {
  const nowNs = BigInt(Math.trunc(nowMs * 1000)) * 1000n;
  const request: LogRequest = { reader, tenant, parameters: new URLSearchParams(parameters), nowNs, signal };
  try {
    return { status: 200, body: await answeringOf(path)(request) };
  } catch (error) {
    return failure(error);
  }
};

function answeringOf(path: string): Answering {
  const [, kind, name] = /^(label|detected_field)\/([^/]+)\/values$/.exec(path) ?? [];
  if (kind === 'label' && name) return (request) => labelValues(request, decoded(name));
  if (kind === 'detected_field' && name) return (request) => detectedFieldValues(request, decoded(name));
  const found = Object.hasOwn(answers, path) ? answers[path] : undefined;
  if (!found) throw new QueryError('not_found', '404 page not found');
  return found;
}

function failure(error: unknown): LogAnswer {
  if (error instanceof QueryError) return plain(statuses[error.kind], error.message);
  if (error instanceof Fault) return plain(error.kind === 'unavailable' ? 503 : 400, error.message);
  throw error;
}

export const plain = (status: number, message: string): LogAnswer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body: pieces([message]),
});

const parsed = (parameters: URLSearchParams): Expr => parseQuery(parameters.get('query') ?? '');

async function instantQuery(given: LogRequest): Promise<Body> {
  const { reader, processed } = counted(given.reader);
  const { parameters, nowNs, tenant, signal } = given;
  const expr = parsed(parameters);
  const atNs = momentOf(parameters, nowNs);
  if (expr.kind === 'logs')
    throw badData(
      'log queries are not supported as an instant query type, please change your query to a range query type',
    );
  if (expr.kind === 'literal') return scalarResult(expr.value, atNs, processed());
  demandRanges(expr);
  const vector = await evaluateInstant(expr, {
    reader,
    tenant,
    grid: { startNs: atNs, stepNs: 1, count: 1 },
    signal,
  });
  return vectorResult(vector, atNs, processed());
}

async function rangeQuery(given: LogRequest): Promise<Body> {
  const { reader, processed } = counted(given.reader);
  const { parameters, nowNs, tenant, signal } = given;
  const range = rangeOf(parameters, nowNs);
  const limit = lineLimitOf(parameters);
  const direction = directionOf(parameters);
  const stepNs = stepOf(parameters, range);
  const intervalNs = intervalOf(parameters);
  const expr = parsed(parameters);
  demandWindow(range);
  if (expr.kind === 'logs') {
    const isCategorized = isCategorizing(parameters);
    const times = { fromNs: range.startNs, toNs: range.endNs };
    const options = { tenant, ...times, direction, limit, intervalNs, isCategorized, signal };
    const streams = await evaluateLogs(reader, expr, options);
    const entries = streams.reduce((count, { lines }) => count + lines.length, 0);
    return streamsResult(streams, isCategorized, processed(entries));
  }
  demandRanges(expr);
  const count = Number((range.endNs - range.startNs) / BigInt(stepNs)) + 1;
  const grid = { startNs: range.startNs, stepNs, count };
  const rows = await evaluateRange(expr, { reader, tenant, grid, signal });
  return matrixResult(rows, grid, processed());
}

const isCategorizing = (parameters: URLSearchParams): boolean =>
  (parameters.get(encodingFlags) ?? '').split(',').some((flag) => flag.trim() === 'categorize-labels');

function demandRanges(expr: MetricExpr): void {
  if (expr.kind === 'range') demandWindow({ startNs: 0n, endNs: 0n }, expr.rangeNs);
  else if (expr.kind === 'binary') {
    demandRanges(expr.left);
    demandRanges(expr.right);
  } else if ('body' in expr) demandRanges(expr.body);
}

// The main thread reads these answers: a tail requests the rest again.
const mostTailed = 4 * 1024 * 1024;

// Returns lines for tails (tail.ts calls this repeatedly), in the form of the WebSocket.
async function tailQuery({ reader, tenant, parameters, nowNs, signal }: LogRequest): Promise<Body> {
  const expr = parsed(parameters);
  if (expr.kind !== 'logs') throw badData('only log selector is supported');
  const { startNs, endNs } = rangeOf(parameters, nowNs);
  const isCategorized = isCategorizing(parameters);
  const streams = await evaluateLogs(reader, expr, {
    tenant,
    fromNs: startNs,
    toNs: endNs,
    direction: directionOf(parameters),
    limit: lineLimitOf(parameters),
    mostCharacters: mostTailed,
    isCategorized,
    signal,
  });
  const text = [...streamTexts(streams, isCategorized)].join(',');
  return pieces([`{"isFull":${text.length > mostTailed},"streams":[${text}]}`]);
}
