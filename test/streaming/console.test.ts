// The data of topics that the console reads: partitions, groups and messages, for users who may read the cluster.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Message, MessagePage, Produced, TopicInspection } from '../../src/testing/black-box/streaming.ts';
import { collect, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { addContract, addPerson, tokenOf } from '../harness/people.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';
import { addCluster, addTopic, reach } from './clusters.ts';

const text = ({ base64 }: Message['value']): string | null =>
  base64 === null ? null : Buffer.from(base64, 'base64').toString();

suite('topics in the console', () => {
  let region: Region;
  let cluster: ResourceBody;
  let topic: ResourceBody;
  before(async () => {
    region = await startRegion();
    cluster = await addCluster(region);
    topic = await addTopic(region, cluster.id, { name: 'orders', numberOfPartitions: 2, replicationFactor: 3 });
    const kafka = kafkajsOf(await reach(region, cluster));
    const producer = await producerOf(kafka);
    const messages = Array.from({ length: 30 }, (_, at) => ({
      partition: 0,
      key: `k${at}`,
      value: JSON.stringify({ at }),
      headers: { trace: `t${at}` },
      timestamp: String(1_700_000_000_000 + at * 1000),
    }));
    await producer.send({ topic: 'orders', acks: -1, messages });
    const odd = [
      { partition: 1, key: null, value: null },
      { partition: 1, value: Buffer.alloc(10_000, 7) },
    ];
    await producer.send({ topic: 'orders', acks: -1, messages: odd });
    await producer.disconnect();
    const transactional = await producerOf(kafka, 'aborts');
    const transaction = await transactional.transaction();
    await transaction.send({ topic: 'orders', acks: -1, messages: [{ partition: 1, value: 'never happened' }] });
    await transaction.abort();
    await transactional.disconnect();
    const reader = await collect(kafka, 'readers', 'orders');
    await reader.until(() => reader.received.length === 32);
    await reader.stop();
  });
  after(() => region.stop());

  const at = (): string => `/console/streaming/clusters/${cluster.id}`;
  const page = async (query: string): Promise<MessagePage> => {
    const { status, body } = await region.call<MessagePage>('GET', `${at()}/topics/${topic.id}/messages?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };

  test('show their partitions and the progress of groups', async () => {
    const { status, body } = await region.call<TopicInspection>('GET', `${at()}/topics/${topic.id}`);
    assert.equal(status, 200, JSON.stringify(body));
    const [first] = body.partitions;
    assert.deepEqual([first?.startOffset, first?.endOffset, first?.replicas.length], [0, 30, 3]);
    assert.ok((first?.bytes ?? 0) > 100 && [1, 2, 3].includes(first?.leader ?? 0));
    assert.equal(body.groups[0]?.id, 'readers');
    const { body: all } = await region.call('GET', at());
    assert.deepEqual(
      (all.brokers as { id: number }[]).map(({ id }) => id),
      [1, 2, 3],
    );
    assert.equal((all.groups as { id: string }[])[0]?.id, 'readers');
  });

  test('show messages from the start, the end, an offset or a time', async () => {
    const newest = await page('partition=0&limit=3');
    assert.deepEqual(
      newest.messages.map(({ offset, value }) => [offset, text(value)]),
      [27, 28, 29].map((one) => [one, `{"at":${one}}`]),
    );
    const [message] = newest.messages;
    assert.deepEqual([text(message?.key as Message['key']), message?.timeMs], ['k27', 1_700_000_027_000]);
    assert.deepEqual(
      message?.headers.map(({ key, value }) => [key, text(value)]),
      [['trace', 't27']],
    );
    const oldest = await page('partition=0&at=oldest&limit=2');
    assert.deepEqual([oldest.messages.map(({ offset }) => offset), oldest.nextOffset], [[0, 1], 2]);
    assert.equal((await page(`partition=0&at=${oldest.nextOffset}&limit=5`)).messages[0]?.offset, 2);
    const timed = await page(`partition=0&limit=1&at=${new Date(1_700_000_010_000).toISOString()}`);
    assert.equal(timed.messages[0]?.offset, 10);
    assert.deepEqual((await page(`partition=0&at=${new Date(1_800_000_000_000).toISOString()}`)).messages, []);
  });

  test('show null as null, truncate long values, and omit aborted records', async () => {
    const { messages } = await page('partition=1&at=oldest');
    assert.deepEqual(
      messages.map(({ key, value }) => [text(key), value.base64 === null, value.bytes]),
      [
        [null, true, 0],
        [null, false, 10_000],
      ],
    );
    assert.equal(Buffer.from(messages[1]?.value.base64 ?? '', 'base64').length, 4096);
    const [whole] = (await page('partition=1&at=1&limit=1')).messages;
    assert.equal(Buffer.from(whole?.value.base64 ?? '', 'base64').length, 10_000);
  });

  test('take messages with key, headers and partition, which clients and the tail receive', async () => {
    const base64 = (content: string): string => Buffer.from(content).toString('base64');
    const send = (body: object, options = {}) =>
      region.call<Produced>('POST', `${at()}/topics/${topic.id}/messages`, body, options);
    const after = async (from: string): Promise<MessagePage[]> =>
      (await region.call<{ pages: MessagePage[] }>('GET', `${at()}/topics/${topic.id}/tail?after=${from}`)).body.pages;
    const [first, second] = await after('0:0,1:0');
    const headers = [
      { key: 'trace', value: base64('t') },
      { key: 'none', value: null },
    ];
    const sent = await send({ partition: 1, key: base64('k'), value: base64('{"a":1}'), headers });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    assert.equal(sent.body.partition, 1);
    const [none, some] = await after(`0:${first?.nextOffset},1:${second?.nextOffset}`);
    assert.deepEqual(none?.messages, []);
    const [message] = some?.messages ?? [];
    assert.deepEqual([message?.offset, message && text(message.value)], [sent.body.offset, '{"a":1}']);
    assert.deepEqual(
      message?.headers.map(({ key, value }) => [key, text(value)]),
      [
        ['trace', 't'],
        ['none', null],
      ],
    );
    const places = await Promise.all([1, 2, 3].map(() => send({ key: base64('same'), value: null })));
    assert.equal(new Set(places.map(({ body }) => body.partition)).size, 1, 'equal keys have one partition');
    for (const wrong of [{ partition: 9 }, { partition: 'x' }, { key: '!' }, { headers: [{}] }])
      assert.equal((await send(wrong)).status, 422, JSON.stringify(wrong));
    assert.equal((await send({ value: base64('x'.repeat(1_200_000)) })).status, 413);
    for (const wrong of ['', '0', '0:x', Array(17).fill('0:1').join(',')])
      assert.equal((await region.call('GET', `${at()}/topics/${topic.id}/tail?after=${wrong}`)).status, 422, wrong);
    const person = await addPerson(region);
    assert.equal((await send({}, { token: person.token })).status, 403);
  });

  test('refuse large and invalid requests', async () => {
    for (const query of ['limit=201', 'limit=0', 'partition=-1', 'at=yesterday', 'at=2026-13-99', 'limit=1e2']) {
      const { status } = await region.call('GET', `${at()}/topics/${topic.id}/messages?${query}`);
      assert.equal(status, 422, query);
    }
    assert.equal((await region.call('GET', `${at()}/topics/${topic.id}/messages?partition=9`)).status, 404);
  });

  test('[GEN-05] are only for users who may read the cluster', async () => {
    const path = `${at()}/topics/${topic.id}/messages`;
    assert.equal((await region.call('GET', path, undefined, { token: null })).status, 401);
    const person = await addPerson(region);
    const other = await addContract(region, 31_000_099);
    for (const token of [await tokenOf(region, person.basic), other.token]) {
      const denied = await region.call('GET', path, undefined, { token });
      const read = await region.call('GET', `/de-txl/streaming/clusters/${cluster.id}`, undefined, { token });
      assert.equal(denied.status, read.status, 'as with the cluster itself');
      assert.ok(denied.status === 403 || denied.status === 404, `${denied.status}`);
    }
  });
});
