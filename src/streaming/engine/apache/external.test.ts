// External brokers: our own broker plays their role, so the engine's client talks to a real one.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClock, machineTime } from '../../../base/clock.ts';
import { silent } from '../../../base/log.ts';
import { createCertificates } from '../../access/certificates.ts';
import { brokerMemory, openBroker } from '../../broker/broker.ts';
import { testFolder } from '../../broker/log/testing.ts';
import { openStreamingEngine } from '../open.ts';
import { parse } from './external.ts';

const id = '0192f0a0-3333-7222-8333-444455556666';
const hosts = ['127.0.0.1'];

test('[STREAM-08] kafka:// creates, lists and deletes topics at external brokers, which are one cluster', async (t) => {
  const folder = testFolder(t);
  const { authority, brokers: certificate } = await createCertificates(id, hosts, machineTime);
  const clock = createClock();
  const broker = await openBroker(
    {
      clusterId: 'elsewhere',
      folder: join(folder, 'elsewhere'),
      listeners: [1, 2, 3].map((nodeId) => ({ nodeId, host: '127.0.0.1', port: 0 })),
      tls: { ...certificate, authority: authority.certificate },
      storageBytes: 1024 ** 3,
    },
    { clock, log: silent, memory: brokerMemory(1e8, clock) },
  );
  t.after(() => broker.close());
  const [ca, key] = [join(folder, 'ca.pem'), join(folder, 'ca-key.pem')];
  writeFileSync(ca, authority.certificate);
  writeFileSync(key, authority.key);
  const address = `kafka://${broker.addresses.join(',')}?ca=${ca}&ca-key=${key}`;
  const services = { clock: createClock(), log: silent, clusterLog: () => silent };
  const engine = await openStreamingEngine({ address, folder, flushMs: 1_000, ...services });
  t.after(() => engine.close());
  assert.deepEqual(
    engine.external?.addresses.map(({ host, port }) => `${host}:${port}`),
    broker.addresses,
  );
  const spec = { id, brokers: [], authority: authority.certificate, certificate, storageBytes: 0 };
  await assert.rejects(engine.topics(id), { kind: 'unavailable' });
  await engine.start(spec);
  await engine.start(spec);
  await assert.rejects(engine.start({ ...spec, id: 'another' }), { kind: 'refused' });
  const topic = { name: 'orders', partitions: 4, replicationFactor: 2, retentionMs: -1, segmentBytes: 1 << 20 };
  await engine.createTopic(id, topic);
  await engine.createTopic(id, topic);
  assert.deepEqual(await engine.topics(id), [{ ...topic, bytes: 0 }]);
  await assert.rejects(engine.createTopic(id, { name: 'wide', replicationFactor: 9 }), { kind: 'refused' });
  const { partitions, topics, groups } = await engine.figures(id);
  assert.deepEqual(
    { partitions, topics, groups },
    { partitions: 4, topics: [{ name: 'orders', bytes: 0, records: 0 }], groups: [] },
  );
  await engine.remove(id);
  assert.ok(broker.cluster.topics.byName.has('orders'), 'topics of external brokers stay');
  await engine.start(spec);
  await engine.deleteTopic(id, 'orders');
  await engine.deleteTopic(id, 'orders');
  assert.deepEqual(await engine.topics(id), []);
  const stranger = await createCertificates(id, hosts, machineTime);
  await engine.stop(id);
  await assert.rejects(engine.start({ ...spec, certificate: stranger.brokers }), { kind: 'unavailable' });
});

test('the address of external brokers names them and the authority that they trust', async (t) => {
  const folder = testFolder(t);
  const [one, two] = await Promise.all([1, 2].map(() => createCertificates(id, hosts, machineTime)));
  const file = (name: string, text = ''): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const ca = file('ca.pem', one?.authority.certificate);
  const key = file('key.pem', one?.authority.key);
  const { addresses } = parse(`kafka://a.example,b.example:19093/?ca=${ca}&ca-key=${key}`);
  assert.deepEqual(addresses, [
    { host: 'a.example', port: 9093 },
    { host: 'b.example', port: 19_093 },
  ]);
  const wrong = [
    'kafka://a.example',
    `kafka://?ca=${ca}&ca-key=${key}`,
    `kafka://a.example?ca=${ca}&ca-key=${join(folder, 'none.pem')}`,
    `kafka://a.example?ca=${ca}&ca-key=${file('other.pem', two?.authority.key)}`,
  ];
  for (const address of wrong) assert.throws(() => parse(address), { kind: 'refused' }, address);
});
