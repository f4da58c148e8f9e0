// Compares the tables with Apache Kafka: the digests are of messages that the classes of Kafka 4.0.0 read and wrote
// again byte by byte (a message with a value in every field, for every API and version, requests and responses).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { apis } from './apis.ts';
import { readRequest, writeRequest } from './frame.ts';
import { Reader } from './reader.ts';
import { sampleOf } from './testing.ts';
import { Writer } from './writer.ts';

const digests: Record<string, string> = {
  DeleteRecords: '03968d0abedce41c',
  Fetch: '7c6e2ba0105d79df',
  ListOffsets: 'ec45b400528fc2c3',
  OffsetForLeaderEpoch: '5bb94e4909e50a10',
  Produce: 'f083ac258c0f689d',
  ApiVersions: 'f70ee9aed550f70f',
  DescribeCluster: 'cccfb31f367e7388',
  DescribeLogDirs: '070ec1a8b0e672d7',
  DescribeTopicPartitions: 'ab1afbcfc99caeb1',
  Metadata: '0b8a53e6d3635b6a',
  FindCoordinator: '240fb0b082737b47',
  Heartbeat: '7446c86c5aedcecf',
  JoinGroup: 'a93dcbf40e4f2bd7',
  LeaveGroup: 'fce82a7ad8ea9c31',
  SyncGroup: 'ad3463e21524c444',
  OffsetCommit: '8b5c16f30d85f3d8',
  OffsetDelete: 'dec272d8aea5d083',
  OffsetFetch: '822c162cff72c22f',
  ConsumerGroupDescribe: 'b2a9ff5a2e2e4404',
  ConsumerGroupHeartbeat: '461f642bac1b98e4',
  DeleteGroups: '7d2ca2696ca3f4b8',
  DescribeGroups: 'faf74d8db5ef8499',
  ListGroups: 'dda5244f7fbb951f',
  AddOffsetsToTxn: 'c109f4752ab6bd7c',
  AddPartitionsToTxn: '8b4cf50a6d9758eb',
  DescribeProducers: '86f182c5dc66f0af',
  DescribeTransactions: 'f34861decdfabc38',
  EndTxn: 'af0f2ef103dd4231',
  InitProducerId: 'beed72c6eb510cf6',
  ListTransactions: '2bcfd472ca2a5302',
  TxnOffsetCommit: 'd4c1c163bf6b432d',
  CreatePartitions: '73f97b3a8ead8894',
  CreateTopics: 'e3eda20be387a4fd',
  DeleteTopics: '4c1675b5c338b569',
  ListPartitionReassignments: '6f52b8bd83529d97',
  AlterClientQuotas: 'ae5a3c994071aa1f',
  AlterConfigs: '6982663bcdafd625',
  DescribeClientQuotas: '2ad011041c031f7a',
  DescribeConfigs: '4ca23d5c0e20b2c9',
  IncrementalAlterConfigs: '11b5c17f32a5252c',
  CreateAcls: 'ab678693359dfe32',
  DeleteAcls: '61d5c6659d555f6b',
  DescribeAcls: '79ac55d9b2d3bd03',
  WriteTxnMarkers: '34e7d3f0431f05da',
  ElectLeaders: 'c7af858c1c54643b',
  AlterPartitionReassignments: 'b788dc8891a2b6bd',
  DescribeQuorum: '3b87a7d5f80d5a24',
  ListClientMetricsResources: 'b8cda9efbedfde11',
};

suite('messages', () => {
  for (const api of apis.values()) {
    test(`${api.name} has the bytes of Apache Kafka 4.0.0 in all versions`, () => {
      const hash = createHash('sha256');
      for (let version = api.versions[0]; version <= api.versions[1]; version++) {
        for (const side of ['request', 'response'] as const) {
          const sample = sampleOf(api.fields[side], version);
          const codec = api.at(version)[side];
          const writer = new Writer();
          codec.write(writer, sample as never);
          const bytes = Buffer.concat(writer.finish());
          hash.update(bytes);
          const reader = new Reader(bytes);
          const value = codec.read(reader) as object;
          assert.equal(reader.left, 0);
          assert.partialDeepStrictEqual(value, sample, `${side} ${version} is read as it was written`);
        }
      }
      assert.equal(hash.digest('hex').slice(0, 16), digests[api.name]);
    });
  }

  test('messages of any length keep their bytes, around record batches too', () => {
    const api = apis.get(1) as NonNullable<ReturnType<typeof apis.get>>;
    for (const size of [0, 900, 1_000, 1_023, 1_024, 5_000]) {
      for (const count of [1, 7, 300]) {
        const partitions = Array.from({ length: count }, (_, partitionIndex) => ({
          partitionIndex,
          highWatermark: 2 ** 40 + partitionIndex,
          records: Buffer.alloc(size, partitionIndex),
        }));
        const writer = new Writer();
        api.at(12).response.write(writer, { responses: [{ topic: 'topic', partitions }] } as never);
        const bytes = Buffer.concat(writer.finish());
        const value = api.at(12).response.read(new Reader(bytes)) as object;
        assert.partialDeepStrictEqual(value, { responses: [{ topic: 'topic', partitions }] });
      }
    }
  });

  test('the largest and smallest numbers of 64 bits are written again', () => {
    for (const [given, expected] of [
      ['7fffffffffffffff', '7fffffffffffffff'],
      ['8000000000000000', '8000000000000000'],
      ['ffffffffffffffff', 'ffffffffffffffff'],
    ] as const) {
      const writer = new Writer();
      writer.int64(new Reader(Buffer.from(given, 'hex')).int64());
      assert.equal(Buffer.concat(writer.finish()).toString('hex'), expected);
    }
  });

  test('a request is framed with its header', () => {
    const api = apis.get(18) as NonNullable<ReturnType<typeof apis.get>>;
    const body = { clientSoftwareName: 'kcat', clientSoftwareVersion: '1' };
    const frame = Buffer.concat(writeRequest(api, { version: 3, correlationId: 7, clientId: 'me' }, body));
    assert.equal(frame.toString('hex'), '0000001500120003000000070002' + '6d6500' + '056b636174' + '0231' + '00');
    const { api: _, ...request } = readRequest(frame.subarray(4));
    assert.deepEqual(request, { apiKey: 18, version: 3, correlationId: 7, clientId: 'me', body });
  });
});
