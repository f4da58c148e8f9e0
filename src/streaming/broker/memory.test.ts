// Clients that do not finish their requests or do not read their answers: their total memory is bounded, and other
// clients are served.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, suite, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import type { Admin, Kafka, Producer } from 'kafkajs';
import { collectGarbage } from '../../testing/garbage.ts';
import { collect, connected, kafkajsOf, producerOf } from '../../testing/kafkajs.ts';
import { until } from '../../testing/waiting.ts';
import { MemoryBudget } from './connection/memory-budget.ts';
import { openTestBroker, type TestBroker } from './testing.ts';
import { apis } from './wire/apis.ts';
import { writeRequest } from './wire/frame.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
const stallTimeoutMs = 400; // by a clock that only the tests move

suite('the memory of a broker', () => {
  let nowMs = 0;
  const budget = (limitBytes: number) => new MemoryBudget({ limitBytes, stallTimeoutMs, now: () => nowMs });
  const memory = { requests: budget(4 * megabyte), answers: budget(16 * megabyte) };
  const topic = 'orders';
  let broker: TestBroker;
  let kafka: Kafka;
  let admin: Admin;
  let producer: Producer;
  before(async () => {
    broker = await openTestBroker({}, memory);
    kafka = kafkajsOf(broker, 'memory', 200);
    admin = await connected(kafka.admin());
    await admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 3 }] });
    producer = await producerOf(kafka);
  });
  after(async () => {
    await producer?.disconnect();
    await admin?.disconnect();
    await broker.close();
    assert.deepEqual(broker.errors, []);
  });

  // Connects to the broker that leads the topic.
  const dial = async (): Promise<TLSSocket> => {
    const { leader = 0 } = broker.cluster.topics.byName.get(topic)?.partitions[0] ?? {};
    const [host, port] = broker.addresses[leader - 1]?.split(':') ?? [];
    const { authority, client } = broker.certificates;
    const socket = connect({ host, port: Number(port), ca: authority, key: client.key, cert: client.certificate });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    return socket;
  };
  const dialMany = (count: number): Promise<TLSSocket[]> => Promise.all(Array.from({ length: count }, dial));
  const received = (): number => broker.listeners.reduce((sum, { traffic }) => sum + traffic.bytesIn, 0);
  // Moves the clock while the work is awaited.
  const whileTimePasses = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setInterval(() => {
      nowMs += stallTimeoutMs / 4;
    }, 50);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  };
  const closed = (why: RegExp): boolean => broker.warnings.some((one) => why.test(String(one.why)));

  test('[STREAM-06] bounds partial requests: small ones continue, large ones after slow clients', async () => {
    const [clients, claimed, sent] = [60, 512 * kilobyte, 256 * kilobyte];
    const half = Buffer.alloc(sent);
    half.writeInt32BE(claimed);
    const before = received();
    const sockets = await dialMany(clients);
    for (const socket of sockets) socket.write(half);
    await until('requests are read', () => received() - before >= 8 * sent); // those that got memory
    for (let number = 0; number < 50; number++)
      await producer.send({ topic, messages: [{ value: `small ${number}` }] });
    const bytes = received() - before;
    assert.ok(bytes < 4 * megabyte + clients * 32 * kilobyte, `${bytes} bytes were read`);
    assert.ok(memory.requests.leftBytes < claimed);
    assert.ok(sockets.every(({ destroyed }) => !destroyed));

    const large = { topic, messages: [{ value: 'x'.repeat(200 * kilobyte) }] };
    await whileTimePasses(producer.send(large));
    assert.ok(closed(/did not finish its request/));
    for (const socket of sockets) socket.destroy();
    await until('the memory is free', () => memory.requests.heldBytes < megabyte);
  });

  test('[STREAM-06] bounds unread answers, and a client that reads them gets all records', async () => {
    const messages = Array.from({ length: 16 }, (_, number) => ({ value: `${number} ${'y'.repeat(500 * kilobyte)}` }));
    for (const message of messages) await producer.send({ topic, messages: [message] });
    const partitions = [{ partition: 0, currentLeaderEpoch: -1, fetchOffset: 51, partitionMaxBytes: 8 * megabyte }];
    const body = {
      replicaId: -1,
      maxWaitMs: 60_000,
      minBytes: 1,
      maxBytes: 8 * megabyte,
      isolationLevel: 0,
      topics: [{ topic, partitions }],
    };
    const api = apis.get(1) as NonNullable<ReturnType<typeof apis.get>>;
    const fetch = Buffer.concat(writeRequest(api, { version: 4, correlationId: 1, clientId: 'x' }, body));
    collectGarbage();
    const { arrayBuffers } = process.memoryUsage();
    const sockets = await dialMany(30);
    for (const socket of sockets) socket.pause().write(Buffer.concat(Array.from({ length: 12 }, () => fetch)));
    await until('the memory is used', () => memory.answers.leftBytes < megabyte);
    for (let round = 0; round < 50; round++) await admin.fetchTopicOffsets(topic);
    assert.ok(memory.answers.heldBytes < 17 * megabyte, `${memory.answers.heldBytes} bytes`);
    collectGarbage();
    const grown = process.memoryUsage().arrayBuffers - arrayBuffers;
    assert.ok(grown < 40 * megabyte, `${grown} bytes more`);

    const reader = await collect(kafka, 'readers', topic);
    const offsets = (): Set<number> => new Set(reader.received.map(({ offset }) => offset));
    await whileTimePasses(reader.until(() => offsets().size === 50 + 1 + messages.length));
    await whileTimePasses(until('slow clients are closed', () => closed(/did not read its answers/)));
    await reader.stop();
    for (const socket of sockets) socket.destroy();
    await until('the memory is free', () => memory.answers.heldBytes < megabyte);
  });
});
