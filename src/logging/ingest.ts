// The data plane of a pipeline over HTTP, authenticated by its key: JSON records, the push API of Loki, OTLP, and the
// query API of Loki. Errors have the form of these protocols.
import { Fault } from '../base/fault.ts';
import { codingOf, mediaTypeOf } from '../core/push/push-body.ts';
import type { Alerting } from '../surface/alerting/source.ts';
import { binarySchema, pathParameter, textSchema } from '../surface/docs/openapi.ts';
import type { Exchange, MediaTypes, Reply, Route, Service } from '../surface/http/exchange.ts';
import { json } from '../surface/http/exchange.ts';
import { keyAuthentication } from '../surface/pipelines/key-authentication.ts';
import type { PipelineKeys } from '../surface/pipelines/key-check.ts';
import { faultStatus, otlpForms, otlpReply } from '../surface/pipelines/otlp-reply.ts';
import type { LogPipeline } from './pipeline.ts';
import type { LogPushed, LogPushFormat } from './push/push.ts';
import type { Pushes } from './pushes.ts';
import { drawLogQueryFault, type LogQueryTools, logQueryRoutes } from './query/routes.ts';

export interface IngestTools {
  keys: PipelineKeys<LogPipeline>;
  pushes: Pushes;
  queries: LogQueryTools;
  alerting: Pick<Alerting, 'readRoutes'> | undefined;
}

const mostBody = 32 * 1024 * 1024;

// By path: the format and the documentation of each media type.
interface PushPath {
  path: string;
  name: string;
  summary: string;
  formats: Readonly<Record<string, LogPushFormat>>;
  status: number;
  bodyTypes?: MediaTypes;
}

const ofOtlp = {
  'application/x-protobuf': 'otlp',
  'application/protobuf': 'otlp',
  'application/json': 'otlp-json',
} as const;
const paths: readonly PushPath[] = [
  {
    path: '/{tag}',
    name: 'push',
    summary: 'Send JSON records: an object, a list of objects, or an object on each line',
    formats: {
      'application/json': 'records',
      'application/x-ndjson': 'records',
      'application/ndjson': 'records',
      'application/jsonl': 'records',
      'application/json-lines': 'records',
      'application/stream+json': 'records',
    },
    status: 200,
    bodyTypes: {
      'application/json': {
        type: ['object', 'array'],
        items: { type: 'object' },
        examples: [{ level: 'info', message: 'Hello' }],
      },
      'application/x-ndjson': textSchema,
    },
  },
  {
    path: '/loki/api/v1/push',
    name: 'push_loki',
    summary: 'Send lines with the push API of Loki; the label tag names the stream',
    formats: { 'application/x-protobuf': 'loki', 'application/protobuf': 'loki', 'application/json': 'loki-json' },
    status: 204,
    bodyTypes: {
      'application/json': {
        type: 'object',
        description: 'Times are strings with nanoseconds since 1970; 0 means the time of receipt',
        properties: { streams: { type: 'array', items: { type: 'object' } } },
        examples: [{ streams: [{ stream: { tag: 'app' }, values: [['0', 'Hello']] }] }],
      },
      'application/x-protobuf': binarySchema,
    },
  },
  {
    path: '/v1/logs',
    name: 'push_otlp',
    summary: 'Send log records with OTLP/HTTP; the attribute tag names the stream',
    formats: ofOtlp,
    status: 200,
  },
  {
    path: '/otlp/v1/logs',
    name: 'push_otlp_below',
    summary: 'Send log records with OTLP/HTTP; the attribute tag names the stream',
    formats: ofOtlp,
    status: 200,
  },
  {
    path: '/fluent/v1/forward',
    name: 'push_forward',
    summary: 'Send one message of the forward protocol',
    formats: { 'application/msgpack': 'forward' },
    status: 200,
    bodyTypes: { 'application/msgpack': binarySchema },
  },
];

// Of the pipelines.
export const pipelineHosts = ['<number>-logs.<account>.logging.<region>'];

