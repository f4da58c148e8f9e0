// Loki's query API: the same routes on a pipeline's own address, with its key, and in the management API, with a token.
// answer.ts answers them in a reader thread; tail.ts follows a query on a WebSocket.

import { Fault } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import { retryAfterS } from '../../core/engines/server-watch.ts';
import { formOf, pathParameter, textSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Parameter, Reply, Route } from '../../surface/http/exchange.ts';
import { statusOf } from '../../surface/http/payload.ts';
import type { LogStore } from '../store.ts';
import { encodingFlags } from './parameters.ts';
import { Tails } from './tail.ts';

export interface LogQueryTools {
  store: Pick<LogStore, 'ask'>;
  now: () => number;
}

export interface LogQueryRouteOptions {
  front: string; // prefix of the paths: '' or /pipelines/{pipelineId}
  name: string; // prefix of the operation names
  tenant(x: Exchange): Promise<string>; // finds the pipeline and checks that the caller may search it
}

const mostForm = 1024 * 1024;

const times = ['start', 'end', 'since'];
const questions: [path: string, name: string, summary: string, parameters: string[], canPost: boolean][] = [
  ['query', 'query', 'Evaluate a LogQL metric query at one time', ['query', 'time'], true],
  [
    'query_range',
    'query_range',
    'Search lines, or evaluate a metric query, over a range of time',
    ['query', ...times, 'step', 'interval', 'limit', 'direction'],
    true,
  ],
  ['labels', 'labels', 'Names of labels', ['query', ...times], true],
  ['label', 'label', 'Names of labels', ['query', ...times], true],
  ['label/{label}/values', 'label_values', 'Values of a label', ['query', ...times], false],
  ['series', 'series', 'Streams that match', ['match[]', ...times], true],
  ['index/stats', 'index_stats', 'Count streams, chunks, lines and bytes', ['query', ...times], true],
  [
    'index/volume',
    'index_volume',
    'Bytes by labels',
    ['query', ...times, 'limit', 'targetLabels', 'aggregateBy'],
    true,
  ],
  [
    'index/volume_range',
    'index_volume_range',
    'Read the bytes by labels over time',
    ['query', ...times, 'step', 'targetLabels'],
    true,
  ],
  ['detected_labels', 'detected_labels', 'List labels and their numbers of values', ['query', ...times], true],
  [
    'detected_fields',
    'detected_fields',
    'List fields in a sample of lines',
    ['query', ...times, 'limit', 'line_limit'],
    true,
  ],
  [
    'detected_field/{field}/values',
    'detected_field_values',
    'List values of a field in a sample of lines',
    ['query', ...times, 'limit', 'line_limit'],
    false,
  ],
  ['format_query', 'format_query', 'LogQL, formatted', ['query'], true],
  ['status/buildinfo', 'buildinfo', 'Read the version of Loki that this server reports', [], false],
];

export function logQueryRoutes(tools: LogQueryTools, options: LogQueryRouteOptions): Route[] {
  const tenants = new WeakMap<Exchange, string>();
  const resolve = async (x: Exchange): Promise<void> => void tenants.set(x, await options.tenant(x));
  const tails = new Tails(tools);
  const front = `${options.front}/loki/api/v1`;
  const routes = questions.flatMap(([path, name, summary, parameters, canPost]) =>
    (canPost ? ['GET', 'POST'] : ['GET']).map((method): Route => {
      const isForm = method === 'POST';
      return {
        method,
        path: `${front}/${path}`,
        operation: `${options.name}_${name}${isForm ? '_form' : ''}`,
        summary,
        unaudited: true,
        ...(isForm && { takesBytes: true, bodyLimit: mostForm, bodyTypes: formOf(parameters.map(queryParameter)) }),
        parameters: [...pathParameters(path), ...parameters.map(queryParameter)],
        replySchema,
        failsAlso: { statuses: [400, 404, 429, 503, 504], types: plainText },
        resolve,
        call: (x) => ask(tools, x, tenants.get(x) as string, questionPath(path, x)),
      };
    }),
  );
  return [
    ...routes,
    {
      method: 'GET',
      path: `${front}/tail`,
      operation: `${options.name}_tail`,
      summary: 'Follow a query on a WebSocket',
      unaudited: true,
      parameters: ['query', 'start', 'limit', 'delay_for'].map(queryParameter),
      failsAlso: { statuses: [400, 429, 503], types: plainText },
      resolve,
      call: () => plainReply(400, 'Bad Request: a WebSocket is needed to follow a query'),
      upgrade: (x, socket) => tails.follow(x, socket, tenants.get(x) as string),
    },
  ];
}

