// Traces that a region sends to a collector by OTLP: one tree for a call that two nodes serve and for the operation
// that it starts. A collector that is down affects no call.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { WebSocket } from 'ws';
import { limits } from '../../src/testing/limits.ts';
import { OtlpReceiver, type ReceivedSpan } from '../../src/testing/otlp-receiver.ts';
import { until } from '../../src/testing/waiting.ts';
import { addLogPipeline } from '../harness/logs.ts';
import { addPipeline, plainText } from '../harness/metrics.ts';
import { startNodes } from '../harness/nodes.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';

const callersId = 'b7ad6b7169203331';
let traces = 0;

function newTrace(flags = '01'): { traceId: string; headers: Record<string, string> } {
  const traceId = String(++traces).padStart(32, 'c');
  return { traceId, headers: { traceparent: `00-${traceId}-${callersId}-${flags}` } };
}

// Each span below its parent, by kind and name.
function treeOf(spans: readonly ReceivedSpan[], parent = callersId): object {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === parent);
  return Object.fromEntries(
    children.map(({ kind, name, spanId }) => [
      `${['', 'internal', 'server', 'client'][kind]} ${name}`,
      treeOf(spans, spanId),
    ]),
  );
}

async function figure(region: Region, name: string): Promise<number> {
  const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
  return Number(new RegExp(`^cumulet_traces_${name} (\\d+)$`, 'm').exec(body)?.[1]);
}

test('a forwarded call is one tree of both nodes, and a call that is not sampled is not exported', async () => {
  await using receiver = await new OtlpReceiver().listen();
  await using nodes = await startNodes(2, ['--traces', receiver.url]);
  const [first, second] = nodes.all as [Region, Region];
  const pipeline = await addPipeline(first);
  const push = async (node: Region, headers: Record<string, string>): Promise<void> => {
    const answer = await pipeline.at(node).push('sent 1\n', { ...plainText, ...headers });
    assert.equal(answer.status, 204);
  };
  await push(first, {}); // it keeps the metrics from now on
  const silent = newTrace('00');
  await push(second, silent.headers);
  const pushed = newTrace();
  await push(second, pushed.headers);
  const spans = await receiver.trace(pushed.traceId, 3);
  const name = spans.find(({ parentSpanId }) => parentSpanId === callersId)?.name;
  assert.match(String(name), /^POST \/.*\{.*\/push$/, 'the route, without the number of the pipeline');
  assert.deepEqual(treeOf(spans), { [`server ${name}`]: { [`client ${name}`]: { [`server ${name}`]: {} } } });
  const instances = new Set(spans.map(({ resource }) => resource['service.instance.id']));
  assert.equal(instances.size, 2, 'the spans name their nodes');
  for (const { attributes, resource, startTimeUnixNano, endTimeUnixNano } of spans) {
    assert.equal(resource['service.name'], 'cumulet');
    assert.match(String(resource['service.version']), /^\d+\.\d+\.\d+/);
    assert.equal(attributes['http.response.status_code'], '204');
    assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano));
    assert.ok(Math.abs(Number(BigInt(startTimeUnixNano) / 1_000_000n) - Date.now()) < 60_000);
  }
  // A WebSocket has a span of its opening.
  const logs = await addLogPipeline(first);
  const tailed = newTrace();
  const tail = `${second.url.replace(/^http/, 'ws')}${logs.path}/loki/api/v1/tail?query=%7Btag%3D%22app%22%7D`;
  const socket = new WebSocket(tail, { headers: { apikey: logs.key, ...tailed.headers } });
  await once(socket, 'open', { signal: AbortSignal.timeout(limits.request) }); // deadline
  const opened = await receiver.trace(tailed.traceId, 3);
  socket.terminate();
  const path = opened.find(({ parentSpanId }) => parentSpanId === callersId)?.name;
  assert.match(String(path), /^GET .*\/tail$/);
  assert.deepEqual(treeOf(opened), { [`server ${path}`]: { [`client ${path}`]: { [`server ${path}`]: {} } } });
  for (const { attributes } of opened) assert.equal(attributes['http.response.status_code'], '101');

  assert.deepEqual(await receiver.trace(silent.traceId, 0), []);
  for (const body of receiver.bodies)
    assert.ok(!body.includes(pipeline.key) && !body.includes(logs.key) && !body.includes(silent.traceId));
});

