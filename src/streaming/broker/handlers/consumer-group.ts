// The consumer group protocol: heartbeats, and the description of such groups.
import { toTopics } from '../group/assignment.ts';
import { ConsumerGroup } from '../group/consumer-group.ts';
import { errorCodes, ProtocolError } from '../wire/errors.ts';
import type { consumerGroupDescribe, consumerGroupHeartbeat } from '../wire/messages/group-admin.ts';
import { notComputed, operations } from './authorized-operations.ts';
import { type Cluster, codeOf, distinct, type Handler } from './handler.ts';

export const handleConsumerGroupHeartbeat: Handler<typeof consumerGroupHeartbeat> = async (request, call) => {
  const { clientId, clientHost, cluster } = call;
  try {
    const group = cluster.groups.consumer(request.groupId, request.memberEpoch === 0);
    const answer = group.heartbeat({ ...request, clientId, clientHost });
    await cluster.groups.written(request.groupId);
    return { errorCode: 0, ...answer };
  } catch (error) {
    cluster.groups.settle(request.groupId);
    const errorMessage = error instanceof ProtocolError ? error.message : null;
    return { errorCode: codeOf(error, call), errorMessage, memberId: request.memberId, assignment: null };
  }
};

export const handleConsumerGroupDescribe: Handler<typeof consumerGroupDescribe> = (request, { cluster }) => ({
  groups: distinct(request.groupIds, (groupId) => groupId).map((groupId) => {
    const group = cluster.groups.find(groupId);
    if (!(group instanceof ConsumerGroup)) {
      const errorMessage = `Group ${groupId} is not a consumer group.`;
      return { errorCode: errorCodes.GROUP_ID_NOT_FOUND, errorMessage, groupId };
    }
    const members = [...group.members.values()].map((member) => ({
      memberId: member.id,
      instanceId: member.instanceId,
      rackId: member.rackId,
      memberEpoch: member.epoch,
      clientId: member.clientId,
      clientHost: member.clientHost,
      subscribedTopicNames: member.topicNames,
      subscribedTopicRegex: member.topicRegex,
      assignment: { topicPartitions: named(member.assigned, cluster) },
      targetAssignment: { topicPartitions: named(member.target, cluster) },
      memberType: member.classic ? 0 : 1,
    }));
    const { state: groupState, epoch, assignor } = group;
    return {
      errorCode: 0,
      groupId,
      groupState,
      groupEpoch: epoch,
      assignmentEpoch: epoch,
      assignorName: assignor,
      members,
      authorizedOperations: request.includeAuthorizedOperations ? operations.group : notComputed,
    };
  }),
});

const named = (set: Set<string>, { topics }: Cluster) =>
  toTopics(set).map(({ topicId, partitions }) => ({
    topicId,
    topicName: topics.byId.get(topicId)?.name ?? '',
    partitions,
  }));