const questionPath = (path: string, x: Exchange): string =>
  path.replace(/\{(?:label|field)\}/, encodeURIComponent(x.params.at(-1) ?? ''));

const pathParameters = (path: string): Parameter[] => {
  if (path.includes('{label}')) return [pathParameter('label', 'The name of the label', 'tag')];
  return path.includes('{field}') ? [pathParameter('field', 'The name of the field', 'status')] : [];
};

const queryParameter = (name: string): Parameter => ({
  name,
  in: 'query',
  description: described[name] ?? '',
  schema: name === 'match[]' ? { type: 'array', items: { type: 'string' } } : { type: 'string' },
});

const moment = 'Nanoseconds or seconds since 1970, or RFC 3339';
const described: Record<string, string> = {
  query: 'LogQL, such as {tag="web"} |= "error"',
  time: `${moment}; the default is now`,
  start: moment,
  end: moment,
  since: 'The length of the range if there is no start: a duration such as 1h',
  step: 'Seconds, or a duration such as 1m',
  interval: 'The minimum time between two lines: seconds or a duration',
  limit: 'The maximum number of results',
  line_limit: 'The number of lines in the sample',
  direction: 'backward (newest first) or forward',
  'match[]': 'A selector such as {tag="web"}; can be repeated',
  targetLabels: 'Names of labels, separated by commas',
  aggregateBy: 'series or labels',
  delay_for: 'Seconds to wait for lines that arrive late, at most 5',
};

const replySchema: Json = { type: 'object' };
const plainText = { 'text/plain': textSchema };

async function ask(tools: LogQueryTools, x: Exchange, tenant: string, path: string): Promise<Reply> {
  const form = x.bytes.length > 0 ? Buffer.from(x.bytes).toString('utf8') : '';
  const flags = x.req.headers[encodingFlags.toLowerCase()];
  const header = flags === undefined ? '' : `${encodingFlags}=${encodeURIComponent(String(flags))}`;
  const parameters = [x.query, form, header].filter((text) => text !== '').join('&');
  try {
    const question = { tenant, path, parameters, nowMs: tools.now() };
    const { status, contentType, body } = await tools.store.ask(question, {
      group: String(x.who.contract),
      signal: x.signal,
    });
    const headers = status === 503 ? ['Retry-After', String(retryAfterS)] : [];
    return { status, stream: body, headers, ...(contentType !== undefined && { type: contentType }) };
  } catch (error) {
    if (error instanceof Fault) return drawLogQueryFault(error);
    throw error;
  }
}

const plainReply = (status: number, body: string, headers: string[] = []): Reply => ({
  status,
  body,
  type: 'text/plain; charset=utf-8',
  headers,
});

// Loki's errors are plain text.
export function drawLogQueryFault(fault: Fault): Reply {
  const status = statusOf[fault.kind];
  const headers = status === 401 ? ['WWW-Authenticate', 'Bearer realm="cumulet"'] : [];
  if (fault.detail.retryAfterS !== undefined) headers.push('Retry-After', String(Math.ceil(fault.detail.retryAfterS)));
  if (fault.detail.allow) headers.push('Allow', fault.detail.allow.join(', '));
  return plainReply(status, fault.message, headers);
}
