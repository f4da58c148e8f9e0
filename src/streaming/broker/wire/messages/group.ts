// Messages of the classic group protocol, and the search for a coordinator.
// Names and versions are those of Apache Kafka 4.0.0.
import { api } from '../api.ts';
import { array, bool, bytes, int8, int16, int32, string } from '../field.ts';

export const findCoordinator = api({
  key: 10,
  name: 'FindCoordinator',
  versions: [0, 6],
  flexible: 3,
  request: {
    key: string.until(3),
    keyType: int8.since(1),
    coordinatorKeys: array(string).since(4),
  },
  response: {
    throttleTimeMs: int32.since(1),
    errorCode: int16.until(3),
    errorMessage: string.since(1).until(3).nullable(),
    nodeId: int32.until(3),
    host: string.until(3),
    port: int32.until(3),
    coordinators: array({
      key: string,
      nodeId: int32,
      host: string,
      port: int32,
      errorCode: int16,
      errorMessage: string.nullable(),
    }).since(4),
  },
});

export const joinGroup = api({
  key: 11,
  name: 'JoinGroup',
  versions: [2, 9],
  flexible: 6,
  request: {
    groupId: string,
    sessionTimeoutMs: int32,
    rebalanceTimeoutMs: int32.or(-1),
    memberId: string,
    groupInstanceId: string.since(5).nullable(),
    protocolType: string,
    protocols: array({ name: string, metadata: bytes }),
    reason: string.since(8).nullable(),
  },
  response: {
    throttleTimeMs: int32,
    errorCode: int16,
    generationId: int32.or(-1),
    protocolType: string.since(7).nullable(),
    protocolName: string.nullable(7),
    leader: string,
    skipAssignment: bool.since(9),
    memberId: string,
    members: array({ memberId: string, groupInstanceId: string.since(5).nullable(), metadata: bytes }),
  },
});

export const syncGroup = api({
  key: 14,
  name: 'SyncGroup',
  versions: [0, 5],
  flexible: 4,
  request: {
    groupId: string,
    generationId: int32,
    memberId: string,
    groupInstanceId: string.since(3).nullable(),
    protocolType: string.since(5).nullable(),
    protocolName: string.since(5).nullable(),
    assignments: array({ memberId: string, assignment: bytes }),
  },
  response: {
    throttleTimeMs: int32.since(1),
    errorCode: int16,
    protocolType: string.since(5).nullable(),
    protocolName: string.since(5).nullable(),
    assignment: bytes,
  },
});

export const heartbeat = api({
  key: 12,
  name: 'Heartbeat',
  versions: [0, 4],
  flexible: 4,
  request: {
    groupId: string,
    generationId: int32,
    memberId: string,
    groupInstanceId: string.since(3).nullable(),
  },
  response: {
    throttleTimeMs: int32.since(1),
    errorCode: int16,
  },
});

export const leaveGroup = api({
  key: 13,
  name: 'LeaveGroup',
  versions: [0, 5],
  flexible: 4,
  request: {
    groupId: string,
    memberId: string.until(2),
    members: array({
      memberId: string,
      groupInstanceId: string.nullable(),
      reason: string.since(5).nullable(),
    }).since(3),
  },
  response: {
    throttleTimeMs: int32.since(1),
    errorCode: int16,
    members: array({ memberId: string, groupInstanceId: string.nullable(), errorCode: int16 }).since(3),
  },
});