test('an operation is below its call; bodies, keys and names of users are not exported', async () => {
  await using receiver = await new OtlpReceiver().listen();
  await using region = await startRegion({
    args: ['--pace', '20'],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  });
  const properties = { name: 'private-name', location: 'de/txl' };
  const { id } = await createDone(region, `${core}/datacenters`, { properties });
  const lans = `${core}/datacenters/${id}/lans`;
  const lan = await createDone(region, lans, { properties: { name: 'private-lan' } });
  const removed = newTrace();
  const accepted = await region.call('DELETE', `${lans}/${lan.id}`, undefined, removed);
  assert.equal(accepted.status, 202);
  const spans = await receiver.trace(removed.traceId, 3);
  const route = 'DELETE /cloudapi/v6/datacenters/{datacenterId}/lans/{lanId}';
  const operation = { 'internal lan remove': { 'internal lan remove.disconnect': {} } };
  assert.deepEqual(treeOf(spans), { [`server ${route}`]: operation });
  const [ofCall, ofOperation] = [route, 'lan remove'].map((name) => spans.find((span) => span.name === name));
  assert.equal(ofCall?.attributes['cumulet.request_id'], ofOperation?.attributes['cumulet.request_id']);
  assert.equal(ofCall?.attributes['cumulet.operation'], 'lan_remove');

  const s3 = s3Client(region, await makeStorageKey(region));
  await s3.send(new CreateBucketCommand({ Bucket: 'private-bucket' }));
  await s3.send(new PutObjectCommand({ Bucket: 'private-bucket', Key: 'private-key', Body: 'private-body' }));
  s3.destroy();
  const put = await until('the span of an upload', () =>
    receiver.spans.find(({ attributes }) => attributes['cumulet.operation']?.match(/object.*put|put.*object/i)),
  );
  assert.equal(put.parentSpanId, undefined, 'a call without a trace starts one');
  await region.halt('SIGTERM');
  const all = receiver.bodies.join('');
  assert.doesNotMatch(all, /private|X-Amz|Bearer|Credential/);
});

test('while the collector is down, calls are answered and drops are counted; the stop flushes', async () => {
  const gone = await new OtlpReceiver().listen();
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  await using region = await startRegion({ args: ['--traces', url] });
  assert.equal((await region.call('GET', `${core}/locations`)).status, 200);
  await until(
    'drops are counted',
    () => figure(region, 'dropped_total'),
    (count) => count > 0,
  );
  for (let count = 0; count < 20; count++) assert.equal((await region.call('GET', `${core}/locations`)).status, 200);
  assert.match(await region.logged('traces can not be exported'), /"why":"ECONNREFUSED"/);

  await using receiver = await new OtlpReceiver().listen(Number(new URL(url).port));
  await region.logged('traces are exported again');
  const warnings = region
    .log()
    .split('\n')
    .filter((line) => line.includes('traces can not be exported'));
  assert.equal(warnings.length, 1);
  await until(
    'exports are counted',
    () => figure(region, 'exported_total'),
    (count) => count > 0,
  );
  const last = newTrace();
  assert.equal((await region.call('GET', `${core}/locations`, undefined, last)).status, 200);
  assert.equal(await region.halt('SIGTERM'), 0);
  assert.equal((await receiver.trace(last.traceId, 1)).length, 1);
});

test('an address that is not one of a collector is refused', async () => {
  await assert.rejects(startRegion({ args: ['--traces', 'grpc://localhost:4317'] }), /--traces expects http/);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@localhost:4318' };
  await assert.rejects(startRegion({ env }), (error: Error) => {
    assert.match(error.message, /in OTEL_EXPORTER_OTLP_ENDPOINT/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
});
