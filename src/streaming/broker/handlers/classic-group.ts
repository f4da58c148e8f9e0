// The classic group protocol: join, sync, heartbeat, leave.
import { MemberIdRequired } from '../group/classic-group.ts';
import type { JoinRequest } from '../group/classic-member.ts';
import { longestSessionMs, shortestSessionMs } from '../group/groups.ts';
import { heartbeatGroup, joinGroup, leaveGroup, syncGroup } from '../group/mixed-group.ts';
import { ProtocolError } from '../wire/errors.ts';
import type * as messages from '../wire/messages/group.ts';
import { codeOf, type Handler } from './handler.ts';

export const handleJoinGroup: Handler<typeof messages.joinGroup> = async (request, call) => {
  const { cluster, version, clientId, clientHost } = call;
  const { groupId, sessionTimeoutMs, memberId, groupInstanceId, protocolType, protocols } = request;
  try {
    if (sessionTimeoutMs < shortestSessionMs || sessionTimeoutMs > longestSessionMs)
      throw new ProtocolError('INVALID_SESSION_TIMEOUT');
    const bytes = protocols.reduce((sum, { metadata }) => sum + metadata.length, 0);
    const group = cluster.groups.classicForJoin(groupId, bytes); // refuses large requests before they are copied
    const rebalanceTimeoutMs = request.rebalanceTimeoutMs < 0 ? sessionTimeoutMs : request.rebalanceTimeoutMs;
    const sent: JoinRequest = {
      memberId,
      groupInstanceId,
      clientId,
      clientHost,
      sessionTimeoutMs,
      rebalanceTimeoutMs: Math.min(rebalanceTimeoutMs, 0x7fffffff),
      protocolType,
      protocols: protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
      needsMemberId: version >= 4,
    };
    const joined = await joinGroup(group, sent);
    await cluster.groups.written(groupId);
    return { errorCode: 0, ...joined };
  } catch (error) {
    const given = error instanceof MemberIdRequired ? error.memberId : memberId;
    return { errorCode: codeOf(error, call), memberId: given, protocolName: version >= 7 ? null : '' };
  }
};

export const handleSyncGroup: Handler<typeof messages.syncGroup> = async (request, call) => {
  const { groups } = call.cluster;
  try {
    const assignments = request.assignments.map(({ memberId, assignment }) => ({
      memberId,
      assignment: Buffer.from(assignment),
    }));
    const answer = await syncGroup(groups.classic(request.groupId), request, assignments);
    await groups.written(request.groupId);
    return { errorCode: 0, ...answer };
  } catch (error) {
    return { errorCode: codeOf(error, call) };
  }
};

export const handleHeartbeat: Handler<typeof messages.heartbeat> = (request, call) => {
  try {
    heartbeatGroup(call.cluster.groups.classic(request.groupId), request);
    return { errorCode: 0 };
  } catch (error) {
    return { errorCode: codeOf(error, call) };
  }
};

export const handleLeaveGroup: Handler<typeof messages.leaveGroup> = async (request, call) => {
  const isSingle = call.version < 3;
  const leaving = isSingle ? [{ memberId: request.memberId, groupInstanceId: null }] : request.members;
  const members = leaving.map(({ memberId, groupInstanceId }) => {
    try {
      leaveGroup(call.cluster.groups.classic(request.groupId), { memberId, groupInstanceId });
      return { memberId, groupInstanceId, errorCode: 0 };
    } catch (error) {
      return { memberId, groupInstanceId, errorCode: codeOf(error, call) };
    }
  });
  await call.cluster.groups.written(request.groupId);
  return { errorCode: isSingle ? (members[0]?.errorCode ?? 0) : 0, members };
};
