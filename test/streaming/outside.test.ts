// Several clusters on outside brokers from a list, in a region of two nodes. Our own brokers play the role of the
// outside ones; in a full run Apache Kafka does, too.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { operateClusters } from '../../src/testing/black-box/streaming.ts';
import { collect, connected, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { isFull } from '../../src/testing/seed.ts';
import { apacheKafka } from '../clients/streaming/programs.ts';
import { startNodes } from '../harness/nodes.ts';
import { addContract } from '../harness/people.ts';
import type { Region } from '../harness/region.ts';
import { addCluster, addTopic, clusters, reach, streaming, untilGone } from './clusters.ts';

const kafka = isFull ? await apacheKafka() : { skip: 'only in a full run (--full)' };
const other = '/de-fra/streaming/clusters';

for (const [name, engine, skip] of [
  ['our own brokers', 'embedded', false],
  ['Apache Kafka', `kafka+jvm:${'path' in kafka ? kafka.path : ''}`, kafka.skip ?? false],
] as const) {
  test(`[STREAM-08] [GEN-06] each line of a list is one cluster, on every node: ${name}`, { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-outside-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    await using operated = await operateClusters(engine, folder, 2);
    await using nodes = await startNodes(2, ['--streaming', operated.list(0)]);
    const [one, two] = nodes.all as [Region, Region];
    const beta = { token: (await addContract(one, 31_000_902)).token };
    const refusal = async (options: { token?: string } = {}): Promise<string> => {
      const sent = { properties: { name: 'late', size: 'S' } };
      const { status, body } = await two.call('POST', clusters, sent, options);
      assert.equal(status, 422, JSON.stringify(body));
      return JSON.stringify(body);
    };

    const first = await addCluster(one);
    assert.match(
      (await two.call<string>('GET', `${clusters}/${first.id}/metrics`)).body,
      /^kafka_cluster_partitions 0$/m,
    );
    await addTopic(two, first.id, { name: 'orders', numberOfPartitions: 1, replicationFactor: 1 });
    assert.match(await refusal(beta), /brokers for 1 cluster, and none is free: 1 in use\. .* add a line/);
    operated.list(0, 1);
    const second = await addCluster(two, {}, { ...beta, at: other });
    assert.notDeepEqual(second.metadata.brokerAddresses, first.metadata.brokerAddresses);
    assert.match(await refusal(), /brokers for 2 clusters, and none is free: 2 in use/);

    const mine = await reach(two, first);
    const producer = await producerOf(kafkajsOf(mine, 'mine'));
    await producer.send({ topic: 'orders', acks: -1, messages: [{ value: 'secret' }] });
    await producer.disconnect();
    const reader = await collect(kafkajsOf(mine, 'mine'), 'readers', 'orders');
    await reader.until(() => reader.received.length === 1);
    await reader.stop();
    const theirs = second.metadata.brokerAddresses as string[];
    await assert.rejects(connected(kafkajsOf({ ...mine, addresses: theirs }, 'stranger', 0).admin()));

    await one.call('DELETE', `${clusters}/${first.id}`);
    await untilGone(two, `${clusters}/${first.id}`);
    assert.deepEqual(await operated.engine.topics(operated.ids[0] ?? ''), []);
    assert.match(await refusal(beta), /2 clusters, and none is free: 1 in use, 1 not assignable/);
    await two.logged('whose certificates remain valid');
    await operated.engine.createTopic(operated.ids[0] ?? '', { name: 'of-the-operator' });
    assert.match(await refusal(), /1 in use, 1 not assignable/);
    await two.logged('still has 1 topics');
    await operated.engine.deleteTopic(operated.ids[0] ?? '', 'of-the-operator');
    const again = await addCluster(two);
    assert.deepEqual(again.metadata.brokerAddresses, first.metadata.brokerAddresses);
    assert.deepEqual((await one.call('GET', `${streaming}/clusters/${again.id}/topics`)).body.items, []);
  });
}
