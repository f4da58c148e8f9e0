// The classic group protocol: join, sync, heartbeat, leave.
import { MemberIdRequired } from '../group/classic-group.ts';
import { longestSessionMs, shortestSessionMs } from '../group/groups.ts';
import { ProtocolError } from '../wire/errors.ts';
import type { heartbeat, joinGroup, leaveGroup, syncGroup } from '../wire/messages/group.ts';
import { codeOf, type Handler } from './handler.ts';

export const handleJoinGroup: Handler<typeof joinGroup> = async (request, call) => {
  const { cluster, version, clientId, clientHost } = call;
  const { groupId, sessionTimeoutMs, memberId, groupInstanceId, protocolType, protocols } = request;
  try {
    if (sessionTimeoutMs < shortestSessionMs || sessionTimeoutMs > longestSessionMs)
      throw new ProtocolError('INVALID_SESSION_TIMEOUT');
    const bytes = protocols.reduce((sum, { metadata }) => sum + metadata.length, 0);
    const group = cluster.groups.classicForJoin(groupId, bytes);
    const rebalanceTimeoutMs = request.rebalanceTimeoutMs < 0 ? sessionTimeoutMs : request.rebalanceTimeoutMs;
    const joined = await group.join({
      memberId,
      groupInstanceId,
      clientId,
      clientHost,
      sessionTimeoutMs,
      rebalanceTimeoutMs: Math.min(rebalanceTimeoutMs, 0x7fffffff),
      protocolType,
      protocols: protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
      needsMemberId: version >= 4,
    });
    return { errorCode: 0, ...joined };
  } catch (error) {
    const given = error instanceof MemberIdRequired ? error.memberId : memberId;
    return { errorCode: codeOf(error, call), memberId: given, protocolName: version >= 7 ? null : '' };
  }
};

export const handleSyncGroup: Handler<typeof syncGroup> = async (request, call) => {
  try {
    const assignments = request.assignments.map(({ memberId, assignment }) => ({
      memberId,
      assignment: Buffer.from(assignment),
    }));
    const group = call.cluster.groups.classic(request.groupId);
    const isOther =
      (request.protocolType !== null && request.protocolType !== group.protocolType) ||
      (request.protocolName !== null && request.protocolName !== group.protocol);
    group.check(request);
    if (isOther) throw new ProtocolError('INCONSISTENT_GROUP_PROTOCOL');
    return { errorCode: 0, ...(await group.sync(request, assignments)) };
  } catch (error) {
    return { errorCode: codeOf(error, call) };
  }
};

export const handleHeartbeat: Handler<typeof heartbeat> = (request, call) => {
  try {
    call.cluster.groups.classic(request.groupId).heartbeat(request);
    return { errorCode: 0 };
  } catch (error) {
    return { errorCode: codeOf(error, call) };
  }
};

export const handleLeaveGroup: Handler<typeof leaveGroup> = (request, call) => {
  const isSingle = call.version < 3;
  const leaving = isSingle ? [{ memberId: request.memberId, groupInstanceId: null }] : request.members;
  const members = leaving.map(({ memberId, groupInstanceId }) => {
    try {
      call.cluster.groups.classic(request.groupId).leave({ memberId, groupInstanceId });
      return { memberId, groupInstanceId, errorCode: 0 };
    } catch (error) {
      return { memberId, groupInstanceId, errorCode: codeOf(error, call) };
    }
  });
  return { errorCode: isSingle ? (members[0]?.errorCode ?? 0) : 0, members };
};
