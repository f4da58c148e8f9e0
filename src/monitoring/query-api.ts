// Prometheus' query API: the same routes on a pipeline's own endpoint, with its key, and in the management API, with a
// token. promql/api/answer.ts answers them in a reader thread.

import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import { retryAfterS } from '../core/engines/server-watch.ts';
import { formOf, pathParameter } from '../surface/docs/openapi.ts';
import type { Exchange, Parameter, Reply, Route } from '../surface/http/exchange.ts';
import { statusOf } from '../surface/http/payload.ts';
import type { MetricThreads } from './threads/threads.ts';

export interface QueryTools {
  threads: MetricThreads;
  now: () => number;
}

export interface QueryRouteOptions {
  front: string; // prefix of the paths
  name: string; // prefix of the operation names
  tenant(x: Exchange): Promise<string>;
}

const mostForm = 1024 * 1024;

const questions: [path: string, name: string, summary: string, parameters: string[], canPost: boolean][] = [
  ['query', 'query', 'Evaluate PromQL at one time', ['query', 'time'], true],
  ['query_range', 'query_range', 'Evaluate PromQL over a range of time', ['query', 'start', 'end', 'step'], true],
  ['labels', 'labels', 'Names of labels', ['match[]', 'start', 'end'], true],
  ['label/{label}/values', 'label_values', 'Values of a label', ['match[]', 'start', 'end'], false],
  ['series', 'series', 'Series that match', ['match[]', 'start', 'end'], true],
  ['metadata', 'metadata', 'Read the types and help texts of metrics', ['metric', 'limit'], false],
  [
    'query_exemplars',
    'query_exemplars',
    'Read exemplars; always empty, because none are stored',
    ['query', 'start', 'end'],
    true,
  ],
  ['format_query', 'format_query', 'PromQL, formatted', ['query'], true],
  ['status/buildinfo', 'buildinfo', 'Read the version of Prometheus that this server reports', [], false],
];

export function queryRoutes(tools: QueryTools, options: QueryRouteOptions): Route[] {
  return questions.flatMap(([path, name, summary, parameters, canPost]) =>
    (canPost ? ['GET', 'POST'] : ['GET']).map((method): Route => {
      const isForm = method === 'POST';
      return {
        method,
        path: `${options.front}/api/v1/${path}`,
        operation: `${options.name}_${name}${isForm ? '_form' : ''}`,
        summary,
        unaudited: true,
        ...(isForm && { takesBytes: true, bodyLimit: mostForm, bodyTypes: formOf(parameters.map(queryParameter)) }),
        parameters: [
          ...(path.includes('{label}') ? [pathParameter('label', 'The name of the label', 'job')] : []),
          ...parameters.map(queryParameter),
        ],
        replySchema: resultSchema,
        failsAlso: { statuses: [400, 422, 429, 503], types: { 'application/json': resultSchema } },
        resolve: async (x) => void tenants.set(x, await options.tenant(x)),
        call: (x) => ask(tools, x, path.replace('{label}', encodeURIComponent(x.params.at(-1) ?? ''))),
      };
    }),
  );
}

const tenants = new WeakMap<Exchange, string>();

const queryParameter = (name: string): Parameter => ({
  name,
  in: 'query',
  description: described[name] ?? '',
  schema: name === 'match[]' ? { type: 'array', items: { type: 'string' } } : { type: 'string' },
});

const described: Record<string, string> = {
  query: 'A PromQL expression',
  time: 'RFC 3339 or seconds since 1970; the default is now',
  start: 'RFC 3339 or seconds since 1970',
  end: 'RFC 3339 or seconds since 1970',
  step: 'Seconds, or a duration such as 1m',
  'match[]': 'A selector such as up{job="x"}; can be repeated',
  metric: 'The name of a metric; without it, all metrics',
  limit: 'The maximum number of results',
};

export const resultSchema: Json = {
  type: 'object',
  required: ['status'],
  properties: {
    status: { enum: ['success', 'error'] },
    data: {},
    errorType: { type: 'string' },
    error: { type: 'string' },
  },
};

async function ask({ threads, now }: QueryTools, x: Exchange, path: string): Promise<Reply> {
  const form = x.bytes.length > 0 ? Buffer.from(x.bytes).toString('utf8') : '';
  const parameters = [x.query, form].filter((text) => text !== '').join('&');
  const tenant = tenants.get(x) as string;
  const origin = { group: String(x.who.contract), signal: x.signal };
  try {
    const { status, body } = await threads.query({ tenant, path, parameters, nowMs: now() }, origin);
    const headers = status === 503 ? ['Retry-After', String(retryAfterS)] : [];
    return { status, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength), headers };
  } catch (error) {
    if (error instanceof Fault) return drawQueryFault(error);
    throw error;
  }
}

const errorTypes: Partial<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'too_many_requests',
  500: 'internal',
};

export function drawQueryFault(fault: Fault): Reply {
  const status = statusOf[fault.kind];
  const errorType = errorTypes[status] ?? (status >= 500 ? 'unavailable' : 'bad_data');
  const headers = status === 401 ? ['WWW-Authenticate', 'Bearer realm="cumulet"'] : [];
  if (fault.detail.retryAfterS !== undefined) headers.push('Retry-After', String(Math.ceil(fault.detail.retryAfterS)));
  if (fault.detail.allow) headers.push('Allow', fault.detail.allow.join(', '));
  return { status, body: JSON.stringify({ status: 'error', errorType, error: fault.message }), headers };
}
