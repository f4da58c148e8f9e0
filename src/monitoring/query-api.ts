// Prometheus' query API: the same routes on a pipeline's own endpoint, with its key, and on the management side, with a
// token. promql/api/answer.ts answers them, in a reader thread.
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import { formOf, pathParameter } from '../surface/docs/openapi.ts';
import type { Exchange, Parameter, Reply, Route } from '../surface/http/exchange.ts';
import { forward } from '../surface/http/forward.ts';
import { statusOf } from '../surface/http/payload.ts';
import type { MetricThreads } from './threads/threads.ts';

// The address of the node that has the metrics, if it is another one.
export type Elsewhere = () => Promise<string | undefined>;

export const otherNode = (address: string): string =>
  `The metrics are kept by the node at ${address}; a server for all nodes can be named by --metrics.`;

export interface QueryTools {
  threads: MetricThreads;
  now: () => number;
  elsewhere: Elsewhere;
}

export interface QueryRouteOptions {
  front: string; // of the paths
  name: string; // of the operations
  tenant(x: Exchange): Promise<string>;
}

const mostForm = 1024 * 1024;

const questions: [path: string, name: string, summary: string, parameters: string[], canPost: boolean][] = [
  ['query', 'query', 'Evaluate PromQL at one time', ['query', 'time'], true],
  ['query_range', 'query_range', 'Evaluate PromQL over a range of time', ['query', 'start', 'end', 'step'], true],
  ['labels', 'labels', 'Names of labels', ['match[]', 'start', 'end'], true],
  ['label/{label}/values', 'label_values', 'Values of a label', ['match[]', 'start', 'end'], false],
  ['series', 'series', 'Series that match', ['match[]', 'start', 'end'], true],
  ['metadata', 'metadata', 'Types and help of metrics', ['metric', 'limit'], false],
  ['query_exemplars', 'query_exemplars', 'Exemplars: none are kept', ['query', 'start', 'end'], true],
  ['format_query', 'format_query', 'PromQL, formatted', ['query'], true],
  ['status/buildinfo', 'buildinfo', 'Which server this says it is', [], false],
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
  time: 'RFC 3339 or seconds since 1970; now where it is absent',
  start: 'RFC 3339 or seconds since 1970',
  end: 'RFC 3339 or seconds since 1970',
  step: 'Seconds, or a duration such as 1m',
  'match[]': 'A selector such as up{job="x"}; several are possible',
  metric: 'Of this metric alone',
  limit: 'At most so many',
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

async function ask({ threads, now, elsewhere }: QueryTools, x: Exchange, path: string): Promise<Reply> {
  const away = await elsewhere();
  if (away !== undefined) return forward(x, away, pathThere(x), otherNode(away));
  const form = x.bytes.length > 0 ? Buffer.from(x.bytes).toString('utf8') : '';
  const parameters = [x.query, form].filter((text) => text !== '').join('&');
  const tenant = tenants.get(x) as string;
  const origin = { group: String(x.who.contract), signal: x.signal };
  try {
    const { status, body } = await threads.query({ tenant, path, parameters, nowMs: now() }, origin);
    return { status, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
  } catch (error) {
    if (error instanceof Fault) return drawQueryFault(error);
    throw error;
  }
}

// A request by host name is forwarded by a path.
function pathThere(x: Exchange): string {
  if (x.prefix !== '') return x.prefix + x.path;
  if (x.service?.name === 'metrics') return `/monitoring/ingest${x.path}`;
  return `${x.region === undefined ? '' : `/${x.region}`}/monitoring${x.path}`;
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
