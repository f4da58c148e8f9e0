// Answers the HTTP API of Prometheus from a reader: queries, and lists of series, labels and metadata. Errors are
// answers too, never exceptions.
import { Fault } from '../../../base/fault.ts';
import { leaseBuffers } from '../../engine/buffer-pool.ts';
import type { MetricReader, Selection } from '../../engine/engine.ts';
import type { Labels } from '../../series.ts';
import { type Evaluated, type EvaluationOptions, evaluate } from '../evaluate.ts';
import { QueryError, type QueryErrorKind } from '../query-error.ts';
import { isLabelName, quote } from '../syntax/literals.ts';
import { parseQuery } from '../syntax/parse.ts';
import { prettyQuery } from '../syntax/print.ts';
import type { Node } from '../syntax/tree.ts';
import { typeName, typeOf } from '../syntax/type-check.ts';
import {
  earliestMs,
  invalid,
  labelNameOf,
  latestMs,
  limitOf,
  lookbackOf,
  matchersOf,
  stepOf,
  timeOf,
  timeoutOf,
} from './parameters.ts';
import { errorBytes, listBytes, type ResultAnnotations, resultBytes, successBytes } from './render.ts';

export interface AnswerLimits {
  nowMs: number;
  mostSamples: number; // samples that a query may have in memory
  mostPoints: number; // points of one series in a result
  mostBytes?: number; // of the answer
  mostNumbers?: number; // samples and results, in memory at once
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  body: Uint8Array;
}

interface QueryRequest {
  reader: MetricReader;
  tenant: string;
  parameters: URLSearchParams;
  limits: AnswerLimits;
}

type Answering = (request: QueryRequest) => Promise<Uint8Array>;

// The Prometheus version of this PromQL, for clients that check it before they use new features.
const version = '3.15.0';
const truncated = 'results truncated due to limit';

const statuses: Readonly<Record<QueryErrorKind, number>> = {
  bad_data: 400,
  execution: 422,
  timeout: 503,
  canceled: 503,
  unavailable: 503,
  not_found: 404,
};

const answers: Readonly<Record<string, Answering>> = {
  query: instantQuery,
  query_range: rangeQuery,
  query_exemplars: ({ parameters }) => Promise.resolve(parsed(parameters) && successBytes([])),
  format_query: ({ parameters }) => Promise.resolve(successBytes(prettyQuery(parsed(parameters)))),
  labels: labelNames,
  series: seriesList,
  metadata,
  'status/buildinfo': () => Promise.resolve(successBytes(buildInfo)),
};

const buildInfo = { version, revision: 'cumulet', branch: '', buildUser: '', buildDate: '', goVersion: '' };

export async function answer(
  reader: MetricReader,
  tenant: string,
  path: string,
  parameters: URLSearchParams,
  limits: AnswerLimits,
): Promise<Answer> {
  const request = { reader, tenant, parameters, limits };
  const [, label] = /^label\/([^/]+)\/values$/.exec(path) ?? [];
  const answering = label === undefined ? answers[path] : () => labelValues(request, label);
  try {
    if (!answering || !(label !== undefined || Object.hasOwn(answers, path)))
      throw new QueryError('not_found', `unknown path ${path}`);
    return { status: 200, body: await answering(request) };
  } catch (error) {
    const { kind, message } = failureOf(error);
    return { status: statuses[kind], body: errorBytes(kind, message) };
  }
}

function failureOf(error: unknown): QueryError {
  if (error instanceof QueryError) return error;
  if (error instanceof Fault && error.kind === 'unavailable') return new QueryError('unavailable', error.message);
  if (error instanceof Fault) return new QueryError('execution', error.message);
  throw error;
}

function parsed(parameters: URLSearchParams): Node {
  return blamingQuery(() => parseQuery(parameters.get('query') ?? ''));
}

function blamingQuery<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw asInvalidQuery(error);
  }
}

function asInvalidQuery(error: unknown): unknown {
  return error instanceof QueryError && error.kind === 'bad_data' ? invalid('query', error.message) : error;
}

async function instantQuery(request: QueryRequest): Promise<Uint8Array> {
  const { parameters, limits } = request;
  const limit = limitOf(parameters);
  const momentMs = timeOf(parameters, 'time', limits.nowMs);
  return await queried(request, parsed(parameters), { startMs: momentMs, endMs: momentMs, stepMs: 0 }, limit);
}

