// A member of a group of the consumer group protocol, and how it is stored.
import { type PartitionSet, type TopicPartitions, toSet, toTopics } from './assignment.ts';
import type { JoinRequest } from './classic-member.ts';

// The join request of a member that uses the classic protocol.
export interface ClassicPart {
  sessionTimeoutMs: number;
  protocols: JoinRequest['protocols'];
}

export interface ConsumerMember {
  id: string;
  instanceId: string | null;
  rackId: string | null;
  epoch: number;
  previousEpoch: number; // repeated by a member that did not get our last answer
  clientId: string;
  clientHost: string;
  rebalanceTimeoutMs: number;
  topicNames: string[];
  topicRegex: string | null;
  assignor: string | null;
  classic: ClassicPart | null; // null: it uses the consumer group protocol
  assigned: PartitionSet; // partitions that it may own
  revoking: PartitionSet; // partitions that it has to return first
  target: PartitionSet; // partitions that it will own
  cancelSession(): void;
  cancelRevocation(): void;
  cancelWait(): void; // cancels the timer of a classic member that has to join or sync
}

type Facts = Omit<
  ConsumerMember,
  'assigned' | 'revoking' | 'target' | 'classic' | 'cancelSession' | 'cancelRevocation' | 'cancelWait'
>;

export interface StoredMember extends Facts {
  assigned: TopicPartitions[];
  revoking: TopicPartitions[];
  target: TopicPartitions[];
  classic: { sessionTimeoutMs: number; protocols: { name: string; metadata: string }[] } | null;
}

export const mostSubscriptionBytes = 1024 * 1024; // per member, because subscriptions are stored with each change
export const none: PartitionSet = new Set();
export const temporarilyGone = -2; // the epoch of a static member that leaves temporarily

export const newMember = (given: Pick<ConsumerMember, 'id' | 'clientId' | 'clientHost'>): ConsumerMember => ({
  instanceId: null,
  rackId: null,
  epoch: 0,
  previousEpoch: 0,
  rebalanceTimeoutMs: 0,
  topicNames: [],
  topicRegex: null,
  assignor: null,
  classic: null,
  assigned: none,
  revoking: none,
  target: none,
  cancelSession() {},
  cancelRevocation() {},
  cancelWait() {},
  ...given,
});

export function storedMemberOf(member: ConsumerMember): StoredMember {
  const { cancelSession: _, cancelRevocation: _revocation, cancelWait: _wait, classic, ...facts } = member;
  return {
    ...facts,
    assigned: toTopics(member.assigned),
    revoking: toTopics(member.revoking),
    target: toTopics(member.target),
    classic: classic && {
      sessionTimeoutMs: classic.sessionTimeoutMs,
      protocols: classic.protocols.map(({ name, metadata }) => ({ name, metadata: metadata.toString('base64') })),
    },
  };
}

export const memberFrom = ({ assigned, revoking, target, classic, ...facts }: StoredMember): ConsumerMember => ({
  ...newMember(facts),
  ...facts,
  assigned: toSet(assigned),
  revoking: toSet(revoking),
  target: toSet(target),
  classic: classic && {
    sessionTimeoutMs: classic.sessionTimeoutMs,
    protocols: classic.protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata, 'base64') })),
  },
});
