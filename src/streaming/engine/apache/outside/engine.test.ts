// Outside brokers: our own broker plays their role, so the engine's client talks to a real one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { uuid } from '../../../../base/ids.ts';
import { silent } from '../../../../base/log.ts';
import { collect, connected, kafkajsOf, producerOf } from '../../../../testing/kafkajs.ts';
import { testFolder } from '../../../broker/log/testing.ts';
import {
  clusterOn,
  describeCluster,
  type OperatedClusters,
  openEngine,
  operateClusters,
} from '../../contract/bench.ts';
import type { ClusterSpec, StreamingEngine } from '../../engine.ts';
import { BrokerList, readList } from './broker-list.ts';

async function open(
  t: TestContext,
  count = 1,
): Promise<{ operated: OperatedClusters; engine: StreamingEngine; address: string; folder: string }> {
  const folder = testFolder(t);
  const operated = await operateClusters('embedded', folder, count);
  const address = operated.list(...operated.ids.keys());
  const engine = await openEngine(address, folder);
  t.after(async () => {
    await engine.close();
    await operated[Symbol.asyncDispose]();
  });
  return { operated, engine, address, folder };
}

test('[STREAM-08] kafka+list creates, lists and deletes topics at outside brokers, and removes what a cluster left', async (t) => {
  const { operated, engine } = await open(t);
  const spec = await clusterOn(engine, 0);
  const { id } = spec;
  await assert.rejects(engine.topics(id), { kind: 'unavailable' });
  const handle = await engine.start(spec);
  await engine.start(spec, handle);
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
  const [set] = engine.outside?.sets() ?? [];
  assert.ok(set && engine.outside);
  const kafka = kafkajsOf({
    addresses: set.addresses.map(({ host, port }) => `${host}:${port}`),
    certificates: { authority: spec.authority, client: spec.certificate },
  });
  const producer = await producerOf(kafka);
  await producer.send({ topic: 'orders', messages: [{ value: 'one' }] });
  await producer.disconnect();
  const reader = await collect(kafka, 'readers', 'orders');
  await reader.until(() => reader.received.length === 1);
  await reader.stop();
  assert.deepEqual(await engine.outside.leftovers(set), { topics: 1, groups: 1 });
  await engine.deleteTopic(id, 'none');
  await engine.stop(id);
  await engine.remove(id, handle, spec); // as a process that has not reached the brokers yet
  assert.deepEqual(await engine.outside.leftovers(set), { topics: 0, groups: 0 });
  await assert.rejects(engine.topics(id), { kind: 'unavailable' });

  await operated.stop(0);
  await assert.rejects(engine.outside.leftovers(set), { kind: 'unavailable' });
  await assert.rejects(engine.start(spec), { kind: 'unavailable' });
  await assert.rejects(engine.remove(id, handle, spec), { kind: 'unavailable' });
  await operated.start(0);
  await engine.start(spec);
});

test('a cluster keeps its brokers when its line is removed, and another engine’s cluster is refused', async (t) => {
  const { operated, engine } = await open(t, 2);
  const spec = await clusterOn(engine, 1);
  const handle = await engine.start(spec);
  await engine.createTopic(spec.id, { name: 'orders' });
  await engine.stop(spec.id);
  operated.list(0);
  await engine.start(spec, handle);
  assert.equal((await engine.topics(spec.id)).length, 1);
  await engine.stop(spec.id);
  await operated.stop(1);
  await engine.remove(spec.id, handle, spec); // they may have been switched off for ever
  const { spec: other } = await describeCluster(uuid());
  await assert.rejects(engine.start(other, { started: true }), { kind: 'refused' });
  await engine.remove(other.id, { started: true }, other);
});

test('the certificate of one line is refused by the brokers of another', async (t) => {
  const { engine } = await open(t, 2);
  const [first, second] = [await clusterOn(engine, 0), await clusterOn(engine, 1)];
  const { authority } = second;
  const addresses = second.brokers.map(({ host, port }) => `${host}:${port}`);
  const client = (certificate: ClusterSpec['certificate']) =>
    connected(kafkajsOf({ addresses, certificates: { authority, client: certificate } }, 'stranger', 0).admin());
  await (await client(second.certificate)).disconnect();
  await assert.rejects(client(first.certificate));
});

