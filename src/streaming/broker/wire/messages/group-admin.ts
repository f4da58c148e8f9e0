// Messages that list, describe and delete groups, and the consumer group protocol.
// Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, bool, bytes, int8, int16, int32, string, struct, uuid } from '../field.ts';

export const describeGroups = api({
  key: 15,
  name: 'DescribeGroups',
  versions: [0, 6],
  flexible: 5,
  request: {
    groups: array(string),
    includeAuthorizedOperations: bool.since(3),
  },
  response: {
    throttleTimeMs: int32.since(1),
    groups: array({
      errorCode: int16,
      errorMessage: string.since(6).nullable(),
      groupId: string,
      groupState: string,
      protocolType: string,
      protocolData: string,
      members: array({
        memberId: string,
        groupInstanceId: string.since(4).nullable(),
        clientId: string,
        clientHost: string,
        memberMetadata: bytes,
        memberAssignment: bytes,
      }),
      authorizedOperations: int32.since(3).or(-2147483648),
    }),
  },
});

export const listGroups = api({
  key: 16,
  name: 'ListGroups',
  versions: [0, 5],
  flexible: 3,
  request: {
    statesFilter: array(string).since(4),
    typesFilter: array(string).since(5),
  },
  response: {
    throttleTimeMs: int32.since(1),
    errorCode: int16,
    groups: array({
      groupId: string,
      protocolType: string,
      groupState: string.since(4),
      groupType: string.since(5),
    }),
  },
});

export const deleteGroups = api({
  key: 42,
  name: 'DeleteGroups',
  versions: [0, 2],
  flexible: 2,
  request: {
    groupsNames: array(string),
  },
  response: {
    throttleTimeMs: int32,
    results: array({ groupId: string, errorCode: int16 }),
  },
});

export const consumerGroupHeartbeat = api({
  key: 68,
  name: 'ConsumerGroupHeartbeat',
  versions: [0, 1],
  flexible: 0,
  request: {
    groupId: string,
    memberId: string,
    memberEpoch: int32,
    instanceId: string.nullable(),
    rackId: string.nullable(),
    rebalanceTimeoutMs: int32.or(-1),
    subscribedTopicNames: array(string).nullable(),
    subscribedTopicRegex: string.since(1).nullable(),
    serverAssignor: string.nullable(),
    topicPartitions: array({ topicId: uuid, partitions: array(int32) }).nullable(),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    errorMessage: string.nullable(),
    memberId: string.nullable(),
    memberEpoch: int32,
    heartbeatIntervalMs: int32,
    assignment: struct({ topicPartitions: array({ topicId: uuid, partitions: array(int32) }) }).nullable(),
  },
});

export const consumerGroupDescribe = api({
  key: 69,
  name: 'ConsumerGroupDescribe',
  versions: [0, 1],
  flexible: 0,
  request: {
    groupIds: array(string),
    includeAuthorizedOperations: bool,
  },
  response: {
    throttleTimeMs: int32,
    groups: array({
      errorCode: int16,
      errorMessage: string.nullable(),
      groupId: string,
      groupState: string,
      groupEpoch: int32,
      assignmentEpoch: int32,
      assignorName: string,
      members: array({
        memberId: string,
        instanceId: string.nullable(),
        rackId: string.nullable(),
        memberEpoch: int32,
        clientId: string,
        clientHost: string,
        subscribedTopicNames: array(string),
        subscribedTopicRegex: string.nullable(),
        assignment: struct({
          topicPartitions: array({ topicId: uuid, topicName: string, partitions: array(int32) }),
        }),
        targetAssignment: struct({
          topicPartitions: array({ topicId: uuid, topicName: string, partitions: array(int32) }),
        }),
        memberType: int8.since(1).or(-1),
      }),
      authorizedOperations: int32.or(-2147483648),
    }),
  },
});
