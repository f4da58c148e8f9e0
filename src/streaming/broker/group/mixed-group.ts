// Groups that change their protocol while they run. A classic group becomes a consumer group when the first member of
// that protocol joins it. Its classic members stay: they are asked to rejoin and get the partitions that the broker
// assigns. When the last member of the consumer group protocol leaves, the group becomes classic again.
import { randomText } from '../../../base/ids.ts';
import { ProtocolError } from '../wire/errors.ts';
import { MalformedError } from '../wire/reader.ts';
import { type PartitionSet, toSet, toTopics } from './assignment.ts';
import { ClassicGroup, type Identity, MemberIdRequired } from './classic-group.ts';
import { ClassicMember, type JoinRequest, type JoinResponse, type SyncResponse } from './classic-member.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import { type ConsumerMember, mostSubscriptionBytes, newMember } from './consumer-member.ts';
import {
  consumerProtocolType,
  type NamedPartitions,
  readAssignment,
  readSubscription,
  type Subscription,
  versionOf,
  writeAssignment,
} from './consumer-protocol.ts';

// Handles requests of the classic protocol for groups of either protocol.
type AnyGroup = ClassicGroup | ConsumerGroup;
type Leaving = { memberId: string; groupInstanceId: string | null };

export async function joinGroup(group: AnyGroup, request: JoinRequest): Promise<JoinResponse> {
  return group instanceof ClassicGroup ? group.join(request) : joinMixed(group, request);
}

export async function syncGroup(
  group: AnyGroup,
  request: Identity & SyncProtocol,
  assignments: { memberId: string; assignment: Buffer }[],
): Promise<SyncResponse> {
  if (!(group instanceof ClassicGroup)) return syncMixed(group, request, request);
  const { protocolType, protocolName } = request;
  const isOther =
    (protocolType !== null && protocolType !== group.protocolType) ||
    (protocolName !== null && protocolName !== group.protocol);
  group.check(request);
  if (isOther) throw new ProtocolError('INCONSISTENT_GROUP_PROTOCOL');
  return group.sync(request, assignments);
}

export function heartbeatGroup(group: AnyGroup, identity: Identity): void {
  if (group instanceof ClassicGroup) group.heartbeat(identity);
  else heartbeatMixed(group, identity);
}

export function leaveGroup(group: AnyGroup, leaving: Leaving): void {
  if (group instanceof ClassicGroup) group.leave(leaving);
  else leaveMixed(group, leaving);
}

// Fills a new group with the members of a classic one. Throws if their metadata can't be read.
export function upgrade(classic: ClassicGroup, group: ConsumerGroup): void {
  const refuse = (reason: string): never => {
    throw new ProtocolError(
      'GROUP_ID_NOT_FOUND',
      `Cannot upgrade classic group ${classic.id} to consumer group because ${reason}.`,
    );
  };
  if (classic.protocolType !== consumerProtocolType) refuse('the group does not use the consumer embedded protocol');
  if (classic.members.size > group.settings.mostMembers) refuse('the group size exceeds the maximum size');
  const members = [...classic.members.values()].map((member) => {
    if (bytesOf(member.request) > mostSubscriptionBytes) refuse('a subscription is too large');
    try {
      const { partitions, hasUserData } = readAssignment(member.assignment);
      if (hasUserData) refuse('an unsupported custom assignor is in use');
      return { member, partitions, subscription: readSubscription(member.metadataFor(classic.chosenProtocol)) };
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      return refuse('the embedded consumer protocol is malformed');
    }
  });
  group.epoch = classic.generation;
  for (const { member, partitions, subscription } of members) {
    const { clientId, clientHost, rebalanceTimeoutMs, sessionTimeoutMs, protocols, groupInstanceId } = member.request;
    const assigned = toIds(partitions, group);
    const converted: ConsumerMember = {
      ...newMember({ id: member.id, clientId, clientHost }),
      instanceId: groupInstanceId,
      rackId: subscription.rackId,
      epoch: group.epoch,
      previousEpoch: group.epoch,
      rebalanceTimeoutMs,
      topicNames: subscription.topics.toSorted(),
      classic: { sessionTimeoutMs, protocols },
      assigned,
      target: assigned,
    };
    group.members.set(converted.id, converted);
    group.touch(converted);
    group.note(converted);
  }
}

// Fills a new classic group with the remaining members, which have to rejoin.
export function downgrade(group: ConsumerGroup, classic: ClassicGroup): void {
  const members = [...group.members.values()].flatMap((one) => {
    const { id, classic: part, instanceId, clientId, clientHost, rebalanceTimeoutMs, assigned } = one;
    if (!part) return [];
    const member = new ClassicMember(id, {
      ...part,
      memberId: id,
      groupInstanceId: instanceId,
      clientId,
      clientHost,
      rebalanceTimeoutMs,
      protocolType: consumerProtocolType,
      needsMemberId: true,
    });
    member.assignment = assignmentFor(one, assigned, group);
    return [member];
  });
  group.close();
  classic.takeOver(members, group.epoch, consumerProtocolType);
}

const bytesOf = ({ protocols }: Pick<JoinRequest, 'protocols'>): number =>
  protocols.reduce((sum, { metadata }) => sum + metadata.length, 0);

const toIds = (partitions: NamedPartitions[], { settings }: ConsumerGroup): PartitionSet => {
  const known = settings.topicNames();
  const topics = partitions.flatMap(({ topic, partitions: indexes }) => {
    const found = known.get(topic);
    return found ? [{ topicId: found.id, partitions: indexes }] : []; // the topic may be deleted
  });
  return toSet(topics);
};

