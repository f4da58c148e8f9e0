// kill -9 of one of three nodes of Apache Kafka under ten idempotent producers with acks=all and five consumers: no
// acknowledged record is lost or duplicated, the order holds in each partition, and committed offsets never go back.
// The engine restarts the node. It takes minutes, so only in a full run.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Kafka, Producer } from 'kafkajs';
import { describeCluster, openEngine } from '../../src/testing/black-box/streaming.ts';
import { type Collector, collect, connected, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { isFull } from '../../src/testing/seed.ts';
import { apacheKafka } from '../clients/streaming/programs.ts';

const id = '0192f0a0-2222-7222-8333-444455556666';
const topic = 'crash';
const writers = 10; // each to its own partition
const readers = 5;
const rounds = 3;
const acksPerRound = 300;

interface Writer {
  sent: number;
  acked: number;
  done: Promise<void>;
}

const kafka = isFull ? await apacheKafka() : { skip: 'only in a full run (--full)' };

test(`[STREAM-06] Apache Kafka: ${rounds} times kill -9 of one node of three: nothing lost or duplicated`, {
  skip: kafka.skip ?? false,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-crash-'));
  const engine = await openEngine(`kafka+jvm:${'path' in kafka ? kafka.path : ''}`, folder);
  t.after(async () => {
    await engine.remove(id);
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { spec, reached } = await describeCluster(id);
  let handle = await engine.start(spec);
  await engine.createTopic(id, { name: topic, partitions: writers, replicationFactor: 3 });
  const js = kafkajsOf(reached, 'crash', 1_000);
  const admin = await connected(js.admin());
  const committed = async (): Promise<number[]> => {
    const [group] = await admin.fetchOffsets({ groupId: 'crash readers', topics: [topic] });
    const offsets = new Map(group?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    return Array.from({ length: writers }, (_, partition) => offsets.get(partition) ?? -1);
  };

  const load = await startWriters(js);
  const group: Collector[] = [];
  for (let reader = 0; reader < readers; reader++) group.push(await collect(js, 'crash readers', topic));
  await load.untilAcks(acksPerRound);
  for (let round = 0; round < rounds; round++) {
    const before = await committed();
    const { processes } = handle as unknown as { processes: { pid: number }[] };
    process.kill(processes[round % 3]?.pid ?? 0, 'SIGKILL');
    await load.untilAcks(load.acks() + acksPerRound);
    handle = await engine.start(spec, handle); // resolves when the node is back
    const after = await committed();
    for (let partition = 0; partition < writers; partition++)
      assert.ok((after[partition] ?? 0) >= (before[partition] ?? 0), `offsets went from ${before} to ${after}`);
  }
  await load.stop();
  const byOffset = (partition: number): Map<number, string> =>
    new Map(
      group.flatMap(({ received }) =>
        received.filter((one) => one.partition === partition).map(({ offset, value }) => [offset, value] as const),
      ),
    );
  const isComplete = (): boolean => load.writers.every(({ acked }, partition) => byOffset(partition).size >= acked);
  await Promise.race(group.map((member) => member.until(isComplete)));
  await Promise.all(group.map((member) => member.stop()));
  await admin.disconnect();
  for (const [partition, { acked }] of load.writers.entries()) {
    const values = [...byOffset(partition)].toSorted(([a], [b]) => a - b).map(([, value]) => Number(value));
    assert.deepEqual(
      values,
      Array.from({ length: acked }, (_, at) => at),
    );
  }
  t.diagnostic(`${load.writers.reduce((total, { acked }) => total + acked, 0)} acknowledged records`);
});

// Each sends numbered values to its own partition until all are stopped.
async function startWriters(js: Kafka) {
  let acks = 0;
  let isStopping = false;
  let onAck = (): void => {};
  const all: Writer[] = [];
  const run = async (producer: Producer, partition: number, writer: Writer): Promise<void> => {
    while (!isStopping) {
      const messages = Array.from({ length: 5 }, () => ({ partition, value: String(writer.sent++) }));
      await producer.send({ topic, acks: -1, messages });
      writer.acked = writer.sent;
      acks++;
      onAck();
    }
    await producer.disconnect();
  };
  for (let partition = 0; partition < writers; partition++) {
    const writer: Writer = { sent: 0, acked: 0, done: Promise.resolve() };
    writer.done = run(await producerOf(js), partition, writer);
    all.push(writer);
  }
  return {
    writers: all,
    acks: () => acks,
    untilAcks: (count: number): Promise<void> =>
      new Promise((resolve, reject) => {
        onAck = () => (acks >= count ? resolve() : undefined);
        for (const { done } of all) done.catch(reject);
        onAck();
      }),
    async stop() {
      isStopping = true;
      await Promise.all(all.map(({ done }) => done));
    },
  };
}
