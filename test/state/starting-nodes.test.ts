// Two nodes of which the first has all embedded engines. Clients write to the second from the first moment that its
// ports accept connections, while one or both are restarted: whatever was acknowledged is found exactly once, on both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../../src/testing/free-port.ts';
import { freshUrl } from '../../src/testing/postgres.ts';
import { type Cutter, openCutter } from '../../src/testing/postgres-cutter.ts';
import { addLogPipeline } from '../harness/logs.ts';
import { addPipeline } from '../harness/metrics.ts';
import { startNodes, within } from '../harness/nodes.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import type { Region } from '../harness/region.ts';
import { addCluster, addTopic, clusters, reach, untilState } from '../streaming/clusters.ts';
import { collect, kafkajsOf, producerOf } from '../streaming/kafkajs.ts';
import {
  forwardSender,
  lineSender,
  linesFound,
  objectSender,
  objectsFound,
  pause,
  recordSender,
  sampleSender,
  samplesFound,
  Writer,
} from './acknowledged-writers.ts';

const slowCommitMs = 150; // so long each engine of the starting node stays unknown
const patienceMs = 60_000;
const bucket = 'written-at-any-time';

interface Bench extends AsyncDisposable {
  holder: Region;
  other: Region;
  cutter: Cutter; // between the other node and the database
  ports: { http: number; objects: number; forward: number }; // of the other node
}

async function openBench(): Promise<Bench> {
  const url = await freshUrl();
  const nodes = await startNodes(1, [], url);
  const cutter = await openCutter(url);
  const ports = { http: await freePort(), objects: await freePort(), forward: await freePort() };
  const options = { '--port': ports.http, '--objects-port': ports.objects, '--logs-port': ports.forward };
  const other = await nodes.add(Object.entries(options).flat().map(String), cutter.url);
  cutter.slowCommits(slowCommitMs);
  const [holder] = nodes.all as [Region];
  const end = async (): Promise<void> => {
    cutter.close();
    await nodes[Symbol.asyncDispose]();
  };
  return { holder, other, cutter, ports, [Symbol.asyncDispose]: end };
}

// Every writer has gone on, so it has reached the node and the node the engine.
async function progress(writers: readonly Writer[]): Promise<void> {
  const before = writers.map(({ acknowledged }) => acknowledged.length);
  for (const [at, { name, acknowledged, refusals }] of writers.entries())
    await within(patienceMs, `${name} (${refusals.at(-1)})`, async () => {
      await pause();
      return acknowledged.length >= (before[at] ?? 0) + 2;
    });
}

// Each that was acknowledged once; one that was not may be there, once too.
function assertOnce(name: string, { acknowledged }: Writer, found: readonly number[]): void {
  const counts = new Map<number, number>();
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  const lost = acknowledged.filter((one) => !counts.has(one));
  const doubled = [...counts].filter(([, count]) => count > 1).map(([one]) => one);
  assert.deepEqual({ lost, doubled }, { lost: [], doubled: [] }, `${name}: ${acknowledged.length} were acknowledged`);
}

// A cluster that is asked for as soon as the node takes calls. Its brokers run on the holder.
async function clusterOfStarting({ other, ports }: Bench, name: string): Promise<string> {
  const at = `http://127.0.0.1:${ports.http}${clusters}`;
  const body = JSON.stringify({ properties: { name, version: '4.0.0', size: 'S' } });
  const headers = { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' };
  for (;;) {
    const answer = await fetch(at, { method: 'POST', headers, body }).catch(() => undefined);
    if (answer?.status === 202) return ((await answer.json()) as { id: string }).id;
    await pause();
  }
}

test('[GEN-06] whatever a starting node or one whose neighbour restarts acknowledges is found exactly once', {
  timeout: 300_000,
}, async (t) => {
  await using bench = await openBench();
  const { holder, other, ports } = bench;
  const node = `http://127.0.0.1:${ports.http}`;
  const logs = await addLogPipeline(holder);
  const metrics = await addPipeline(holder);
  const key = await makeStorageKey(holder);
  const storageAt = (region: Region): S3Client => s3Client(region, key);
  const s3 = s3Client(other, key, { endpoint: `http://127.0.0.1:${ports.objects}` });
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const cluster = await addCluster(holder);
  await addTopic(holder, cluster.id, { name: 'items', numberOfPartitions: 1, replicationFactor: 3 });
  const kafka = kafkajsOf(await reach(other, cluster), 'writer', 1_000);
  const producer = await producerOf(kafka);
  const forward = forwardSender(
    { data: other.data, ready: { services: { forward: `tls://127.0.0.1:${ports.forward}` } } },
    logs,
  );
  const lines = new Writer('lines', lineSender(node, logs));
  const agent = new Writer('forwarded lines', forward.send);
  const samples = new Writer('samples', sampleSender(node, metrics));
  const objects = new Writer('objects', objectSender(s3, bucket));
  const records = new Writer('records', recordSender(producer, 'items'));
  const writers = [lines, agent, samples, objects, records];
  try {
    await progress(writers);
    const made: Promise<string>[] = [];
    for (const [round, signal] of (['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const).entries()) {
      await other.halt(signal);
      if (round < 2) made.push(clusterOfStarting(bench, `starting-${round}`));
      await other.start();
      await progress(writers);
    }
    for (const id of await Promise.all(made)) await untilState(holder, `${clusters}/${id}`, 'AVAILABLE');
    assert.doesNotMatch(other.log(), /the cluster serves/, 'brokers run on the node that has them');
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await holder.halt(signal);
      await pause(200);
      await holder.start();
      await progress(writers);
    }
    await Promise.all([holder.halt('SIGKILL'), other.halt('SIGKILL')]);
    await Promise.all([holder.start(), other.start()]);
    await progress(writers);
  } finally {
    await Promise.all(writers.map((writer) => writer.stop()));
    forward.close();
    s3.destroy();
    await producer.disconnect();
  }

  for (const region of [holder, other]) {
    assertOnce('lines', lines, await linesFound(region, logs, 'app'));
    assertOnce('forwarded lines', agent, await linesFound(region, logs, 'agent'));
    assertOnce('samples', samples, await samplesFound(region, metrics));
    assertOnce('objects', objects, await objectsFound(storageAt(region), bucket));
  }
  const reader = await collect(kafkajsOf(await reach(other, cluster)), 'readers', 'items');
  await reader.until(() => reader.received.some(({ value }) => Number(value) === records.acknowledged.at(-1)));
  await reader.stop();
  assertOnce(
    'records',
    records,
    reader.received.map(({ value }) => Number(value)),
  );
  for (const { name, acknowledged, refusals } of writers)
    t.diagnostic(`${name}: ${acknowledged.length} acknowledged, ${refusals.length} refused`);
  // The calls came while the node did not know yet; clients are told when to come again.
  for (const { name, refusals } of [lines, objects])
    assert.ok(
      refusals.some((one) => /^503 retry-after 1 .*does not know yet/s.test(one)),
      `${name}: ${[...new Set(refusals)].join('\n')}`,
    );
});
