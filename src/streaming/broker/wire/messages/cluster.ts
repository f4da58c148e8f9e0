// Messages that describe the brokers, their topics and their storage.
// Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, bool, int8, int16, int32, int64, string, struct, uint16, uuid } from '../field.ts';

export const metadata = api({
  key: 3,
  name: 'Metadata',
  versions: [0, 13],
  flexible: 9,
  request: {
    topics: array({ topicId: uuid.since(10), name: string.nullable(10) }).nullable(1),
    allowAutoTopicCreation: bool.since(4).or(true),
    includeClusterAuthorizedOperations: bool.since(8).until(10),
    includeTopicAuthorizedOperations: bool.since(8),
  },
  response: {
    throttleTimeMs: int32.since(3),
    brokers: array({ nodeId: int32, host: string, port: int32, rack: string.since(1).nullable() }),
    clusterId: string.since(2).nullable(),
    controllerId: int32.since(1).or(-1),
    topics: array({
      errorCode: int16,
      name: string.nullable(12),
      topicId: uuid.since(10),
      isInternal: bool.since(1),
      partitions: array({
        errorCode: int16,
        partitionIndex: int32,
        leaderId: int32,
        leaderEpoch: int32.since(7).or(-1),
        replicaNodes: array(int32),
        isrNodes: array(int32),
        offlineReplicas: array(int32).since(5),
      }),
      topicAuthorizedOperations: int32.since(8).or(-2147483648),
    }),
    clusterAuthorizedOperations: int32.since(8).until(10).or(-2147483648),
    errorCode: int16.since(13),
  },
});

export const apiVersions = api({
  key: 18,
  name: 'ApiVersions',
  versions: [0, 4],
  flexible: 3,
  request: {
    clientSoftwareName: string.since(3),
    clientSoftwareVersion: string.since(3),
  },
  response: {
    errorCode: int16,
    apiKeys: array({ apiKey: int16, minVersion: int16, maxVersion: int16 }),
    throttleTimeMs: int32.since(1),
    supportedFeatures: array({ name: string, minVersion: int16, maxVersion: int16 }).since(3).tag(0),
    finalizedFeaturesEpoch: int64.since(3).tag(1).or(-1),
    finalizedFeatures: array({ name: string, maxVersionLevel: int16, minVersionLevel: int16 }).since(3).tag(2),
    zkMigrationReady: bool.since(3).tag(3),
  },
});

export const describeCluster = api({
  key: 60,
  name: 'DescribeCluster',
  versions: [0, 2],
  flexible: 0,
  request: {
    includeClusterAuthorizedOperations: bool,
    endpointType: int8.since(1).or(1),
    includeFencedBrokers: bool.since(2),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    errorMessage: string.nullable(),
    endpointType: int8.since(1).or(1),
    clusterId: string,
    controllerId: int32.or(-1),
    brokers: array({
      brokerId: int32,
      host: string,
      port: int32,
      rack: string.nullable(),
      isFenced: bool.since(2),
    }),
    clusterAuthorizedOperations: int32.or(-2147483648),
  },
});

export const describeTopicPartitions = api({
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: [0, 0],
  flexible: 0,
  request: {
    topics: array({ name: string }),
    responsePartitionLimit: int32.or(2000),
    cursor: struct({ topicName: string, partitionIndex: int32 }).nullable(),
  },
  response: {
    throttleTimeMs: int32,
    topics: array({
      errorCode: int16,
      name: string.nullable(),
      topicId: uuid,
      isInternal: bool,
      partitions: array({
        errorCode: int16,
        partitionIndex: int32,
        leaderId: int32,
        leaderEpoch: int32.or(-1),
        replicaNodes: array(int32),
        isrNodes: array(int32),
        eligibleLeaderReplicas: array(int32).nullable(),
        lastKnownElr: array(int32).nullable(),
        offlineReplicas: array(int32),
      }),
      topicAuthorizedOperations: int32.or(-2147483648),
    }),
    nextCursor: struct({ topicName: string, partitionIndex: int32 }).nullable(),
  },
});

export const describeLogDirs = api({
  key: 35,
  name: 'DescribeLogDirs',
  versions: [1, 4],
  flexible: 2,
  request: {
    topics: array({ topic: string, partitions: array(int32) }).nullable(),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16.since(3),
    results: array({
      errorCode: int16,
      logDir: string,
      topics: array({
        name: string,
        partitions: array({ partitionIndex: int32, partitionSize: int64, offsetLag: int64, isFutureKey: bool }),
      }),
      totalBytes: int64.since(4).or(-1),
      usableBytes: int64.since(4).or(-1),
    }),
  },
});

const replicaState = {
  replicaId: int32,
  replicaDirectoryId: uuid.since(2),
  logEndOffset: int64,
  lastFetchTimestamp: int64.since(1).or(-1),
  lastCaughtUpTimestamp: int64.since(1).or(-1),
};

export const describeQuorum = api({
  key: 55,
  name: 'DescribeQuorum',
  versions: [0, 2],
  flexible: 0,
  request: {
    topics: array({ topicName: string, partitions: array({ partitionIndex: int32 }) }),
  },
  response: {
    errorCode: int16,
    errorMessage: string.since(2).nullable(),
    topics: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        errorMessage: string.since(2).nullable(),
        leaderId: int32,
        leaderEpoch: int32,
        highWatermark: int64,
        currentVoters: array(replicaState),
        observers: array(replicaState),
      }),
    }),
    nodes: array({ nodeId: int32, listeners: array({ name: string, host: string, port: uint16 }) }).since(2),
  },
});
