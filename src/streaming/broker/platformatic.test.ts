// Tests the embedded broker with @platformatic/kafka: the newest versions of the protocol, with topic ids, the consumer
// group protocol and every codec.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Admin, Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';
import { openTestBroker, type TestBroker } from './testing.ts';

suite('@platformatic/kafka', () => {
  let broker: TestBroker;
  let admin: Admin;
  const base = () => {
    const { authority, client } = broker.certificates;
    const tls = { ca: authority, key: client.key, cert: client.certificate };
    return { clientId: 'platformatic', bootstrapBrokers: broker.addresses, tls, retryDelay: 20 };
  };
  before(async () => {
    broker = await openTestBroker();
    admin = new Admin(base());
  });
  after(async () => {
    await admin.close();
    await broker.close();
    assert.deepEqual(broker.errors, []);
  });
  const producer = () => new Producer({ ...base(), idempotent: true, serializers: stringSerializers });

  // Reads a number of messages as a member of a group.
  const read = async (topic: string, count: number, groupProtocol: 'classic' | 'consumer'): Promise<string[]> => {
    const consumer = new Consumer({
      ...base(),
      groupId: `${topic}-${groupProtocol}`,
      groupProtocol,
      deserializers: stringDeserializers,
      maxWaitTime: 100,
    });
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: true });
    const values: string[] = [];
    for await (const { value } of stream) if (values.push(value) === count) break;
    await consumer.close(true);
    return values.toSorted();
  };

  test('[STREAM-06] produces and consumes with both group protocols', async () => {
    await admin.createTopics({ topics: ['events'], partitions: 3, replicas: 3 });
    const sender = producer();
    const values = Array.from({ length: 30 }, (_, at) => `value ${String(at).padStart(2, '0')}`);
    await sender.send({ messages: values.map((value) => ({ topic: 'events', key: value, value })) });
    assert.deepEqual(await read('events', 30, 'classic'), values);
    assert.deepEqual(await read('events', 30, 'consumer'), values);
    await sender.close();
  });

  test('[STREAM-06] a topic with its own codec stores batches in it, whatever the producer chose', async () => {
    const sender = producer();
    const stored: Record<string, number> = {};
    for (const codec of ['uncompressed', 'gzip', 'snappy', 'lz4', 'zstd']) {
      const topic = `in-${codec}`;
      const configs = [{ name: 'compression.type', value: codec }];
      await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1, configs });
      const values = Array.from({ length: 400 }, (_, at) => `order ${String(at).padStart(3, '0')} of many`);
      for (const compression of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const) {
        const messages = values.map((value) => ({ topic, value }));
        await sender.send({ messages, compression });
      }
      const expected = values.flatMap((value) => [value, value, value, value, value]);
      assert.deepEqual(await read(topic, 2_000, 'classic'), expected, codec);
      stored[codec] = broker.cluster.topics.byName.get(topic)?.partitions[0]?.log.sizeBytes ?? 0;
    }
    await sender.close();
    const { uncompressed = 0, ...others } = stored;
    for (const [codec, bytes] of Object.entries(others)) assert.ok(bytes < uncompressed / 2, `${codec}: ${bytes}`);
  });

  for (const compression of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const) {
    test(`a compacted topic keeps the newest record of each key in batches of codec ${compression}`, async () => {
      const topic = `compacted-${compression}`;
      const configs = [
        { name: 'cleanup.policy', value: 'compact' },
        { name: 'segment.bytes', value: '600' },
      ];
      await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1, configs });
      const sender = producer();
      for (const round of [1, 2, 3]) {
        const messages = ['a', 'b', 'c'].map((key) => ({ topic, key, value: `${key}${round}${'x'.repeat(200)}` }));
        await sender.send({ messages: round === 3 ? messages.slice(1) : messages, compression, acks: -1 });
      }
      await sender.close();
      const log = broker.cluster.topics.find(topic, 0).log;
      await log.roll();
      const { compactAll } = await import('./maintenance.ts');
      await compactAll(broker.cluster);
      const kept = (await read(topic, 3, 'classic')).map((value) => value.slice(0, 2));
      assert.deepEqual(kept, ['a2', 'b3', 'c3']);
    });
  }

  test('administrators see groups, quotas, logs and configurations', async () => {
    await admin.createTopics({ topics: ['administered'], partitions: 2, replicas: 2 });
    const sender = producer();
    await sender.send({ messages: [{ topic: 'administered', value: 'x' }] });
    await read('administered', 1, 'consumer');
    assert.ok((await admin.listGroups({ types: ['consumer'] })).has('administered-consumer'));
    const ops = [{ key: 'producer_byte_rate' as const, value: 1_000_000, remove: false as const }];
    const entities = [{ entityType: 'user' as const, entityName: 'admin' }];
    await admin.alterClientQuotas({ entries: [{ entities, ops }], validateOnly: false });
    const components = [{ entityType: 'user', matchType: 0, match: 'admin' }];
    const quotas = await admin.describeClientQuotas({ components, strict: false } as never);
    assert.equal(quotas[0]?.values[0]?.value, 1_000_000);
    const folders = await admin.describeLogDirs({ topics: [{ name: 'administered', partitions: [0, 1] }] });
    assert.equal(folders.length, 3);
    await admin.deleteGroups({ groups: ['administered-consumer'] });
    await admin.deleteTopics({ topics: ['administered'] });
    assert.ok(!(await admin.listTopics()).includes('administered'));
    await sender.close();
  });
});
