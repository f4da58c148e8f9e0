// A region whose cluster runs on Apache Kafka: the brokers outlive it, the next one adopts them, dead ones are
// restarted, and they end with the cluster. It takes a minute, so only in a full run.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { collect, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { isFull } from '../../src/testing/seed.ts';
import { apacheKafka } from '../clients/streaming/programs.ts';
import { startRegion } from '../harness/region.ts';
import { addCluster, addTopic, clusters, reach, untilGone, untilState } from './clusters.ts';

const kafka = isFull ? await apacheKafka() : { skip: 'only in a full run (--full)' };

test('[STREAM-08] brokers of Apache Kafka outlive the region, are adopted, restarted and ended', {
  skip: kafka.skip ?? false,
}, async (t) => {
  const region = await startRegion({ args: ['--streaming', `kafka+jvm:${'path' in kafka ? kafka.path : ''}`] });
  let isDeleted = false;
  const cluster = await addCluster(region);
  const path = `${clusters}/${cluster.id}`;
  t.after(async () => {
    if (!isDeleted) await region.call('DELETE', path);
    if (!isDeleted) await untilGone(region, path);
    await region.stop();
  });
  const folder = join(region.data, 'streaming', cluster.id);
  const processes = (): { pid: number }[] =>
    [1, 2, 3].map((id) => JSON.parse(readFileSync(join(folder, `node-${id}`, 'process.json'), 'utf8')));
  await addTopic(region, cluster.id, { name: 'orders', numberOfPartitions: 3, replicationFactor: 3 });
  const js = kafkajsOf(await reach(region, cluster), 'outlives', 500);
  const producer = await producerOf(js);
  const send = (value: string) => producer.send({ topic: 'orders', acks: -1, messages: [{ value }] });
  const first = processes();
  await send('before');
  await region.kill();
  await send('without a region');
  rmSync(join(folder, 'node-3', 'process.json')); // as if killed between the start of the node and this save
  await region.restart();
  await untilState(region, path, 'AVAILABLE');
  assert.deepEqual(processes(), first, 'adopted');

  process.kill(first[1]?.pid ?? 0, 'SIGKILL');
  await send('without a broker');
  await region.logged('a node had ended and is started again');
  assert.notDeepEqual(processes()[1], first[1]);
  const reader = await collect(js, 'readers', 'orders');
  await reader.until(() => reader.received.length === 3);
  const read = reader.received.map(({ value }) => value).toSorted();
  assert.deepEqual(read, ['before', 'without a broker', 'without a region']);
  await reader.stop();
  await producer.disconnect();
  const last = processes();
  await region.call('DELETE', path);
  await untilGone(region, path);
  isDeleted = true;
  assert.ok(!existsSync(folder));
  assert.ok(!last.some(({ pid }) => existsSync(`/proc/${pid}/exe`)), 'they have ended');
});
