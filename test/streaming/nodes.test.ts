// Two nodes of one region: the brokers of all clusters run on the first. The other accepts API calls and leaves the
// work to the first, even while it is dead.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { signIn } from '../console/harness/calls.ts';
import { startNodes } from '../harness/nodes.ts';
import type { Region } from '../harness/region.ts';
import { addCluster, addTopic, clusters, reach, untilState } from './clusters.ts';

test('[STREAM-06] [GEN-06] a cluster lives on the first node, survives its crash, and is managed by both', async () => {
  await using nodes = await startNodes(2);
  const [one, two] = nodes.all as [Region, Region];
  const cluster = await addCluster(two);
  const path = `${clusters}/${cluster.id}`;
  await addTopic(two, cluster.id, { name: 'orders', numberOfPartitions: 1, replicationFactor: 3 });
  await one.logged('the cluster serves');
  assert.doesNotMatch(two.log(), /the cluster serves/);
  const kafka = kafkajsOf(await reach(two, cluster), 'nodes', 1_000);
  const producer = await producerOf(kafka);
  const send = (value: string) => producer.send({ topic: 'orders', acks: -1, messages: [{ value }] });
  await send('before');
  const metrics = await two.call<string>('GET', `${path}/metrics`);
  assert.match(metrics.body, /^kafka_topic_records\{topic="orders"\} 1$/m);
  const inLab = await two.call<{ brokers: { serving: boolean }[] }>('GET', `/lab/clusters/${cluster.id}/brokers`);
  assert.deepEqual(
    inLab.body.brokers.map(({ serving }) => serving),
    [true, true, true],
  );
  const owner = await signIn(two, one.owner);
  const inConsole = await owner.call<{ brokers: unknown[] }>('GET', `/console/streaming/clusters/${cluster.id}`);
  assert.equal(inConsole.status, 200);
  assert.equal(inConsole.body.brokers.length, 3);

  await one.kill();
  assert.equal((await two.call('GET', path)).status, 200);
  const unread = await two.call('GET', `${path}/metrics`);
  assert.equal(unread.status, 503);
  assert.equal(unread.headers['retry-after'], '5');
  assert.match(JSON.stringify(unread.body), /The brokers of this region are kept by the node at .* --streaming/);
  const late = await two.call('POST', `${path}/topics`, { properties: { name: 'late' } });
  assert.equal(late.status, 202);
  const at = `${path}/topics/${late.body.id}`;
  assert.notEqual((await two.call('GET', at)).body.metadata.state, 'AVAILABLE');
  const sending = send('without the node'); // the client tries again and again

  await one.start();
  await sending;
  await untilState(two, at, 'AVAILABLE');
  await untilState(one, path, 'AVAILABLE');
  const reader = await collect(kafka, 'readers', 'orders');
  await reader.until(() => reader.received.length === 2);
  assert.deepEqual(
    reader.received.map(({ value }) => value),
    ['before', 'without the node'],
  );
  await reader.stop();
  await producer.disconnect();
});
