// The data plane of a pipeline, authenticated by its key: pushes in all formats of agents, and the query API of
// Prometheus. Errors have the form of these protocols.
import { Fault } from '../base/fault.ts';
import { binarySchema, textSchema } from '../surface/docs/openapi.ts';
import type { Exchange, Reply, Route, Service } from '../surface/http/exchange.ts';
import { statusOf } from '../surface/http/payload.ts';
import { keyAuthentication } from '../surface/pipelines/key-authentication.ts';
import type { PipelineKeys } from '../surface/pipelines/key-check.ts';
import { faultStatus, otlpForms, otlpReply } from '../surface/pipelines/otlp-reply.ts';
import type { Alerts } from './alerts/alerts.ts';
import type { Pushed } from './engine/engine.ts';
import type { MetricPipeline } from './pipeline.ts';
import { formatOf } from './push/formats.ts';
import type { PushFormat } from './push/sink.ts';
import { drawQueryFault, queryRoutes, resultSchema } from './query-api.ts';
import type { MetricThreads } from './threads/threads.ts';

export interface IngestTools {
  keys: PipelineKeys<MetricPipeline>;
  threads: MetricThreads;
  alerts: Pick<Alerts, 'readRoutes'>;
  now: () => number; // the movable clock …
  real: () => number; // … and the real clock of agents
}

const mb = 1024 * 1024;
const mostBody = 32 * mb;
const dayMs = 86_400_000;
const aheadMs = 10 * 60_000;
export const pushLimits = {
  series: 1_000_000,
  accountSeries: 2_000_000,
  labels: 64,
  nameBytes: 1024,
  valueBytes: 4096,
};

export function ingestService(tools: IngestTools): Service {
  const { authentication, pipelineOf } = keyAuthentication(tools.keys);
  return {
    name: 'metrics',
    title: 'Metrics of a pipeline',
    description:
      "A pipeline's own endpoint, with its key: push metrics (Prometheus remote write, text, OpenMetrics, JSON, OTLP) " +
      'and query them with PromQL.',
    prefixes: ['/monitoring/ingest'],
    hosts: ['<number>-metrics.<account>.monitoring.<region>'],
    takesBasic: false,
    authentication,
    routes: routes(tools, pipelineOf),
    failures: { 'application/json': resultSchema, 'text/plain': textSchema },
    renderFault: (fault, x) => (isQuery(x) ? drawQueryFault(fault) : drawPushFault(fault)),
  };
}

const isQuery = (x: Exchange): boolean => x.route?.operation.startsWith('metrics_push') !== true;

function routes(tools: IngestTools, pipelineOf: PipelineOf): Route[] {
  const pushes = [
    ['/api/v1/push', 'push'],
    ['/api/v1/write', 'push_write'],
    ['/v1/metrics', 'push_otlp'],
    ['/otlp/v1/metrics', 'push_otlp_below'],
    ['/api/v1/otlp/v1/metrics', 'push_otlp_prometheus'],
  ] as const;
  return [
    ...pushes.map(([path, name]) =>
      pushRoute(tools, pipelineOf, `/{number}${path}`, `metrics_${name}`, name.includes('otlp')),
    ),
    ...['/{number}', '/{number}/prometheus'].flatMap((front) => {
      const name = front.endsWith('prometheus') ? 'metrics_below' : 'metrics';
      return [
        ...queryRoutes(tools, { front, name, tenant: async (x) => pipelineOf(x).id }),
        ...tools.alerts.readRoutes({ path: front, name }, async (x) => ({ source: 'monitoring', ...pipelineOf(x) })),
      ];
    }),
  ];
}

const records = { type: 'array', items: { type: 'object' } };
const pushTypes = {
  'application/json': {
    type: 'object',
    properties: { timeseries: records, metrics: records, metadata: records },
    examples: [{ metrics: [{ name: 'example', labels: { job: 'example' }, value: 1 }] }],
  },
  'text/plain': textSchema,
  'application/openmetrics-text': textSchema,
  'application/x-protobuf': binarySchema,
};

