// Messages that create, change and delete topics. Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, bool, int8, int16, int32, string, uuid } from '../field.ts';

export const createTopics = api({
  key: 19,
  name: 'CreateTopics',
  versions: [2, 7],
  flexible: 5,
  request: {
    topics: array({
      name: string,
      numPartitions: int32,
      replicationFactor: int16,
      assignments: array({ partitionIndex: int32, brokerIds: array(int32) }),
      configs: array({ name: string, value: string.nullable() }),
    }),
    timeoutMs: int32.or(60000),
    validateOnly: bool,
  },
  response: {
    throttleTimeMs: int32,
    topics: array({
      name: string,
      topicId: uuid.since(7),
      errorCode: int16,
      errorMessage: string.nullable(),
      topicConfigErrorCode: int16.since(5).tag(0),
      numPartitions: int32.since(5).or(-1),
      replicationFactor: int16.since(5).or(-1),
      configs: array({
        name: string,
        value: string.nullable(),
        readOnly: bool,
        configSource: int8.or(-1),
        isSensitive: bool,
      })
        .since(5)
        .nullable(),
    }),
  },
});

export const deleteTopics = api({
  key: 20,
  name: 'DeleteTopics',
  versions: [1, 6],
  flexible: 4,
  request: {
    topics: array({ name: string.nullable(), topicId: uuid }).since(6),
    topicNames: array(string).until(5),
    timeoutMs: int32,
  },
  response: {
    throttleTimeMs: int32,
    responses: array({
      name: string.nullable(6),
      topicId: uuid.since(6),
      errorCode: int16,
      errorMessage: string.since(5).nullable(),
    }),
  },
});

export const createPartitions = api({
  key: 37,
  name: 'CreatePartitions',
  versions: [0, 3],
  flexible: 2,
  request: {
    topics: array({ name: string, count: int32, assignments: array({ brokerIds: array(int32) }).nullable() }),
    timeoutMs: int32,
    validateOnly: bool,
  },
  response: {
    throttleTimeMs: int32,
    results: array({ name: string, errorCode: int16, errorMessage: string.nullable() }),
  },
});

export const listPartitionReassignments = api({
  key: 46,
  name: 'ListPartitionReassignments',
  versions: [0, 0],
  flexible: 0,
  request: {
    timeoutMs: int32.or(60000),
    topics: array({ name: string, partitionIndexes: array(int32) }).nullable(),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    errorMessage: string.nullable(),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        replicas: array(int32),
        addingReplicas: array(int32),
        removingReplicas: array(int32),
      }),
    }),
  },
});

export const alterPartitionReassignments = api({
  key: 45,
  name: 'AlterPartitionReassignments',
  versions: [0, 0],
  flexible: 0,
  request: {
    timeoutMs: int32.or(60000),
    topics: array({
      name: string,
      partitions: array({ partitionIndex: int32, replicas: array(int32).nullable() }),
    }),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    errorMessage: string.nullable(),
    responses: array({
      name: string,
      partitions: array({ partitionIndex: int32, errorCode: int16, errorMessage: string.nullable() }),
    }),
  },
});

export const electLeaders = api({
  key: 43,
  name: 'ElectLeaders',
  versions: [0, 2],
  flexible: 2,
  request: {
    electionType: int8.since(1),
    topicPartitions: array({ topic: string, partitions: array(int32) }).nullable(),
    timeoutMs: int32.or(60000),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16.since(1),
    replicaElectionResults: array({
      topic: string,
      partitionResult: array({ partitionId: int32, errorCode: int16, errorMessage: string.nullable() }),
    }),
  },
});
