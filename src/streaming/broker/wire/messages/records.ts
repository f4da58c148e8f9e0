// Messages that write, read and locate records. Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, bytes, int8, int16, int32, int64, string, struct, uuid } from '../field.ts';

export const produce = api({
  key: 0,
  name: 'Produce',
  versions: [3, 12],
  flexible: 9,
  request: {
    transactionalId: string.nullable(),
    acks: int16,
    timeoutMs: int32,
    topicData: array({ name: string, partitionData: array({ index: int32, records: bytes.nullable() }) }),
  },
  response: {
    responses: array({
      name: string,
      partitionResponses: array({
        index: int32,
        errorCode: int16,
        baseOffset: int64,
        logAppendTimeMs: int64.or(-1),
        logStartOffset: int64.since(5).or(-1),
        recordErrors: array({ batchIndex: int32, batchIndexErrorMessage: string.nullable() }).since(8),
        errorMessage: string.since(8).nullable(),
        currentLeader: struct({ leaderId: int32.or(-1), leaderEpoch: int32.or(-1) })
          .since(10)
          .tag(0),
      }),
    }),
    throttleTimeMs: int32,
    nodeEndpoints: array({ nodeId: int32, host: string, port: int32, rack: string.nullable() }).since(10).tag(0),
  },
});

export const fetch = api({
  key: 1,
  name: 'Fetch',
  versions: [4, 17],
  flexible: 12,
  request: {
    clusterId: string.since(12).nullable().tag(0),
    replicaId: int32.until(14).or(-1),
    replicaState: struct({ replicaId: int32.or(-1), replicaEpoch: int64.or(-1) })
      .since(15)
      .tag(1),
    maxWaitMs: int32,
    minBytes: int32,
    maxBytes: int32.or(2147483647),
    isolationLevel: int8,
    sessionId: int32.since(7),
    sessionEpoch: int32.since(7).or(-1),
    topics: array({
      topic: string.until(12),
      topicId: uuid.since(13),
      partitions: array({
        partition: int32,
        currentLeaderEpoch: int32.since(9).or(-1),
        fetchOffset: int64,
        lastFetchedEpoch: int32.since(12).or(-1),
        logStartOffset: int64.since(5).or(-1),
        partitionMaxBytes: int32,
        replicaDirectoryId: uuid.since(17).tag(0),
      }),
    }),
    forgottenTopicsData: array({ topic: string.until(12), topicId: uuid.since(13), partitions: array(int32) }).since(7),
    rackId: string.since(11),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16.since(7),
    sessionId: int32.since(7),
    responses: array({
      topic: string.until(12),
      topicId: uuid.since(13),
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        highWatermark: int64,
        lastStableOffset: int64.or(-1),
        logStartOffset: int64.since(5).or(-1),
        divergingEpoch: struct({ epoch: int32.or(-1), endOffset: int64.or(-1) })
          .since(12)
          .tag(0),
        currentLeader: struct({ leaderId: int32.or(-1), leaderEpoch: int32.or(-1) })
          .since(12)
          .tag(1),
        snapshotId: struct({ endOffset: int64.or(-1), epoch: int32.or(-1) })
          .since(12)
          .tag(2),
        abortedTransactions: array({ producerId: int64, firstOffset: int64 }).nullable(),
        preferredReadReplica: int32.since(11).or(-1),
        records: bytes.nullable(),
      }),
    }),
    nodeEndpoints: array({ nodeId: int32, host: string, port: int32, rack: string.nullable() }).since(16).tag(0),
  },
});

export const listOffsets = api({
  key: 2,
  name: 'ListOffsets',
  versions: [1, 10],
  flexible: 6,
  request: {
    replicaId: int32,
    isolationLevel: int8.since(2),
    topics: array({
      name: string,
      partitions: array({ partitionIndex: int32, currentLeaderEpoch: int32.since(4).or(-1), timestamp: int64 }),
    }),
    timeoutMs: int32.since(10),
  },
  response: {
    throttleTimeMs: int32.since(2),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        timestamp: int64.or(-1),
        offset: int64.or(-1),
        leaderEpoch: int32.since(4).or(-1),
      }),
    }),
  },
});

export const offsetForLeaderEpoch = api({
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: [2, 4],
  flexible: 4,
  request: {
    replicaId: int32.since(3).or(-2),
    topics: array({
      topic: string,
      partitions: array({ partition: int32, currentLeaderEpoch: int32.or(-1), leaderEpoch: int32 }),
    }),
  },
  response: {
    throttleTimeMs: int32,
    topics: array({
      topic: string,
      partitions: array({
        errorCode: int16,
        partition: int32,
        leaderEpoch: int32.or(-1),
        endOffset: int64.or(-1),
      }),
    }),
  },
});

export const deleteRecords = api({
  key: 21,
  name: 'DeleteRecords',
  versions: [0, 2],
  flexible: 2,
  request: {
    topics: array({ name: string, partitions: array({ partitionIndex: int32, offset: int64 }) }),
    timeoutMs: int32,
  },
  response: {
    throttleTimeMs: int32,
    topics: array({
      name: string,
      partitions: array({ partitionIndex: int32, lowWatermark: int64, errorCode: int16 }),
    }),
  },
});
