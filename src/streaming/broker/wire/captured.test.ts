// Frames captured from real clients (kcat 1.7.1, kafkajs 2.2.4, @platformatic/kafka 2.12.1), without their lengths.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readRequest } from './frame.ts';
import { batchHeaderAt, hasRightCrc } from './record-batch.ts';
import { readRecords } from './records.ts';

interface Captured {
  what: string;
  frame: string;
  header: { apiKey: number; version: number; clientId: string };
  body: object;
}

const frames: Captured[] = [
  {
    what: 'ApiVersions 3 of kcat: flexible, compact strings',
    frame: '0012000300000001000772646b61666b61000b6c696272646b61666b6106322e302e3200',
    header: { apiKey: 18, version: 3, clientId: 'rdkafka' },
    body: { clientSoftwareName: 'librdkafka', clientSoftwareVersion: '2.0.2' },
  },
  {
    what: 'Metadata 4 of kcat',
    frame: '0003000400000002000772646b61666b610000000100017401',
    header: { apiKey: 3, version: 4, clientId: 'rdkafka' },
    body: { topics: [{ name: 't' }], allowAutoTopicCreation: true },
  },
  {
    what: 'InitProducerId 4 of kcat: a null id',
    frame: '0016000400000003000772646b61666b610000ffffffffffffffffffffffffffff00',
    header: { apiKey: 22, version: 4, clientId: 'rdkafka' },
    body: { transactionalId: null, transactionTimeoutMs: -1, producerId: -1, producerEpoch: -1 },
  },
  {
    what: 'OffsetFetch 7 of kcat',
    frame: '0009000700000007000772646b61666b610002670202740200000000000100',
    header: { apiKey: 9, version: 7, clientId: 'rdkafka' },
    body: { groupId: 'g', topics: [{ name: 't', partitionIndexes: [0] }], requireStable: true },
  },
  {
    what: 'AddPartitionsToTxn 1 of kafkajs',
    frame: '001800010000000200076b61666b616a730002747800000000000000020000000000010001740000000100000000',
    header: { apiKey: 24, version: 1, clientId: 'kafkajs' },
    body: {
      v3AndBelowTransactionalId: 'tx',
      v3AndBelowProducerId: 2,
      v3AndBelowTopics: [{ name: 't', partitions: [0] }],
    },
  },
  {
    what: 'ListOffsets 3 of kafkajs: the earliest',
    frame: '000200030000000000076b61666b616a73ffffffff01000000010001740000000100000000fffffffffffffffe',
    header: { apiKey: 2, version: 3, clientId: 'kafkajs' },
    body: { replicaId: -1, isolationLevel: 1, topics: [{ name: 't', partitions: [{ timestamp: -2 }] }] },
  },
  {
    what: 'ConsumerGroupHeartbeat 1 of @platformatic/kafka: joins',
    frame:
      '004400010000000100017000027a2538336435636435312d616164322d346663352d616330312d63353264643765653663356300000000' +
      '000000018e7002027400000100',
    header: { apiKey: 68, version: 1, clientId: 'p' },
    body: {
      groupId: 'z',
      memberId: '83d5cd51-aad2-4fc5-ac01-c52dd7ee6c5c',
      memberEpoch: 0,
      instanceId: null,
      rebalanceTimeoutMs: 102_000,
      subscribedTopicNames: ['t'],
      subscribedTopicRegex: null,
      topicPartitions: [],
    },
  },
  {
    what: 'Fetch 17 of @platformatic/kafka: topic ids',
    frame:
      '0001001100000001000170000000006400000001032000000100000000000000000201a1e8c0ae7c7000bd51421e9237ce650200000000ff' +
      'ffffff0000000000000000ffffffffffffffffffffffff032000000000010100',
    header: { apiKey: 1, version: 17, clientId: 'p' },
    body: {
      maxWaitMs: 100,
      minBytes: 1,
      isolationLevel: 1,
      topics: [
        { topicId: '01a1e8c0ae7c7000bd51421e9237ce65', partitions: [{ fetchOffset: 0, currentLeaderEpoch: -1 }] },
      ],
    },
  },
];

suite('frames of real clients', () => {
  for (const { what, frame, header, body } of frames) {
    test(what, () => {
      const request = readRequest(Buffer.from(frame, 'hex'));
      assert.partialDeepStrictEqual(request, header);
      assert.partialDeepStrictEqual(request.body, body);
    });
  }

  test('Produce 7 of kcat: a batch with its CRC and its record', () => {
    const frame =
      '0000000700000002000772646b61666b61ffffffff000075300000000100017400000001000000000000004900000000000000000000003d' +
      '0000000002a7432957000000000000000001a1e8c0aecb000001a1e8c0aecb00000000000000000000000000000000000116000000010a68' +
      '656c6c6f00';
    const { body } = readRequest(Buffer.from(frame, 'hex')) as { body: unknown } as {
      body: { acks: number; topicData: { partitionData: { records: Buffer }[] }[] };
    };
    const records = body.topicData[0]?.partitionData[0]?.records as Buffer;
    const header = batchHeaderAt(records, 0);
    assert.equal(body.acks, -1);
    assert.ok(hasRightCrc(records, 0, header.size));
    assert.partialDeepStrictEqual(header, { magic: 2, count: 1, producerId: 0, baseSequence: 0, compression: 0 });
    assert.equal(readRecords(records, header)[0]?.value?.toString(), 'hello');
  });
});