function assignmentFor({ classic }: ConsumerMember, assigned: PartitionSet, { settings }: ConsumerGroup): Buffer {
  const names = new Map([...settings.topicNames()].map(([name, { id }]) => [id, name]));
  const partitions = toTopics(assigned).flatMap(({ topicId, partitions: indexes }) => {
    const topic = names.get(topicId);
    return topic === undefined ? [] : [{ topic, partitions: indexes }];
  });
  return writeAssignment(partitions, versionOf(classic?.protocols[0]?.metadata ?? Buffer.alloc(2)));
}

// A classic member joins: it is answered at once, since the broker assigns the partitions.
function joinMixed(group: ConsumerGroup, request: JoinRequest): JoinResponse {
  const { groupInstanceId, sessionTimeoutMs, rebalanceTimeoutMs, protocols, clientId, clientHost } = request;
  const subscription = subscriptionOf(group, request);
  const before = groupInstanceId === null ? undefined : group.instance(groupInstanceId);
  if (request.memberId === '' && groupInstanceId === null && request.needsMemberId)
    throw new MemberIdRequired(`${clientId}-${randomText(16)}`);
  if (request.memberId !== '' && before && before.id !== request.memberId)
    throw new ProtocolError('FENCED_INSTANCE_ID');
  const id = request.memberId || `${groupInstanceId ?? clientId}-${randomText(16)}`;
  const known = group.members.get(id);
  const facts = { instanceId: groupInstanceId, rackId: subscription.rackId, rebalanceTimeoutMs };
  const member = known ?? group.admit({ ...newMember({ id, clientId, clientHost }), ...facts }, before);
  const topicNames = subscription.topics.toSorted();
  const isChanged = topicNames.join() !== member.topicNames.join();
  Object.assign(member, { ...facts, topicNames, topicRegex: null, classic: { sessionTimeoutMs, protocols } });
  group.note(member);
  awaitMember(group, member);
  group.touch(member);
  group.progress(member, isChanged, toIds(subscription.ownedPartitions, group));
  const generationId = member.epoch;
  if (group.isClassicOnly) group.settings.onClassicOnly?.(group); // it replaced the last member of the other protocol
  return {
    generationId,
    protocolType: consumerProtocolType,
    protocolName: protocols[0]?.name ?? '',
    leader: '',
    memberId: id,
    members: [],
  };
}

function subscriptionOf(group: ConsumerGroup, { protocolType, protocols, memberId }: JoinRequest): Subscription {
  const others = [...group.members.values()].flatMap(({ id, classic }) =>
    classic && id !== memberId ? [classic] : [],
  );
  const offered = new Set(protocols.map(({ name }) => name));
  const common = others
    .map((one) => new Set(one.protocols.map(({ name }) => name)))
    .reduce((names, more) => names.intersection(more), offered);
  if (protocolType !== consumerProtocolType || common.size === 0)
    throw new ProtocolError('INCONSISTENT_GROUP_PROTOCOL');
  if (bytesOf({ protocols }) > mostSubscriptionBytes)
    throw new ProtocolError('POLICY_VIOLATION', 'The subscription is too large.');
  try {
    return readSubscription(protocols[0]?.metadata ?? Buffer.alloc(0));
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    throw new ProtocolError('INCONSISTENT_GROUP_PROTOCOL', 'The embedded consumer protocol is malformed.');
  }
}

interface SyncProtocol {
  protocolType: string | null; // null: an older client, which does not send it
  protocolName: string | null;
}

// Removes a member that was asked to join or sync and does not.
function awaitMember(group: ConsumerGroup, member: ConsumerMember): void {
  member.cancelWait();
  member.cancelWait = group.settings.timers.after(member.rebalanceTimeoutMs, () => group.expire(member));
}

function checkClassic(group: ConsumerGroup, identity: Identity): ConsumerMember {
  const member = group.check(identity);
  if (!member.classic) throw new ProtocolError('UNKNOWN_MEMBER_ID');
  return member;
}

function syncMixed(
  group: ConsumerGroup,
  identity: Identity,
  { protocolType, protocolName }: SyncProtocol,
): SyncResponse {
  const member = checkClassic(group, identity);
  const protocol = member.classic?.protocols[0]?.name ?? '';
  if ((protocolType ?? consumerProtocolType) !== consumerProtocolType || (protocolName ?? protocol) !== protocol)
    throw new ProtocolError('INCONSISTENT_GROUP_PROTOCOL');
  member.cancelWait();
  group.touch(member);
  const assignment = assignmentFor(member, member.assigned, group);
  return { protocolType: consumerProtocolType, protocolName: protocol, assignment };
}

// A member whose share has changed, or may change now, has to rejoin.
function heartbeatMixed(group: ConsumerGroup, identity: Identity): void {
  const member = checkClassic(group, identity);
  group.touch(member);
  const isBehind = member.epoch < group.epoch || member.revoking.size > 0 || group.freeFor(member).size > 0;
  if (!isBehind) return;
  awaitMember(group, member);
  throw new ProtocolError('REBALANCE_IN_PROGRESS');
}

function leaveMixed(group: ConsumerGroup, { memberId, groupInstanceId }: Leaving): void {
  const member = groupInstanceId === null ? group.members.get(memberId) : group.instance(groupInstanceId);
  if (!member) throw new ProtocolError('UNKNOWN_MEMBER_ID');
  if (memberId !== '' && member.id !== memberId) throw new ProtocolError('FENCED_INSTANCE_ID');
  group.expire(member);
}
