// Messages of idempotent and transactional producers. Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, bool, int16, int32, int64, string } from '../field.ts';

export const initProducerId = api({
  key: 22,
  name: 'InitProducerId',
  versions: [0, 5],
  flexible: 2,
  request: {
    transactionalId: string.nullable(),
    transactionTimeoutMs: int32,
    producerId: int64.since(3).or(-1),
    producerEpoch: int16.since(3).or(-1),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    producerId: int64.or(-1),
    producerEpoch: int16,
  },
});

export const addPartitionsToTxn = api({
  key: 24,
  name: 'AddPartitionsToTxn',
  versions: [0, 5],
  flexible: 3,
  request: {
    transactions: array({
      transactionalId: string,
      producerId: int64,
      producerEpoch: int16,
      verifyOnly: bool,
      topics: array({ name: string, partitions: array(int32) }),
    }).since(4),
    v3AndBelowTransactionalId: string.until(3),
    v3AndBelowProducerId: int64.until(3),
    v3AndBelowProducerEpoch: int16.until(3),
    v3AndBelowTopics: array({ name: string, partitions: array(int32) }).until(3),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16.since(4),
    resultsByTransaction: array({
      transactionalId: string,
      topicResults: array({
        name: string,
        resultsByPartition: array({ partitionIndex: int32, partitionErrorCode: int16 }),
      }),
    }).since(4),
    resultsByTopicV3AndBelow: array({
      name: string,
      resultsByPartition: array({ partitionIndex: int32, partitionErrorCode: int16 }),
    }).until(3),
  },
});

export const addOffsetsToTxn = api({
  key: 25,
  name: 'AddOffsetsToTxn',
  versions: [0, 4],
  flexible: 3,
  request: {
    transactionalId: string,
    producerId: int64,
    producerEpoch: int16,
    groupId: string,
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
  },
});

export const endTxn = api({
  key: 26,
  name: 'EndTxn',
  versions: [0, 5],
  flexible: 3,
  request: {
    transactionalId: string,
    producerId: int64,
    producerEpoch: int16,
    committed: bool,
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    producerId: int64.since(5).or(-1),
    producerEpoch: int16.since(5).or(-1),
  },
});

export const txnOffsetCommit = api({
  key: 28,
  name: 'TxnOffsetCommit',
  versions: [0, 5],
  flexible: 3,
  request: {
    transactionalId: string,
    groupId: string,
    producerId: int64,
    producerEpoch: int16,
    generationId: int32.since(3).or(-1),
    memberId: string.since(3),
    groupInstanceId: string.since(3).nullable(),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        committedOffset: int64,
        committedLeaderEpoch: int32.since(2).or(-1),
        committedMetadata: string.nullable(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32,
    topics: array({ name: string, partitions: array({ partitionIndex: int32, errorCode: int16 }) }),
  },
});

export const describeProducers = api({
  key: 61,
  name: 'DescribeProducers',
  versions: [0, 0],
  flexible: 0,
  request: {
    topics: array({ name: string, partitionIndexes: array(int32) }),
  },
  response: {
    throttleTimeMs: int32,
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        errorMessage: string.nullable(),
        activeProducers: array({
          producerId: int64,
          producerEpoch: int32,
          lastSequence: int32.or(-1),
          lastTimestamp: int64.or(-1),
          coordinatorEpoch: int32,
          currentTxnStartOffset: int64.or(-1),
        }),
      }),
    }),
  },
});

export const describeTransactions = api({
  key: 65,
  name: 'DescribeTransactions',
  versions: [0, 0],
  flexible: 0,
  request: {
    transactionalIds: array(string),
  },
  response: {
    throttleTimeMs: int32,
    transactionStates: array({
      errorCode: int16,
      transactionalId: string,
      transactionState: string,
      transactionTimeoutMs: int32,
      transactionStartTimeMs: int64,
      producerId: int64,
      producerEpoch: int16,
      topics: array({ topic: string, partitions: array(int32) }),
    }),
  },
});

export const listTransactions = api({
  key: 66,
  name: 'ListTransactions',
  versions: [0, 1],
  flexible: 0,
  request: {
    stateFilters: array(string),
    producerIdFilters: array(int64),
    durationFilter: int64.since(1).or(-1),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    unknownStateFilters: array(string),
    transactionStates: array({ transactionalId: string, producerId: int64, transactionState: string }),
  },
});

export const writeTxnMarkers = api({
  key: 27,
  name: 'WriteTxnMarkers',
  versions: [1, 1],
  flexible: 1,
  request: {
    markers: array({
      producerId: int64,
      producerEpoch: int16,
      transactionResult: bool,
      topics: array({ name: string, partitionIndexes: array(int32) }),
      coordinatorEpoch: int32,
    }),
  },
  response: {
    markers: array({
      producerId: int64,
      topics: array({ name: string, partitions: array({ partitionIndex: int32, errorCode: int16 }) }),
    }),
  },
});