async function rangeQuery(request: QueryRequest): Promise<Uint8Array> {
  const { parameters, limits } = request;
  const limit = limitOf(parameters);
  const startMs = timeOf(parameters, 'start');
  const endMs = timeOf(parameters, 'end');
  if (endMs < startMs) throw invalid('end', 'end timestamp must not be before start time');
  const stepMs = stepOf(parameters);
  if (Math.floor((endMs - startMs) / stepMs) > limits.mostPoints) {
    const most = limits.mostPoints.toLocaleString('en');
    const what = `exceeded maximum resolution of ${most} points per timeseries`;
    throw new QueryError('bad_data', `${what}. Try decreasing the query resolution (?step=XX)`);
  }
  const node = parsed(parameters);
  const type = typeOf(node);
  if (type !== 'scalar' && type !== 'vector') {
    const what = `invalid expression type ${quote(typeName(type))} for range query`;
    throw invalid('query', `${what}, must be Scalar or instant Vector`);
  }
  return await queried(request, node, { startMs, endMs, stepMs }, limit);
}

async function queried(
  { reader, tenant, parameters, limits }: QueryRequest,
  node: Node,
  times: Pick<EvaluationOptions, 'startMs' | 'endMs' | 'stepMs'>,
  limit: number,
): Promise<Uint8Array> {
  const timeoutMs = timeoutOf(parameters);
  const lookbackMs = lookbackOf(parameters);
  const signals = [
    limits.signal,
    timeoutMs !== undefined && AbortSignal.timeout(Math.max(0, Math.min(timeoutMs, 2 ** 31 - 1))),
  ];
  const signal = AbortSignal.any(signals.filter((one) => one instanceof AbortSignal));
  using buffers = leaseBuffers(limits.mostNumbers);
  const options = { ...times, mostSamples: limits.mostSamples, buffers, signal, ...(lookbackMs && { lookbackMs }) };
  let evaluated: Evaluated;
  try {
    evaluated = await evaluate(reader, tenant, node, options);
  } catch (error) {
    throw asInvalidQuery(error);
  }
  const query = parameters.get('query') ?? '';
  const { notes } = evaluated;
  const annotations: ResultAnnotations = { warnings: notes.texts('warning', query), infos: notes.texts('info', query) };
  if (limit > 0 && cut(evaluated, limit)) annotations.warnings.push(truncated);
  return resultBytes(evaluated, annotations, limits.mostBytes);
}

function cut({ result }: Evaluated, limit: number): boolean {
  const list = result.type === 'matrix' ? result.series : 'rows' in result ? result.rows : [];
  if (list.length <= limit) return false;
  list.length = limit;
  return true;
}

// Selects series of any of the given selectors, or all.
function selectionsOf({ tenant, parameters }: QueryRequest): Selection[] {
  const fromMs = timeOf(parameters, 'start', earliestMs);
  const toMs = timeOf(parameters, 'end', latestMs);
  const sets = matchersOf(parameters);
  return (sets.length > 0 ? sets : [[]]).map((matchers) => ({ tenant, matchers, fromMs, toMs }));
}

function listed<Item>(
  { parameters, limits }: QueryRequest,
  items: Item[],
  shown = (item: Item): unknown => item,
): Uint8Array {
  const limit = limitOf(parameters);
  const isCut = limit > 0 && items.length > limit;
  const list = isCut ? items.slice(0, limit) : items;
  return listBytes(list.values().map(shown), limits.mostBytes ?? Infinity, isCut ? { warnings: [truncated] } : {});
}

async function labelNames(request: QueryRequest): Promise<Uint8Array> {
  return listed(request, await request.reader.names(selectionsOf(request)));
}

async function labelValues(request: QueryRequest, given: string): Promise<Uint8Array> {
  const name = labelNameOf(decoded(given));
  if (!isLabelName(name)) throw new QueryError('bad_data', `invalid label name: ${quote(name)}`);
  return listed(request, await request.reader.values(name, selectionsOf(request)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new QueryError('bad_data', `invalid label name: ${quote(text)}`);
  }
}

async function seriesList(request: QueryRequest): Promise<Uint8Array> {
  if (!request.parameters.has('match[]')) throw new QueryError('bad_data', 'no match[] parameter provided');
  const found = await request.reader.series(selectionsOf(request));
  return listed(request, found, (labels: Labels) => Object.fromEntries(labels));
}

async function metadata({ reader, tenant, parameters }: QueryRequest): Promise<Uint8Array> {
  const [limit, perMetric] = ['limit', 'limit_per_metric'].map((name) => {
    const text = parameters.get(name) ?? '';
    if (text !== '' && !/^[+-]?\d+$/.test(text)) throw new QueryError('bad_data', `${name} must be a number`);
    return text === '' || Number(text) < 0 ? Number.POSITIVE_INFINITY : Number(text);
  }) as [number, number];
  const wanted = parameters.get('metric') ?? '';
  const found = new Map<string, { type: string; help: string; unit: string }[]>();
  for (const { name, type, help, unit } of await reader.described(tenant)) {
    if (wanted !== '' && name !== wanted) continue;
    const known = found.get(name);
    if (known && (perMetric === 0 || known.length < perMetric)) known.push({ type, help, unit });
    else if (!known && found.size < limit) found.set(name, [{ type, help, unit }]);
  }
  return successBytes(Object.fromEntries(found));
}
