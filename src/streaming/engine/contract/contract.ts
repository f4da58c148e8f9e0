// The contract suite of all streaming engines, as Kafka clients see them.

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';
import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { uuid } from '../../../base/ids.ts';
import { collect, connected, kafkajsOf, producerOf, type Reached } from '../../../testing/kafkajs.ts';
import { until } from '../../../testing/waiting.ts';
import type { ClusterHandle, ClusterSpec, StreamingEngine } from '../engine.ts';
import { clusterOn, describeCluster, type OperatedClusters, openEngine, operateClusters } from './bench.ts';

// `isOutside`: the engine at the address runs brokers of an operator, and the suite tests an engine with their list.
export function streamingContract(name: string, address: string, { isOutside = false } = {}): void {
  suite(`[STREAM-08] ${name} as engine`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-engine-'));
    const open = (): Promise<StreamingEngine> => openEngine(operated?.list(0) ?? address, folder);
    let operated: OperatedClusters | undefined;
    let engine: StreamingEngine;
    let id: string;
    let spec: ClusterSpec;
    let handle: ClusterHandle;
    let addresses: string[];
    let user: Reached['certificates'];
    let kafka: Kafka;
    let admin: Admin;

    before(async () => {
      if (isOutside) operated = await operateClusters(address, folder, 1);
      engine = await open();
      const described = await describeCluster(uuid());
      spec = operated ? await clusterOn(engine, 0) : described.spec;
      id = spec.id;
      handle = await engine.start(spec);
      const reached = operated?.reached[0] ?? described.reached;
      addresses = reached.addresses;
      user = reached.certificates;
      kafka = kafkajsOf(reached, 'contract');
      admin = await connected(kafka.admin());
    });
    after(async () => {
      await admin?.disconnect();
      await engine?.remove(id, handle, spec);
      await engine?.close();
      await operated?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });

    test('[STREAM-05] serves only clients with a certificate of the cluster', async () => {
      assert.equal((await admin.describeCluster()).brokers.length, 3);
      const { reached: other } = await describeCluster(id);
      const certificates = { authority: spec.authority, client: other.certificates.client }; // it trusts the brokers
      await assert.rejects(connected(kafkajsOf({ addresses, certificates }, 'stranger', 0).admin()));
    });

    test('[STREAM-02] creates topics with their settings, lists those of clients too, and deletes them', async () => {
      const wanted = {
        name: 'made',
        partitions: 4,
        replicationFactor: 3,
        retentionMs: 3_600_000,
        segmentBytes: 1 << 20,
      };
      await engine.createTopic(id, wanted);
      await engine.createTopic(id, wanted);
      await engine.createTopic(id, { name: 'plain' });
      const ofClient = { topic: 'of-client', numPartitions: 2, replicationFactor: 2 };
      await admin.createTopics({ topics: [ofClient], waitForLeaders: false });
      // Brokers learn of a change one after the other.
      const facts = await until(
        'three topics',
        () => engine.topics(id),
        ({ length }) => length === 3,
      );
      facts.sort((a, b) => (a.name < b.name ? -1 : 1));
      assert.deepEqual(
        facts.map((topic) => [topic.name, topic.partitions, topic.replicationFactor, topic.retentionMs]),
        [
          ['made', 4, 3, 3_600_000],
          ['of-client', 2, 2, 604_800_000],
          ['plain', 1, 1, 604_800_000],
        ],
      );
      const [described] = (await admin.fetchTopicMetadata({ topics: ['made'] })).topics;
      assert.ok(described?.partitions.every(({ replicas }) => replicas.length === 3));
      await assert.rejects(engine.createTopic(id, { name: 'wide', replicationFactor: 4 }), { kind: 'refused' });
      await assert.rejects(engine.createTopic(id, { name: 'bad/name' }), { kind: 'refused' });
      for (const topic of ['made', 'of-client', 'plain', 'plain']) await engine.deleteTopic(id, topic);
      assert.deepEqual(await engine.topics(id), []);
    });

    test('[STREAM-06] a stopped cluster is unavailable, and keeps its records, offsets and metrics', async () => {
      await engine.createTopic(id, { name: 'orders', partitions: 3, replicationFactor: 3 });
      const producer = await producerOf(kafka);
      const messages = Array.from({ length: 90 }, (_, at) => ({ key: `k${at}`, value: `value ${at}` }));
      await producer.send({ topic: 'orders', acks: -1, messages, compression: kafkajs.CompressionTypes.GZIP });
      const reader = await collect(kafka, 'readers', 'orders');
      await reader.until(() => reader.received.length === 90);
      await reader.stop();
      await producer.send({ topic: 'orders', acks: -1, messages: messages.slice(0, 7) });
      await producer.disconnect();
      const figures = await engine.figures(id);
      assert.deepEqual(figures.groups, [{ id: 'readers', members: 0, lag: [{ topic: 'orders', records: 7 }] }]);
      assert.deepEqual(
        figures.topics.map(({ name: topic, records }) => [topic, records]),
        [['orders', 97]],
      );
      assert.ok(figures.storedBytes > 500, JSON.stringify(figures));
      // The protocol of Kafka has no figures of the traffic.
      if (!isOutside) {
        assert.ok(figures.bytesIn > 500 && figures.bytesOut > 500 && figures.requests > 10, JSON.stringify(figures));
        assert.ok(figures.connections > 0, JSON.stringify(figures));
      }

      await engine.stop(id, handle);
      await engine.stop(id, handle);
      await assert.rejects(engine.topics(id), { kind: 'unavailable' });
      handle = await engine.start(spec, handle);
      const late = await collect(kafka, 'readers', 'orders');
      await late.until(() => late.received.length === 7);
      await late.stop();
      assert.deepEqual(
        late.received.map(({ value }) => value).toSorted(),
        messages.slice(0, 7).map(({ value }) => value),
      );
    });

    test('[STREAM-06] serves both group protocols', async () => {
      const { authority, client } = user;
      const tls = { ca: authority, key: client.key, cert: client.certificate, rejectUnauthorized: true };
      const base = { clientId: 'contract', bootstrapBrokers: addresses, tls, retries: 20, retryDelay: 100 };
      const sender = new Producer({ ...base, serializers: stringSerializers });
      const values = Array.from({ length: 30 }, (_, at) => `both ${at}`).toSorted();
      await engine.createTopic(id, { name: 'both', partitions: 3, replicationFactor: 3 });
      for (const compression of ['zstd', 'lz4', 'snappy'] as const) {
        const messages = values.splice(0, 10).map((value) => ({ topic: 'both', key: value, value }));
        await sender.send({ messages, compression, acks: -1 });
        values.push(...messages.map(({ value }) => value));
      }
      await sender.close();
      for (const groupProtocol of ['classic', 'consumer'] as const) {
        const settings = { groupId: `both-${groupProtocol}`, groupProtocol, deserializers: stringDeserializers };
        const consumer = new Consumer({ ...base, ...settings, maxWaitTime: 100 });
        const read: string[] = [];
        const stream = await consumer.consume({ topics: ['both'], mode: 'earliest', autocommit: true });
        for await (const { value } of stream) if (read.push(value) === 30) break;
        await consumer.close(true);
        assert.deepEqual(read.toSorted(), values.toSorted());
      }
      await engine.deleteTopic(id, 'both');
    });

    test('continues in another process of ours, and tolerates a second start', async () => {
      await engine.close();
      engine = await open();
      handle = await engine.start(spec, handle);
      handle = await engine.start(spec, handle);
      assert.deepEqual(
        (await engine.topics(id)).map((topic) => topic.name),
        ['orders'],
      );
    });

    test('[STREAM-01] removes a cluster with its data', async () => {
      await engine.remove(id, handle, spec);
      await engine.remove(id, handle, spec);
      handle = await engine.start(spec);
      assert.deepEqual(await engine.topics(id), []);
    });
  });
}
