// kill -9 of the broker under producers and a consumer group: nothing that was acknowledged is lost, nothing is
// doubled, the order holds in each partition, and committed offsets never go back.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Producer } from 'kafkajs';
import type { BrokerOptions } from '../../src/streaming/broker/broker.ts';
import { createCertificates, testBrokerOptions } from '../../src/streaming/broker/testing.ts';
import { collect, connected, kafkajsOf, producerOf } from './kafkajs.ts';

const rounds = process.env.CUMULET_LONG ? 100 : 5;
const partitions = [0, 1, 2, 3];
const acksPerRound = 60;

async function start(options: BrokerOptions): Promise<{ child: ChildProcess; addresses: string[] }> {
  const script = join(import.meta.dirname, 'broker-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, addresses: JSON.parse(line.toString()) as string[] };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

// Sends numbered values to one partition, until it is told to stop. Counts what is acknowledged.
function write(producer: Producer, partition: number, onAck: () => void) {
  const writer = { sent: 0, acked: 0, isStopping: false, done: Promise.resolve() };
  const run = async (): Promise<void> => {
    while (!writer.isStopping) {
      const messages = Array.from({ length: 5 }, () => ({ partition, value: String(writer.sent++) }));
      await producer.send({ topic: 'crash', acks: -1, messages });
      writer.acked = writer.sent;
      onAck();
    }
  };
  writer.done = run();
  return writer;
}

test(`[STREAM-06] ${rounds} times kill -9: nothing lost, nothing doubled, in order`, {
  timeout: 280_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-crash-'));
  const certificates = await createCertificates();
  const options = testBrokerOptions(folder, certificates);
  let { child, addresses } = await start(options);
  t.after(async () => {
    await kill(child);
    await rm(folder, { recursive: true, force: true });
  });
  const fixed = {
    ...options,
    listeners: options.listeners.map((one, at) => ({ ...one, port: portOf(addresses[at]) })),
  };
  const kafka = kafkajsOf({ addresses, certificates }, 'crash', 1_000);
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
  const reader = await collect(kafka, 'crash readers', 'crash');
  const committed = async (): Promise<number[]> => {
    const [topic] = await admin.fetchOffsets({ groupId: 'crash readers', topics: ['crash'] });
    return partitions.map((partition) => Number(topic?.partitions.find((one) => one.partition === partition)?.offset));
  };
  for (let round = 1; round <= rounds; round++) {
    await untilAcks(acks + acksPerRound);
    const before = await committed();
    await kill(child);
    ({ child } = await start(fixed));
    const after = await committed();
    for (const partition of partitions)
      assert.ok((after[partition] ?? 0) >= (before[partition] ?? 0), `offsets went from ${before} to ${after}`);
  }
  await untilAcks(acks + acksPerRound);
  for (const writer of writers) writer.isStopping = true;
  await Promise.all(writers.map(({ done }) => done));
  const isComplete = (): boolean => writers.every(({ acked }, at) => valuesOf(at).size === acked);
  const valuesOf = (partition: number): Set<string> =>
    new Set(reader.received.filter((one) => one.partition === partition).map(({ value }) => value));
  await reader.until(isComplete);
  await reader.stop();
  await admin.disconnect();
  for (const [partition, { acked }] of writers.entries()) {
    const byOffset = new Map(
      reader.received.filter((one) => one.partition === partition).map(({ offset, value }) => [offset, value]),
    );
    const values = [...byOffset].toSorted(([a], [b]) => a - b).map(([, value]) => Number(value));
    assert.deepEqual(
      values,
      Array.from({ length: acked }, (_, at) => at),
    );
  }
});

const portOf = (address: string | undefined): number => Number(address?.split(':')[1]);