type PipelineOf = (x: Exchange) => MetricPipeline;

function pushRoute(
  tools: IngestTools,
  pipelineOf: PipelineOf,
  path: string,
  operation: string,
  isOtlp: boolean,
): Route {
  return {
    method: 'POST',
    path,
    operation,
    summary: isOtlp ? 'Push metrics with OTLP/HTTP' : 'Push metrics: remote write, text, OpenMetrics or JSON',
    takesBytes: true,
    bodyLimit: mostBody,
    replyStatus: isOtlp ? 200 : 204,
    ...(isOtlp
      ? otlpForms('resourceMetrics')
      : { bodyTypes: pushTypes, failsAlso: { statuses: [400, 413, 415], types: { 'text/plain': textSchema } } }),
    call: (x) => push(tools, pipelineOf(x), x, isOtlp),
  };
}

async function push(
  { threads, now, real }: IngestTools,
  pipeline: MetricPipeline,
  x: Exchange,
  isOtlp: boolean,
): Promise<Reply> {
  const { 'content-type': type, 'content-encoding': encoding } = x.req.headers;
  const sent = formatOf(type, encoding, isOtlp ? 'otlp' : 'push');
  if (!sent) throw new Unsupported(isOtlp, type, encoding);
  const earliest = Math.min(now(), real());
  const latest = Math.max(now(), real());
  const limits = {
    ...pushLimits,
    oldestMs: earliest - pipeline.retentionInDays * dayMs,
    newestMs: latest + aheadMs,
  };
  const job = {
    tenant: pipeline.id,
    account: String(pipeline.contract),
    push: { ...sent, body: x.bytes, receivedMs: latest },
    limits,
  };
  return pushReply(sent.format, await threads.push(job));
}

function pushReply(format: PushFormat, pushed: Pushed): Reply {
  if (format === 'otlp' || format === 'otlp-json') return otlpReply(format, pushed, 'rejectedDataPoints');
  const written =
    format === 'remote-write-2'
      ? [
          'X-Prometheus-Remote-Write-Samples-Written',
          String(pushed.samples),
          'X-Prometheus-Remote-Write-Histograms-Written',
          '0',
          'X-Prometheus-Remote-Write-Exemplars-Written',
          '0',
        ]
      : [];
  if (pushed.fault) return plain(faultStatus[pushed.fault.kind], pushed.fault.message, written);
  if (pushed.rejected === 0) return { status: 204, headers: written };
  const message = `${pushed.rejected} samples were rejected, ${pushed.samples} stored: ${pushed.reasons.join('; ')}`;
  return plain(400, message, written);
}

const plain = (status: number, message: string, headers: string[] = []): Reply => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${message}\n`,
  headers,
});

class Unsupported extends Fault {
  constructor(isOtlp: boolean, type = 'none', encoding = 'none') {
    const types = isOtlp
      ? 'application/x-protobuf, application/json (OTLP; send other formats to /api/v1/push)'
      : 'application/x-protobuf (remote write), text/plain, application/openmetrics-text, application/json';
    const forms = `${types}; Content-Encoding snappy, gzip, zstd, deflate or identity`;
    const got = `Content-Type ${type.slice(0, 80)}, Content-Encoding ${encoding.slice(0, 40)}`;
    super('refused', `Unsupported media type: ${got}. Supported: ${forms}.`, { code: '415' });
  }
}

function drawPushFault(fault: Fault): Reply {
  const status = fault instanceof Unsupported ? 415 : statusOf[fault.kind];
  const headers = status === 401 ? ['WWW-Authenticate', 'Bearer realm="cumulet"'] : [];
  if (fault.detail.retryAfterS !== undefined) headers.push('Retry-After', String(Math.ceil(fault.detail.retryAfterS)));
  if (fault.detail.allow) headers.push('Allow', fault.detail.allow.join(', '));
  return plain(status, fault.message, headers);
}