export function ingestService(tools: IngestTools): Service {
  const { authentication, pipelineOf } = keyAuthentication(tools.keys);
  return {
    name: 'logs',
    title: 'Logs of a pipeline',
    description:
      "A pipeline's own address, with its key: send log lines (JSON records, Loki's push API, OTLP) and search them by " +
      'LogQL.',
    prefixes: ['/logging/ingest'],
    hosts: pipelineHosts,
    takesBasic: false,
    authentication,
    routes: [
      ...paths.map((path) => pushRoute(tools, pipelineOf, path)),
      ...logQueryRoutes(tools.queries, { front: '/{number}', name: 'logs', tenant: async (x) => pipelineOf(x).id }),
      ...(tools.alerting?.readRoutes({ path: '/{number}/prometheus', name: 'logs' }, async (x) => ({
        source: 'logging',
        ...pipelineOf(x),
      })) ?? []),
    ],
    failures: { 'text/plain': textSchema },
    renderFault: (fault) => (fault instanceof Unsupported ? plain(415, fault.message) : drawLogQueryFault(fault)),
  };
}

function pushRoute(tools: IngestTools, pipelineOf: (x: Exchange) => LogPipeline, push: PushPath): Route {
  const { path, name, summary, status, bodyTypes } = push;
  return {
    method: 'POST',
    path: `/{number}${path}`,
    operation: `logs_${name}`,
    summary,
    takesBytes: true,
    bodyLimit: mostBody,
    replyStatus: status,
    ...(status === 200 && { replySchema: { type: 'object' } }),
    ...(path === '/{tag}' && { parameters: [pathParameter('tag', 'The stream', 'app')] }),
    failsAlso: { statuses: [400, 404, 413, 415], types: {} },
    ...(bodyTypes ? { bodyTypes } : otlpForms('resourceLogs')),
    call: (x) => take(tools, pipelineOf(x), x, push),
  };
}

async function take(
  tools: IngestTools,
  pipeline: LogPipeline,
  x: Exchange,
  { formats, path }: PushPath,
): Promise<Reply> {
  const { 'content-type': sent, 'content-encoding': encoded } = x.req.headers;
  const { type } = mediaTypeOf(sent ?? '');
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined;
  const coding = codingOf(encoded, format === 'loki' ? 'snappy' : 'identity');
  if (!format || !coding) throw new Unsupported(Object.keys(formats), sent, encoded);
  const tag = path === '/{tag}' ? { tag: x.params.at(-1) ?? '' } : {};
  const pushed = await tools.pushes.push(pipeline, format === 'forward' ? 'tcp' : 'http', {
    format,
    coding,
    body: x.bytes,
    ...tag,
  });
  return replyOf(format, pushed);
}

function replyOf(format: LogPushFormat, pushed: LogPushed): Reply {
  const { lines, dropped, reasons, fault, ack } = pushed;
  if (format === 'otlp' || format === 'otlp-json') return otlpReply(format, outcomeOf(pushed), 'rejectedLogRecords');
  if (fault?.kind === 'unknown tag') return plain(format === 'records' ? 404 : 400, fault.message);
  if (fault) return plain(faultStatus[fault.kind], fault.message);
  if (dropped > 0) return plain(400, `${dropped} lines were rejected, ${lines} were stored: ${reasons.join('; ')}`);
  if (format === 'loki' || format === 'loki-json') return { status: 204 };
  return json(200, { lines, ...(ack !== undefined && { ack }) });
}

const outcomeOf = ({ dropped, reasons, fault }: LogPushed) => ({
  rejected: dropped,
  reasons,
  ...(fault && {
    fault: { kind: fault.kind === 'unknown tag' ? ('unreadable' as const) : fault.kind, message: fault.message },
  }),
});

const plain = (status: number, message: string): Reply => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${message}\n`,
});

class Unsupported extends Fault {
  constructor(types: readonly string[], type = 'none', encoding = 'none') {
    const got = `Content-Type ${type.slice(0, 80)}, Content-Encoding ${encoding.slice(0, 40)}`;
    const possible = `${types.join(', ')}; Content-Encoding gzip, zstd, snappy, deflate or identity`;
    super('refused', `Unsupported media type: ${got}. Supported: ${possible}.`, { code: '415' });
  }
}
