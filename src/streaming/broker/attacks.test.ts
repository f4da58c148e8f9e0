// Requests built to exhaust the memory or the time of a broker: floods, repetitions, false lengths and compression
// bombs. Brokers of several contracts share a thread, so no request may block it for long.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compressLz4 } from '../../core/compression/lz4-compress.ts';
import { assertShortTurns, TurnMeter } from '../../testing/turn-meter.ts';
import { until } from '../../testing/waiting.ts';
import { openTestBroker, type TestBroker } from './testing.ts';
import { Attacker, type Target } from './testing-attacker.ts';
import { apis } from './wire/apis.ts';
import { errorCodes } from './wire/errors.ts';
import { readResponse, writeRequest } from './wire/frame.ts';
import { compressSnappy } from './wire/java-snappy.ts';
import { buildBatch } from './wire/record-batch.ts';
import { codecs, writeRecord } from './wire/records.ts';

const megabyte = 1024 * 1024;
const meter = new TurnMeter(); // of this thread, which runs the broker; the client runs in another one

suite('attacks on a broker', () => {
  let broker: TestBroker;
  const attacker = new Attacker();
  const wide = 'wide'; // many partitions
  const compacted = 'compacted';

  before(async () => {
    broker = await openTestBroker({ mostPartitions: 1010 });
    const { topics } = broker.cluster;
    await topics.create({ name: wide, partitions: 1000, replicationFactor: 3, configs: {} });
    const configs = { 'cleanup.policy': 'compact' };
    await topics.create({ name: compacted, partitions: 1, replicationFactor: 3, configs });
    await topics.create({
      name: 'zipped',
      partitions: 1,
      replicationFactor: 3,
      configs: { 'compression.type': 'zstd' },
    });
  });
  after(async () => {
    await attacker.close();
    await broker.close();
    assert.deepEqual(broker.errors, []);
  });

  const dial = async (nodeId = 1): Promise<TLSSocket> => {
    const socket = connect(targetOf(nodeId));
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    return socket;
  };

  const targetOf = (nodeId: number): Target => {
    const [host, port] = broker.addresses[nodeId - 1]?.split(':') ?? [];
    const { authority, client } = broker.certificates;
    return { host, port: Number(port), ca: authority, key: client.key, cert: client.certificate };
  };

  // Returns the frame of the answer, or undefined if the broker hangs up.
  const measured = async (bytes: Buffer, nodeId = 1): Promise<Buffer | undefined> => {
    let frame: Buffer | undefined;
    const key = bytes.length < 6 ? 'unknown' : bytes.readInt16BE(4);
    const connection = {
      begin: () => attacker.dial(targetOf(nodeId)).then(() => meter.begin()),
      end: () => meter.end(),
    };
    await assertShortTurns(
      `a request of ${bytes.length} bytes with key ${key}`,
      async () => {
        frame = await attacker.exchange(bytes);
      },
      connection,
    );
    return frame;
  };

  const encoded = (key: number, version: number, body: object): Buffer => {
    const api = apis.get(key) as never;
    return Buffer.concat(writeRequest(api, { version, correlationId: 1, clientId: 'attacker' }, body));
  };

  const ask = async <T>(key: number, version: number, body: object, nodeId = 1): Promise<T> => {
    const frame = await measured(encoded(key, version, body), nodeId);
    assert.ok(frame, 'the broker hung up');
    return readResponse(apis.get(key) as never, version, frame) as T;
  };
  const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

  test('a request that names a topic thousands of times gets one description', async () => {
    const topics = many(20_000, () => ({ topicId: '0'.repeat(32), name: wide }));
    const { topics: found } = await ask<{ topics: { partitions: unknown[] }[] }>(3, 12, { topics });
    assert.deepEqual(
      found.map(({ partitions }) => partitions.length),
      [1000],
    );
    const resources = many(20_000, () => ({ resourceType: 2, resourceName: wide, configurationKeys: null }));
    const { results } = await ask<{ results: unknown[] }>(32, 4, { resources, includeSynonyms: true });
    assert.equal(results.length, 1);
    const groups = many(20_000, () => ({ groupId: 'readers', memberId: null, memberEpoch: -1, topics: null }));
    const fetched = await ask<{ groups: unknown[] }>(9, 8, { groups });
    assert.equal(fetched.groups.length, 1);
    const described = await ask<{ groups: unknown[] }>(15, 5, { groups: many(40_000, () => 'readers') });
    assert.equal(described.groups.length, 1);
  });

  test('a request that names a partition thousands of times is cheap', async () => {
    const named = [{ topic: wide, partitions: many(40_000, (at) => at % 1000) }];
    const dirs = await ask<{ results: { topics: { partitions: unknown[] }[] }[] }>(35, 2, { topics: named });
    assert.equal(dirs.results[0]?.topics[0]?.partitions.length, 1000);
    const { leader = 1 } = broker.cluster.topics.byName.get(compacted)?.partitions[0] ?? {};
    const partitions = many(10_000, () => ({ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: 1 }));
    type Answer = { topics: { partitions: { errorCode: number }[] }[] };
    const offsets = await ask<Answer>(2, 7, { replicaId: -1, topics: [{ name: compacted, partitions }] }, leader);
    const codes = offsets.topics[0]?.partitions.map(({ errorCode }) => errorCode) ?? [];
    assert.deepEqual([...new Set(codes)], [0, errorCodes.INVALID_REQUEST]);
  });

  test('more topics and partitions than a cluster may have are refused at any number', async () => {
    const topic = (name: string, numPartitions: number) => ({
      name,
      numPartitions,
      replicationFactor: 1,
      assignments: [],
      configs: [],
    });
    type Answer = { topics: { errorCode: number }[] };
    const codesOf = ({ topics }: Answer): number[] => [...new Set(topics.map(({ errorCode }) => errorCode))];
    const flood = many(15_000, (at) => topic(`flood-${at}`, 20));
    assert.deepEqual(codesOf(await ask<Answer>(19, 5, { topics: flood })), [errorCodes.INVALID_PARTITIONS]);
    for (const count of [1_000_000, 0x7fffffff, 0, -2])
      assert.deepEqual(codesOf(await ask<Answer>(19, 5, { topics: [topic('huge', count)] })), [
        errorCodes.INVALID_PARTITIONS,
      ]);
    const more = await ask<{ results: { errorCode: number }[] }>(37, 1, {
      topics: [{ name: wide, count: 1_000_000, assignments: null }],
    });
    assert.equal(more.results[0]?.errorCode, errorCodes.INVALID_PARTITIONS);
    const gone = await ask<{ responses: { errorCode: number }[] }>(20, 5, {
      topicNames: many(15_000, (at) => `flood-${at}`),
    });
    assert.ok(gone.responses.every(({ errorCode }) => errorCode === errorCodes.UNKNOWN_TOPIC_OR_PARTITION));
    assert.equal(broker.cluster.topics.all.length, 3);
  });

  test('false lengths and too many elements end the connection', async () => {
    const head = (key: number, version: number): Buffer => {
      const bytes = encoded(key, version, { topics: [] });
      return bytes.subarray(4);
    };
    const framed = (body: Buffer): Buffer => {
      const prefix = Buffer.alloc(4);
      prefix.writeUInt32BE(body.length);
      return Buffer.concat([prefix, body]);
    };
    const counted = (count: number, rest: number): Buffer => {
      const body = Buffer.concat([head(3, 1).subarray(0, -4), Buffer.alloc(4 + rest)]);
      body.writeInt32BE(count, body.length - 4 - rest);
      return framed(body);
    };
    const huge = Buffer.from([0x7f, 0xff, 0xff, 0xff]);
    const hostile: Record<string, Buffer> = {
      'an array of 2 GB': counted(0x7fffffff, 10),
      'a negative array': counted(-5, 10),
      'a million empty names': counted(1_000_000, 2_000_000),
      'a frame of 2 GB': Buffer.concat([huge, Buffer.alloc(100)]),
      'a negative frame': Buffer.from([0xff, 0xff, 0xff, 0xff]),
      'an unknown API': framed(Buffer.from([0x7f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0])),
      'nothing in a frame': framed(Buffer.alloc(0)),
    };
    for (const [what, bytes] of Object.entries(hostile)) {
      assert.equal(await measured(bytes), undefined, what);
    }
  });

  const bombs: Record<string, () => Buffer> = {
    gzip: () => Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * megabyte)))),
    snappy: () => compressSnappy(Buffer.alloc(20 * megabyte)),
    lz4: () => compressLz4(Buffer.alloc(100 * megabyte)),
    zstd: () => zstdCompressSync(Buffer.alloc(1024 * megabyte)),
  };
  for (const [name, make] of Object.entries(bombs))
    test(`a ${name} bomb in a batch is refused as too large`, async () => {
      const records = make();
      assert.ok(records.length < megabyte, `${records.length} bytes`);
      for (const topic of name === 'zstd' ? [compacted] : [compacted, 'zipped']) {
        const [code, leader] = await produce(topic, batch(records, codecs[name as keyof typeof codecs], 1));
        assert.equal(code, errorCodes.MESSAGE_TOO_LARGE, `${topic} on ${leader}`);
      }
    });

  test('a batch of very many records does not block the thread', async () => {
    const one = writeRecord(0, 0, Buffer.from('k'), null);
    const zipped = (count: number): Buffer => gzipSync(Buffer.alloc(count * one.length, one));
    assert.equal((await produce(compacted, batch(zipped(131_072), codecs.gzip, 131_072)))[0], 0);
    const refused = await produce(compacted, batch(zipped(1_000_000), codecs.gzip, 1_000_000));
    assert.equal(refused[0], errorCodes.MESSAGE_TOO_LARGE);
  });

  test('batches with false record counts or lengths are refused', async () => {
    const record = writeRecord(0, 0, Buffer.from('key'), Buffer.from('value'));
    const lies: Record<string, Buffer> = {
      'two million records in one': batch(record, 0, 2_000_000),
      'two records in one': batch(record, 0, 2),
      'a negative length': batch(Buffer.from([0x03, 0, 0, 0, 0]), 0, 1),
      'a length beyond the batch': batch(Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 0]), 0, 1),
      'a varint without an end': batch(Buffer.alloc(100, 0xff), 0, 1),
      'a key beyond its record': batch(Buffer.from([10, 0, 0, 0, 0x7e, 1, 1]), 0, 1),
      'a batch in a batch': batch(gzipSync(batch(gzipSync(record), codecs.gzip, 1)), codecs.gzip, 1),
      'no gzip': batch(Buffer.from('text'), codecs.gzip, 1),
      'no snappy': batch(Buffer.alloc(50, 0xff), codecs.snappy, 1),
      'no lz4': batch(Buffer.alloc(50, 0xff), codecs.lz4, 1),
    };
    for (const [what, bytes] of Object.entries(lies)) {
      const [code] = await produce(compacted, bytes);
      assert.ok([errorCodes.CORRUPT_MESSAGE, errorCodes.INVALID_RECORD].includes(code as never), `${what}: ${code}`);
    }
    const [code] = await produce(compacted, batch(Buffer.concat([record, Buffer.alloc(2 * megabyte)]), 0, 1));
    assert.equal(code, errorCodes.MESSAGE_TOO_LARGE);
  });

  const batch = (records: Buffer, compression: number, count: number): Buffer =>
    buildBatch(
      {
        ...{
          baseOffset: 0,
          leaderEpoch: -1,
          compression,
          isLogAppendTime: false,
          isTransactional: false,
          isControl: false,
        },
        ...{ lastOffset: count - 1, baseTimestamp: 1000, maxTimestamp: 1000, producerId: -1, producerEpoch: -1 },
        ...{ baseSequence: -1, count },
      },
      records,
    );

  const produce = async (topic: string, records: Buffer): Promise<[code: number, leader: number]> => {
    const { leader = 1 } = broker.cluster.topics.byName.get(topic)?.partitions[0] ?? {};
    const topicData = [{ name: topic, partitionData: [{ index: 0, records }] }];
    type Answer = { responses: { partitionResponses: { errorCode: number }[] }[] };
    const { responses } = await ask<Answer>(
      0,
      7,
      { transactionalId: null, acks: 1, timeoutMs: 1000, topicData },
      leader,
    );
    return [responses[0]?.partitionResponses[0]?.errorCode ?? -1, leader];
  };

  test('groups, members and transactional ids have limits', async () => {
    const { offsets, transactions } = broker.cluster;
    const commit = { topic: wide, partition: 0, offset: 1, leaderEpoch: 0, metadata: '', commitMs: 1 };
    for (let at = 0; at < 10_000; at++) void offsets.commit(`group-${at}`, [commit]).catch(() => {});
    await until(
      'all groups are stored',
      () => offsets.groupCount,
      (count) => count >= 10_000,
    );
    const topics = [
      {
        name: wide,
        partitions: [{ partitionIndex: 0, committedOffset: 1, committedLeaderEpoch: 0, committedMetadata: null }],
      },
    ];
    type Committed = { topics: { partitions: { errorCode: number }[] }[] };
    const commitFor = async (groupId: string): Promise<number | undefined> => {
      const sent = { groupId, generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null, topics };
      return (await ask<Committed>(8, 7, sent)).topics[0]?.partitions[0]?.errorCode;
    };
    assert.equal(await commitFor('group-1'), 0);
    assert.equal(await commitFor('one more'), errorCodes.POLICY_VIOLATION);
    const join = {
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
      memberId: '',
      groupInstanceId: null,
      protocolType: 'consumer',
    };
    const joined = await ask<{ errorCode: number }>(11, 7, {
      groupId: 'one more',
      ...join,
      protocols: [{ name: 'range', metadata: Buffer.alloc(1) }],
    });
    assert.equal(joined.errorCode, errorCodes.POLICY_VIOLATION);
    const large = await ask<{ errorCode: number }>(11, 7, {
      groupId: 'group-1',
      ...join,
      protocols: [{ name: 'range', metadata: Buffer.alloc(40 * megabyte) }],
    });
    assert.equal(large.errorCode, errorCodes.POLICY_VIOLATION);

    const { producer } = { producer: await transactions.begin('first', 60_000, { id: -1, epoch: -1 }) };
    const known = transactions.byId.get('first');
    assert.ok(known && producer.id >= 0);
    for (let at = 1; at < 10_000; at++) transactions.byId.set(`id-${at}`, known);
    const begun = await ask<{ errorCode: number }>(22, 4, {
      transactionalId: 'one more',
      transactionTimeoutMs: 60_000,
      producerId: -1,
      producerEpoch: -1,
    });
    assert.equal(begun.errorCode, errorCodes.POLICY_VIOLATION);
    for (let at = 1; at < 10_000; at++) transactions.byId.delete(`id-${at}`);
  });

  test('unfinished handshakes do not block other clients', async () => {
    const [host, port] = broker.addresses[0]?.split(':') ?? [];
    let dropped = 0;
    const idle = many(1200, () =>
      connectPlain({ host, port: Number(port) })
        .on('error', () => {})
        .on('close', () => dropped++),
    );
    try {
      await until(
        'idle connections are closed',
        () => dropped,
        (count) => count >= 100,
      );
      const began = performance.now();
      const socket = await dial(1);
      assert.ok(performance.now() - began < 5000, 'it waited until the others were timed out');
      socket.destroy();
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });
});