test('frozen brokers are unavailable after a few seconds', async (t) => {
  const { folder } = await open(t);
  const sockets: Socket[] = [];
  const frozen = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(frozen, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    frozen.close();
  });
  const { port } = frozen.address() as { port: number };
  const engine = await openEngine(
    `kafka://127.0.0.1:${port}?ca=${folder}/ca-0.pem&ca-key=${folder}/ca-0-key.pem`,
    folder,
  );
  const began = performance.now();
  await assert.rejects(engine.start(await clusterOn(engine, 0)), { kind: 'unavailable' });
  assert.ok(performance.now() - began < 8_000);
});

test('the list is checked line by line', async (t) => {
  const folder = testFolder(t);
  const [one, two] = [await describeCluster(uuid()), await describeCluster(uuid())];
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const [ca, key] = [file('ca.pem', one.authority.certificate), file('key.pem', one.authority.key)];
  const [ca2, key2] = [file('ca2.pem', two.authority.certificate), file('key2.pem', two.authority.key)];
  let lists = 0;
  const list = (...lines: string[]): string => `kafka+list:${join(folder, file(`${++lists}.list`, lines.join('\n')))}`;
  const good = `kafka://A.example, b.example:19093/?ca=${ca}&ca-key=${key}`;
  const sets = readList(list('# ours', '', good, `  kafka://c.example?ca=${ca2}&ca-key=${key2}`));
  assert.deepEqual(
    sets.map(({ addresses }) => addresses),
    [
      [
        { host: 'a.example', port: 9093 },
        { host: 'b.example', port: 19_093 },
      ],
      [{ host: 'c.example', port: 9093 }],
    ],
  );
  const wrong: [string, RegExp][] = [
    [list(), /\.list lists no brokers/],
    ['kafka+list:/nowhere/list', /^Error: \/nowhere\/list does not exist$/],
    [list(good, 'kafka://c.example'), /\.list line 2: expected an address/],
    [list(good, `kafka://c.example:0?ca=${ca2}&ca-key=${key2}`), /line 2: 'c.example:0' is not an address/],
    [list('', `kafka://c.example?ca=${ca2}&ca-key=none.pem`), /line 2: .*none\.pem does not exist/],
    [list(`kafka://c.example?ca=${ca2}&ca-key=${key}`), /line 1: key\.pem is not the key of the CA ca2\.pem/],
    [list(good, `kafka://b.example:19093?ca=${ca2}&ca-key=${key2}`), /line 2: b\.example:19093 is listed a second/],
    [list(good, `kafka://c.example?ca=${ca}&ca-key=${key}`), /line 2: its CA has the same key as that of .* line 1/],
    [`kafka://c.example?ca=${folder}/none&ca-key=none`, /^Error: --streaming: .*none does not exist/],
  ];
  for (const [address, message] of wrong) assert.throws(() => readList(address), message, address);
});

test('a list that becomes invalid is reported, and the last valid one counts', async (t) => {
  const folder = testFolder(t);
  const { authority } = await describeCluster(uuid());
  writeFileSync(join(folder, 'ca.pem'), authority.certificate);
  writeFileSync(join(folder, 'key.pem'), authority.key);
  const file = join(folder, 'list');
  writeFileSync(file, 'kafka://a?ca=ca.pem&ca-key=key.pem');
  const errors: string[] = [];
  const list = new BrokerList(`kafka+list:${file}`, { ...silent, error: (message) => void errors.push(message) });
  writeFileSync(file, 'kafka://');
  assert.deepEqual([list.read().length, list.read().length, errors.length], [1, 1, 1]);
  writeFileSync(file, 'kafka://b?ca=ca.pem&ca-key=key.pem');
  assert.equal(list.find(authority.certificate)?.addresses[0]?.host, 'b');
});
