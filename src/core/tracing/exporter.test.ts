// The export of spans to a collector that receives them, refuses them or is down.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTrace } from '../../base/trace/trace-context.ts';
import { OtlpReceiver } from '../../testing/otlp-receiver.ts';
import { until } from '../../testing/waiting.ts';
import { SpanExporter } from './exporter.ts';
import type { Span } from './span.ts';

const spanOf = (name: string, attributes: Span['attributes'] = {}): Span => ({
  trace: { ...newTrace(), state: 'vendor=value' },
  name,
  kind: 'server',
  startedAt: 1000.25,
  endedAt: 1001.5,
  attributes,
});

function open(url: string) {
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const log = { info: note, warn: note, error: note };
  const resource = () => ({ 'service.name': 'cumulet', 'service.instance.id': undefined });
  return { exporter: new SpanExporter({ url: `${url}/v1/traces`, resource, log }), logged };
}

test('spans are sent in the encoding of OTLP, and the rest when the exporter closes', async () => {
  await using receiver = await new OtlpReceiver().listen();
  const { exporter } = open(receiver.url);
  const span = spanOf('GET /a', { 'http.response.status_code': 503, 'error.type': '503', absent: undefined });
  exporter.add(span);
  assert.deepEqual(exporter.figures(), { exported: 0, dropped: 0, queued: 1 });
  await exporter.close();
  assert.deepEqual(exporter.figures(), { exported: 1, dropped: 0, queued: 0 });
  const [sent] = receiver.spans;
  assert.deepEqual(
    { ...sent, startTimeUnixNano: undefined, endTimeUnixNano: undefined },
    {
      traceId: span.trace.traceId,
      spanId: span.trace.spanId,
      traceState: 'vendor=value',
      flags: 1,
      name: 'GET /a',
      kind: 2,
      status: { code: 2 },
      attributes: { 'http.response.status_code': '503', 'error.type': '503' },
      resource: { 'service.name': 'cumulet' },
      startTimeUnixNano: undefined,
      endTimeUnixNano: undefined,
    },
  );
  const { startTimeUnixNano: from = '', endTimeUnixNano: to = '' } = sent ?? {};
  assert.equal(BigInt(to) - BigInt(from), 1_250_000n);
  const startedMs = performance.timeOrigin + span.startedAt;
  assert.ok(Math.abs(Number(BigInt(from) / 1_000_000n) - startedMs) < 100, `${from} is not near ${startedMs}`);
});

test('512 spans are sent at once, fewer after a second', async () => {
  await using receiver = await new OtlpReceiver().listen();
  const { exporter } = open(receiver.url);
  const startedAt = performance.now();
  for (let count = 0; count < 513; count++) exporter.add(spanOf('one'));
  await until('a full batch', () => receiver.spans.length === 512);
  await until('the rest', () => receiver.spans.length === 513);
  assert.ok(performance.now() - startedAt >= 900);
  assert.equal(receiver.bodies.length, 2);
  await exporter.close();
});

test('a collector that is down costs a bounded queue, counts drops and is logged once', async () => {
  const receiver = await new OtlpReceiver().listen();
  const { url } = receiver;
  await receiver[Symbol.asyncDispose]();
  const { exporter, logged } = open(url);
  for (let count = 0; count < 10_000; count++) exporter.add(spanOf('one'));
  assert.deepEqual(exporter.figures(), { exported: 0, dropped: 10_000 - 17 * 512, queued: 16 * 512 });
  await exporter.close();
  assert.deepEqual(exporter.figures(), { exported: 0, dropped: 10_000, queued: 0 });
  assert.deepEqual(logged, ['traces can not be exported']);
  exporter.add(spanOf('late'));
  assert.deepEqual(exporter.figures(), { exported: 0, dropped: 10_001, queued: 0 });
});

test('a batch is repeated if the collector is busy, and dropped if it refuses the batch', async () => {
  await using receiver = await new OtlpReceiver().listen();
  const { exporter, logged } = open(receiver.url);
  receiver.status = 503;
  exporter.add(spanOf('repeated'));
  await until('a first attempt', () => receiver.bodies.length === 1);
  receiver.status = 200;
  await until('a second attempt', () => receiver.spans.length === 1);
  assert.deepEqual(logged, []);
  receiver.status = 400;
  exporter.add(spanOf('refused'));
  await until('the refusal', () => exporter.figures().dropped === 1);
  receiver.status = 200;
  exporter.add(spanOf('accepted'));
  await exporter.close();
  assert.deepEqual(logged, ['traces can not be exported', 'traces are exported again']);
  assert.deepEqual(
    receiver.spans.map(({ name }) => name),
    ['repeated', 'accepted'],
  );
});
