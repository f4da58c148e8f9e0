// The lab stops and starts a broker of a cluster while a producer and a group continue.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Producer } from 'kafkajs';
import { type Collector, collect, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { addPerson } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { secondContract } from '../sweep/world.ts';
import { addCluster, addTopic, clusters, reach } from './clusters.ts';

interface Look {
  brokers: { id: number; address: string; serving: boolean; leads: number }[];
}

const topic = 'orders';
const perStage = 60;

const isOpen = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const [host = '', port] = address.split(':');
    const socket = connect(Number(port), host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

describe('brokers in the lab', () => {
  let region: Region;
  let cluster: ResourceBody;
  let producer: Producer;
  let reader: Collector;
  let sent = 0;
  let at: string;
  before(async () => {
    region = await startRegion();
    cluster = await addCluster(region, { name: 'orders' });
    at = `/lab/clusters/${cluster.id}/brokers`;
    await addTopic(region, cluster.id, { name: topic, numberOfPartitions: 3, replicationFactor: 3 });
    const kafka = kafkajsOf(await reach(region, cluster), 'lab', 200);
    producer = await producerOf(kafka);
    reader = await collect(kafka, 'readers', topic);
  });
  after(async () => {
    await producer?.disconnect();
    await reader?.stop();
    await region.stop();
  });

  const look = async (): Promise<Look> => (await region.call<Look>('GET', at)).body;
  const set = (id: number | string, serving: unknown, token?: string) =>
    region.call<Look>('PUT', `${at}/${id}`, { serving }, token === undefined ? {} : { token });
  // Each record is acknowledged before the next one is sent; the partitions take turns.
  const stage = async (): Promise<void> => {
    for (let count = 0; count < perStage; count++) {
      await producer.send({ topic, acks: -1, messages: [{ partition: sent % 3, value: String(sent) }] });
      sent++;
    }
    await reader.until(() => reader.received.length >= sent);
  };

  it('[STREAM-06] a stopped broker loses its leaders, a restarted one regains them; nothing is lost', async () => {
    await stage();
    const serving = { serving: true, leads: 1 };
    assert.partialDeepStrictEqual((await look()).brokers, [serving, serving, serving]);
    const [, second] = (await look()).brokers;
    assert.ok(second && (await isOpen(second.address)));

    const { body } = await set(2, false);
    assert.partialDeepStrictEqual(body.brokers[1], { id: 2, serving: false, leads: 0 });
    assert.equal(
      body.brokers.reduce((sum, { leads }) => sum + leads, 0),
      3,
    );
    assert.equal(await isOpen(second.address), false);
    await stage();
    const shown = await cumulet(['lab', 'brokers', 'orders', '--data', region.data]);
    assert.match(shown.stdout, /^ *2 {2}127\S+ +stopped$/m);

    const started = await cumulet(['lab', 'brokers', 'orders', '--start', '2', '--json', '--data', region.data]);
    assert.partialDeepStrictEqual((JSON.parse(started.stdout) as Look).brokers, [serving, serving, serving]);
    assert.ok(await isOpen(second.address));
    await stage();

    const metrics = async (): Promise<number> => {
      const { body: text } = await region.call<string>('GET', `${clusters}/${cluster.id}/metrics`);
      return Number(/^kafka_cluster_requests_total (\d+)$/m.exec(text)?.[1]);
    };
    const before = await metrics();
    for (const id of [1, 3]) await set(id, false);
    await stage(); // one is left
    for (const id of [1, 3]) await set(id, true);
    await stage();
    assert.ok((await metrics()) > before, 'counters never decrease');

    for (const partition of [0, 1, 2]) {
      const values = reader.received.filter((one) => one.partition === partition).map(({ value }) => Number(value));
      const expected = Array.from({ length: sent }, (_, number) => number).filter((number) => number % 3 === partition);
      assert.deepEqual([...new Set(values)], expected, `partition ${partition}: all records, in order`);
    }
    assert.equal(new Set(reader.received.map(({ partition, offset }) => `${partition}/${offset}`)).size, sent);
  });

  it('[GEN-07] is for administrators of the contract, and reports errors', async () => {
    assert.equal((await set(4, false)).status, 404);
    assert.equal((await set('x', false)).status, 404);
    assert.equal((await set(1, 'no')).status, 422);
    assert.equal((await region.call('GET', '/lab/clusters/none/brokers')).status, 404);
    const { token } = await secondContract(region);
    assert.equal((await region.call('GET', at, undefined, { token })).status, 404);
    assert.equal((await set(1, false, token)).status, 404);
    const person = await addPerson(region);
    assert.equal((await set(1, false, person.token)).status, 403);
    assert.ok((await look()).brokers.every(({ serving }) => serving));
    const missing = await cumulet(['lab', 'brokers', 'nothing', '--data', region.data]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /Cluster nothing does not exist/);
  });
});
