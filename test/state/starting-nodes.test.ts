// Two nodes of which the first has all embedded engines. Clients write to the second from the first moment that its
// ports accept connections, while one or both are restarted: whatever was acknowledged is found exactly once, on both.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { CreateBucketCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Producer } from 'kafkajs';
import { freePort } from '../../src/testing/free-port.ts';
import { collect, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { limits } from '../../src/testing/limits.ts';
import { freshUrl } from '../../src/testing/postgres.ts';
import { type Cutter, openCutter } from '../../src/testing/postgres-cutter.ts';
import { pause, until } from '../../src/testing/waiting.ts';
import { type ForwardPlace, openForward } from '../harness/forward.ts';
import { addLogPipeline, type LogPipeline } from '../harness/logs.ts';
import { addPipeline, type MetricPipeline } from '../harness/metrics.ts';
import { type Nodes, startNodes } from '../harness/nodes.ts';
import { makeStorageKey, type StorageKey, s3Client } from '../harness/objects.ts';
import type { Region, ResourceBody } from '../harness/region.ts';
import { addCluster, addTopic, clusters, reach } from '../streaming/clusters.ts';
import {
  forwardSender,
  lineSender,
  linesFound,
  objectSender,
  objectsFound,
  recordSender,
  sampleSender,
  samplesFound,
  Writer,
} from './acknowledged-writers.ts';

const unknownMs = 300; // how long the starting node is kept from finding out who has the engines
const Bucket = 'written-at-any-time';
const signals = ['SIGKILL', 'SIGTERM'] as const;

describe('a node that starts next to the one that has the engines', () => {
  let nodes: Nodes;
  let cutter: Cutter; // between the starting node and the database
  let holder: Region;
  let other: Region;
  let node: string;
  let port: number;
  let forward: ForwardPlace;
  let key: StorageKey;
  let s3: S3Client;
  let logs: LogPipeline;
  let metrics: MetricPipeline;
  let cluster: ResourceBody;
  let producer: Producer;

  before(async () => {
    const url = await freshUrl();
    nodes = await startNodes(1, [], url);
    cutter = await openCutter(url);
    const ports = { '--port': await freePort(), '--objects-port': await freePort(), '--logs-port': await freePort() };
    other = await nodes.add(Object.entries(ports).flat().map(String), cutter.url);
    holder = nodes.all[0] as Region;
    port = ports['--port'];
    node = `http://127.0.0.1:${port}`;
    forward = { data: other.data, ready: { services: { forward: `tls://127.0.0.1:${ports['--logs-port']}` } } };
    key = await makeStorageKey(holder);
    s3 = s3Client(other, key, { endpoint: `http://127.0.0.1:${ports['--objects-port']}` });
    logs = await addLogPipeline(holder);
    metrics = await addPipeline(holder);
    await s3.send(new CreateBucketCommand({ Bucket }));
    cluster = await addCluster(holder);
    await addTopic(holder, cluster.id, { name: 'items', numberOfPartitions: 1, replicationFactor: 3 });
    producer = await producerOf(kafkajsOf(await reach(other, cluster), 'writer', 1_000));
  });

  after(async () => {
    s3.destroy();
    await producer.disconnect();
    cutter.close();
    await nodes[Symbol.asyncDispose]();
  });

  // Starts the node, whose engines stay unknown while the work is done.
  async function starting(work: () => Promise<unknown>): Promise<void> {
    const release = cutter.holdCommits(() => accepts(port)); // reading who has an engine ends with a commit
    const started = other.start();
    try {
      await until('the node listens', () => accepts(port), undefined, { limitMs: limits.regionStart });
      await work();
    } finally {
      release();
    }
    await started;
  }

  test('[GEN-06] until it knows who has them, it answers 503 with Retry-After and acknowledges nothing', async () => {
    await other.halt('SIGKILL');
    await starting(async () => {
      const byKey = (pipeline: { key: string }) => ({ apikey: pipeline.key, 'content-type': 'application/json' });
      const byToken = { authorization: `Bearer ${other.token}` };
      const calls: [method: string, path: string, headers: Record<string, string>, body?: string][] = [
        ['POST', `${logs.path}/app`, byKey(logs), '{"number":0}'],
        ['GET', `${logs.path}/loki/api/v1/labels`, byKey(logs)],
        ['POST', `${metrics.path}/api/v1/push`, { ...byKey(metrics), 'content-type': 'text/plain' }, 'item 0\n'],
        ['GET', `${metrics.path}/api/v1/query?query=item`, byKey(metrics)],
        ['GET', `${clusters}/${cluster.id}/metrics`, byToken],
        ['GET', `/lab/clusters/${cluster.id}/brokers`, byToken],
        ['GET', `/console/streaming/clusters/${cluster.id}`, byToken],
      ];
      for (const [method, path, headers, body = null] of calls) {
        const answer = await fetch(node + path, { method, headers, body });
        const text = await answer.text();
        assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1'], `${path}: ${text}`);
        assert.match(text, /does not know yet which node keeps the (logs|metrics|brokers) of this region/, path);
      }
      await assert.rejects(s3.send(new PutObjectCommand({ Bucket, Key: '0', Body: 'object 0' })), {
        name: 'ServiceUnavailable',
        message: /does not know yet which node keeps the objects/,
      });
      const agent = await openForward(forward, logs);
      agent.send(['agent', 1_700_000_000, { number: 0 }, { chunk: 'MA==' }]);
      assert.equal(await agent.next(), undefined, 'the connection ends, so the agent sends it again');
    });
  });

  test('[GEN-06] whatever it or a node whose neighbour restarts acknowledges is found exactly once', async (t) => {
    const agent = forwardSender(forward, logs);
    const senders = {
      lines: lineSender(node, logs),
      forwardedLines: agent.send,
      samples: sampleSender(node, metrics),
      objects: objectSender(s3, Bucket),
      records: recordSender(producer, 'items'),
    };
    const writers = Object.entries(senders).map(([name, send]) => new Writer(name, send));
    try {
      await progress(writers);
      for (const signal of [...signals, ...signals]) {
        await other.halt(signal);
        await starting(() => pause(unknownMs));
        await progress(writers);
      }
      for (const signal of signals) {
        await holder.halt(signal);
        await pause(unknownMs);
        await holder.start();
        await progress(writers);
      }
      await Promise.all([holder.halt('SIGKILL'), other.halt('SIGKILL')]);
      await Promise.all([holder.start(), starting(() => pause(unknownMs))]);
      await progress(writers);
    } finally {
      await Promise.all(writers.map((writer) => writer.stop()));
      agent.close();
    }
    for (const { name, acknowledged, refusals } of writers)
      t.diagnostic(`${name}: ${acknowledged.length} acknowledged, ${refusals.length} refused`);
    for (const region of [holder, other]) {
      const storage = s3Client(region, key);
      const found = {
        lines: await linesFound(region, logs, 'app'),
        forwardedLines: await linesFound(region, logs, 'agent'),
        samples: await samplesFound(region, metrics),
        objects: await objectsFound(storage, Bucket),
        records: await recordsFound(region, writers.at(-1)?.acknowledged.at(-1) ?? 0),
      };
      storage.destroy();
      assert.deepEqual(
        writers.map((writer) => faultsOf(writer, found[writer.name as keyof typeof found])),
        writers.map(({ name }) => ({ name, lost: [], doubled: [] })),
      );
    }
  });

  async function recordsFound(region: Region, last: number): Promise<number[]> {
    const reader = await collect(kafkajsOf(await reach(region, cluster)), `readers at ${region.data}`, 'items');
    await reader.until(() => reader.received.some(({ value }) => Number(value) === last));
    await reader.stop();
    return reader.received.map(({ value }) => Number(value));
  }
});

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });

// Every writer has gone on, so it reaches the node, and the node the engine.
async function progress(writers: readonly Writer[]): Promise<void> {
  const before = writers.map(({ acknowledged }) => acknowledged.length);
  await until(
    'two more of each writer are acknowledged',
    () => writers.map(({ acknowledged }) => acknowledged.length),
    (counts) => counts.every((count, at) => count >= (before[at] ?? 0) + 2),
    { limitMs: limits.request },
  );
}

// Acknowledged records that are missing, and records that are stored more than once, acknowledged or not.
function faultsOf({ name, acknowledged }: Writer, found: readonly number[]): object {
  const counts = new Map<number, number>();
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  const lost = acknowledged.filter((one) => !counts.has(one));
  const doubled = [...counts].filter(([, count]) => count > 1).map(([one]) => one);
  return { name, lost, doubled };
}
