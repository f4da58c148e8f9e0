// Groups for administrators: list, describe, delete.
import { ClassicGroup } from '../group/classic-group.ts';
import { errorCodes } from '../wire/errors.ts';
import type { deleteGroups, describeGroups, listGroups } from '../wire/messages/group-admin.ts';
import { notComputed, operations } from './authorized-operations.ts';
import { type Cluster, codeOf, distinct, type Handler } from './handler.ts';

export const handleListGroups: Handler<typeof listGroups> = ({ statesFilter, typesFilter }, call) => {
  const { cluster, nodeId } = call;
  const has = (filter: string[], word: string): boolean =>
    filter.length === 0 || filter.some((one) => one.toLowerCase() === word.toLowerCase());
  const groups = cluster.groups.ids
    .filter((groupId) => cluster.nodes.coordinatorOf(groupId)?.id === nodeId) // clients ask all brokers
    .map((groupId) => summary(groupId, cluster))
    .filter(({ groupState, groupType }) => has(statesFilter, groupState) && has(typesFilter, groupType));
  return { errorCode: 0, groups };
};

function summary(groupId: string, { groups }: Cluster) {
  const group = groups.find(groupId);
  if (group && !(group instanceof ClassicGroup))
    return { groupId, protocolType: 'consumer', groupState: group.state, groupType: 'consumer' };
  return {
    groupId,
    protocolType: group?.protocolType ?? '',
    groupState: group?.state ?? 'Empty',
    groupType: 'classic',
  };
}

export const handleDescribeGroups: Handler<typeof describeGroups> = (request, { cluster, version }) => ({
  groups: distinct(request.groups, (groupId) => groupId).map((groupId) => {
    const group = cluster.groups.find(groupId);
    const isKnown = cluster.groups.has(groupId);
    if (!(group instanceof ClassicGroup)) {
      const isMissing = group !== undefined || !isKnown;
      const errorCode = isMissing && version >= 6 ? errorCodes.GROUP_ID_NOT_FOUND : 0;
      const errorMessage = errorCode === 0 ? null : `Group ${groupId} not found.`;
      return { errorCode, errorMessage, groupId, groupState: isMissing ? 'Dead' : 'Empty' };
    }
    const { state: groupState, protocolType, protocol } = group;
    const members = [...group.members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.instanceId,
      clientId: member.request.clientId,
      clientHost: member.request.clientHost,
      memberMetadata: member.metadataFor(protocol),
      memberAssignment: member.assignment,
    }));
    const authorizedOperations = request.includeAuthorizedOperations ? operations.group : notComputed;
    return {
      errorCode: 0,
      groupId,
      groupState,
      protocolType,
      protocolData: protocol,
      members,
      authorizedOperations,
    };
  }),
});

export const handleDeleteGroups: Handler<typeof deleteGroups> = async ({ groupsNames }, call) => ({
  results: await Promise.all(
    groupsNames.map(async (groupId) => {
      try {
        await call.cluster.groups.delete(groupId);
        return { groupId, errorCode: 0 };
      } catch (error) {
        return { groupId, errorCode: codeOf(error, call) };
      }
    }),
  ),
});
