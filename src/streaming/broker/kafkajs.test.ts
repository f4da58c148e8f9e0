// Tests the embedded broker with kafkajs over mutual TLS.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { collect, connected, kafkajsOf, producerOf } from '../../testing/kafkajs.ts';
import { openTestBroker, type TestBroker } from './testing.ts';

const numbered = (count: number, prefix = 'v') =>
  Array.from({ length: count }, (_, at) => ({ key: `k${at % 20}`, value: `${prefix}${at}` }));

suite('kafkajs', () => {
  let broker: TestBroker;
  let kafka: Kafka;
  let admin: Admin;
  before(async () => {
    broker = await openTestBroker();
    kafka = kafkajsOf(broker);
    admin = await connected(kafka.admin());
  });
  after(async () => {
    await admin.disconnect();
    await broker.close();
    assert.deepEqual(broker.errors, []);
  });
  const makeTopic = async (topic: string, numPartitions = 3): Promise<void> => {
    await admin.createTopics({ topics: [{ topic, numPartitions, replicationFactor: 3 }] });
  };

  test('[STREAM-06] produces with keys and consumes in order; offsets survive a restart of the broker', async () => {
    await makeTopic('orders');
    const producer = await producerOf(kafka);
    await producer.send({ topic: 'orders', messages: numbered(100), compression: kafkajs.CompressionTypes.GZIP });
    const first = await collect(kafka, 'readers', 'orders');
    await first.until(() => first.received.length === 100);
    const byKey = Map.groupBy(first.received, ({ key }) => key);
    for (const list of byKey.values()) {
      assert.equal(new Set(list.map(({ partition }) => partition)).size, 1, 'a key stays in its partition');
      const numbers = list.map(({ value }) => Number(value.slice(1)));
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
    }
    await first.stop();
    await broker.reopen();
    await producer.send({ topic: 'orders', messages: [{ key: 'k1', value: 'next' }] });
    const second = await collect(kafka, 'readers', 'orders');
    await second.until(() => second.received.length > 0);
    assert.deepEqual(
      second.received.map(({ value }) => value),
      ['next'],
    );
    await second.stop();
    await producer.disconnect();
  });

  test('[STREAM-06] members of a group share the partitions while others join and leave', async () => {
    await makeTopic('shared', 6);
    const producer = await producerOf(kafka);
    const send = (prefix: string) => producer.send({ topic: 'shared', messages: numbered(200, prefix) });
    const one = await collect(kafka, 'team', 'shared');
    await send('a');
    await one.until(() => one.received.length === 200);
    const two = await collect(kafka, 'team', 'shared');
    await Promise.all([one, two].map((member) => member.until(() => member.assigned.length === 3)));
    await send('b');
    const ofRound = (prefix: string): number =>
      [...one.received, ...two.received].filter(({ value }) => value.startsWith(prefix)).length;
    await Promise.race([one, two].map((member) => member.until(() => ofRound('b') === 200)));
    assert.ok(two.received.every(({ partition }) => two.assigned.includes(partition)));
    assert.ok(two.received.length > 0 && two.received.length < 200);
    const { groups } = await admin.describeGroups(['team']);
    assert.equal(groups[0]?.members.length, 2);
    await one.stop();
    await two.until(() => two.assigned.length === 6);
    await send('c');
    await two.until(() => ofRound('c') === 200);
    await two.stop();
    await producer.disconnect();
  });

  test('a transaction is visible as a whole or not at all, with the offsets that it commits', async () => {
    await makeTopic('source', 1);
    await makeTopic('sink', 1);
    const producer = await producerOf(kafka, 'mover');
    const run = async (value: string, offset: string, commit: boolean): Promise<void> => {
      const transaction = await producer.transaction();
      await transaction.send({ topic: 'sink', messages: [{ value }] });
      const topics = [{ topic: 'source', partitions: [{ partition: 0, offset }] }];
      await transaction.sendOffsets({ consumerGroupId: 'movers', topics });
      await (commit ? transaction.commit() : transaction.abort());
    };
    await run('kept', '5', true);
    await run('dropped', '9', false);
    await run('kept too', '7', true);
    const reader = await collect(kafka, 'sink readers', 'sink');
    await reader.until(() => reader.received.length === 2);
    assert.deepEqual(
      reader.received.map(({ value }) => value),
      ['kept', 'kept too'],
    );
    const [offsets] = await admin.fetchOffsets({ groupId: 'movers', topics: ['source'] });
    assert.equal(offsets?.partitions[0]?.offset, '7');
    await reader.stop();
    await producer.disconnect();
  });

  test('a producer with the same transactional id fences the older one', async () => {
    await makeTopic('fenced', 1);
    const [old, young] = [await producerOf(kafka, 'same'), await producerOf(kafka, 'same')];
    const late = await old.transaction();
    await late.send({ topic: 'fenced', messages: [{ value: 'dropped' }] });
    const transaction = await young.transaction();
    await transaction.send({ topic: 'fenced', messages: [{ value: 'young' }] });
    await assert.rejects(late.send({ topic: 'fenced', messages: [{ value: 'old' }] }), /epoch|fenced/i);
    await transaction.commit();
    await Promise.all([old.disconnect(), young.disconnect()]);
  });

  test('administrators change topics, configurations, records and groups', async () => {
    await makeTopic('managed', 2);
    assert.equal(await admin.createTopics({ topics: [{ topic: 'managed' }] }), false);
    await admin.createPartitions({ topicPartitions: [{ topic: 'managed', count: 4 }] });
    const producer = await producerOf(kafka);
    await producer.send({ topic: 'managed', messages: numbered(10).map((one) => ({ ...one, partition: 3 })) });
    const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: 'managed' };
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ ...resource, configEntries: [{ name: 'retention.ms', value: '1000' }] }],
    });
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ ...resource, configNames: ['retention.ms', 'cleanup.policy'] }],
    });
    const values = resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]);
    assert.deepEqual(Object.fromEntries(values ?? []), { 'retention.ms': '1000', 'cleanup.policy': 'delete' });
    await assert.rejects(
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ ...resource, configEntries: [{ name: 'retention.ms', value: 'soon' }] }],
      }),
    );
    await admin.fetchTopicOffsets('managed'); // kafkajs finds leaders in metadata that it has read before
    await admin.deleteTopicRecords({ topic: 'managed', partitions: [{ partition: 3, offset: '6' }] });
    const offsets = await admin.fetchTopicOffsets('managed');
    assert.deepEqual(
      { ...offsets.find(({ partition }) => partition === 3) },
      {
        partition: 3,
        offset: '10',
        high: '10',
        low: '6',
      },
    );
    await admin.setOffsets({ groupId: 'manual', topic: 'managed', partitions: [{ partition: 3, offset: '8' }] });
    assert.ok((await admin.listGroups()).groups.some(({ groupId }) => groupId === 'manual'));
    await admin.deleteGroups(['manual']);
    assert.ok(!(await admin.listGroups()).groups.some(({ groupId }) => groupId === 'manual'));
    await admin.deleteTopics({ topics: ['managed'] });
    assert.ok(!(await admin.listTopics()).includes('managed'));
    await producer.disconnect();
  });

  test('a broker that stops loses its leaders to the others, and clients continue by themselves', async () => {
    await makeTopic('moving', 3);
    const producer = await producerOf(kafka);
    // One partition per request: kafkajs does not repeat a failed partition if the broker answered the others.
    const partition = broker.cluster.topics.partitions.find(
      ({ topic, leader }) => topic.name === 'moving' && leader === 2,
    );
    const send = (prefix: string) =>
      producer.send({
        topic: 'moving',
        messages: numbered(30, prefix).map((message) => ({ ...message, partition: partition?.index ?? -1 })),
      });
    await send('v');
    await broker.stopNode(2);
    await send('w');
    const { topics } = await admin.fetchTopicMetadata({ topics: ['moving'] });
    const partitions = topics[0]?.partitions ?? [];
    assert.ok(partitions.every(({ leader, isr }) => leader !== 2 && isr.length === 2));
    assert.ok(partitions.every(({ replicas }) => replicas.length === 3));
    await broker.startNode(2);
    const reader = await collect(kafka, 'moving readers', 'moving');
    await reader.until(() => reader.received.length === 60);
    await reader.stop();
    await producer.disconnect();
  });
});
