// kill -9 of the region under ten producers and a group of five consumers: no acknowledged record is lost or
// duplicated, the order holds in each partition, and committed offsets never go back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Producer } from 'kafkajs';
import { type Collector, collect, connected, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { startRegion } from '../harness/region.ts';
import { addCluster, addTopic, reach } from './clusters.ts';

const rounds = process.env.CUMULET_FULL ? 100 : 3;
const partitions = Array.from({ length: 10 }, (_, at) => at); // each has its own producer
const consumers = 5;
const acksPerRound = 100;
const topic = 'crash';
const groupId = 'crash readers';

// Sends numbered values to one partition until it is stopped. Counts acknowledged records.
function write(producer: Producer, partition: number, onAck: () => void) {
  const writer = { sent: 0, acked: 0, isStopping: false, done: Promise.resolve() };
  const run = async (): Promise<void> => {
    while (!writer.isStopping) {
      const messages = Array.from({ length: 5 }, () => ({ partition, value: String(writer.sent++) }));
      await producer.send({ topic, acks: -1, messages });
      writer.acked = writer.sent;
      onAck();
    }
    await producer.disconnect();
  };
  writer.done = run();
  return writer;
}

test(`[STREAM-06] [GEN-06] ${rounds} times kill -9 of the region: nothing lost or duplicated, in order`, async () => {
  await using region = await startRegion();
  const cluster = await addCluster(region);
  await addTopic(region, cluster.id, { name: topic, numberOfPartitions: partitions.length, replicationFactor: 3 });
  const kafka = kafkajsOf(await reach(region, cluster), 'crash', 10_000);
  const admin = await connected(kafka.admin());
  let acks = 0;
  let onAck = (): void => {};
  const writers: ReturnType<typeof write>[] = [];
  for (const partition of partitions)
    writers.push(
      write(await producerOf(kafka), partition, () => {
        acks++;
        onAck();
      }),
    );
  const untilAcks = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onAck = () => (acks >= count ? resolve() : undefined);
      onAck();
    });
  const readers: Collector[] = [];
  for (let count = 0; count < consumers; count++) readers.push(await collect(kafka, groupId, topic));
  const committed = async (): Promise<number[]> => {
    const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
    return partitions.map((partition) => Number(found?.partitions.find((one) => one.partition === partition)?.offset));
  };
  for (let round = 1; round <= rounds; round++) {
    await untilAcks(acks + acksPerRound);
    const before = await committed();
    await region.kill();
    await region.start();
    const after = await committed();
    for (const partition of partitions)
      assert.ok((after[partition] ?? 0) >= (before[partition] ?? 0), `offsets went from ${before} to ${after}`);
  }
  await untilAcks(acks + acksPerRound);
  for (const writer of writers) writer.isStopping = true;
  await Promise.all(writers.map(({ done }) => done));
  // Returns the values of a partition by offset, whichever consumer got them.
  const valuesIn = (partition: number): Map<number, string> =>
    new Map(
      readers.flatMap(({ received }) =>
        received.filter((one) => one.partition === partition).map(({ offset, value }) => [offset, value]),
      ),
    );
  const isComplete = (): boolean => writers.every(({ acked }, at) => valuesIn(at).size >= acked);
  await Promise.race(readers.map((reader) => reader.until(isComplete)));
  await Promise.all(readers.map((reader) => reader.stop()));
  await admin.disconnect();
  for (const [partition, { acked }] of writers.entries()) {
    const values = [...valuesIn(partition)].toSorted(([a], [b]) => a - b).map(([, value]) => Number(value));
    const expected = Array.from({ length: acked }, (_, at) => at);
    assert.deepEqual(values, expected, `partition ${partition}`);
  }
});
