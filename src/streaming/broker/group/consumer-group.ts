// A group of the consumer group protocol: the broker divides the partitions, and each member converges on its share by
// heartbeats. A partition goes to its new owner only after the old one no longer reports it, so no two members ever
// have the same one. Members live in memory: after a restart they are unknown and join again; offsets are kept.
import { randomText } from '../../../base/ids.ts';
import { BadPattern, compilePattern, type Pattern } from '../../../core/regexp.ts';
import { ProtocolError } from '../wire/errors.ts';
import { assignors, type PartitionSet, type TopicPartitions, type TopicSizes, toSet, toTopics } from './assignment.ts';
import type { Timers } from './timers.ts';

export interface ConsumerHeartbeat {
  memberId: string;
  memberEpoch: number;
  instanceId: string | null;
  rackId: string | null;
  rebalanceTimeoutMs: number;
  subscribedTopicNames: string[] | null;
  subscribedTopicRegex: string | null;
  serverAssignor: string | null;
  topicPartitions: TopicPartitions[] | null;
  clientId: string;
  clientHost: string;
}

export interface ConsumerMember {
  id: string;
  instanceId: string | null;
  rackId: string | null;
  epoch: number;
  previousEpoch: number; // which it repeats if it did not get our last answer
  clientId: string;
  clientHost: string;
  rebalanceTimeoutMs: number;
  topicNames: string[];
  topicRegex: string | null;
  assignor: string | null;
  assigned: PartitionSet; // what it may have
  revoking: PartitionSet; // what it has to give back first
  target: PartitionSet; // what it shall have
  cancelSession(): void;
  cancelRevocation(): void;
}

export interface ConsumerSettings {
  timers: Timers;
  nowMs(): number;
  heartbeatMs: number;
  sessionMs: number;
  mostMembers: number;
  topicNames(): Map<string, { id: string; partitions: number }>;
}

const none: PartitionSet = new Set();

export class ConsumerGroup {
  readonly id: string;
  readonly members = new Map<string, ConsumerMember>();
  epoch = 0;
  assignor = 'uniform';
  emptySinceMs: number; // where it is empty: when it lost its last member, or was made
  readonly #settings: ConsumerSettings;
  #topics = ''; // what the target assignment was computed for

  constructor(id: string, settings: ConsumerSettings) {
    this.id = id;
    this.#settings = settings;
    this.emptySinceMs = settings.nowMs();
  }

  get isEmpty(): boolean {
    return this.members.size === 0;
  }

  get state(): string {
    if (this.isEmpty) return 'Empty';
    const isStable = [...this.members.values()].every(
      (one) => one.epoch === this.epoch && one.revoking.size === 0 && one.assigned.size === one.target.size,
    );
    return isStable ? 'Stable' : 'Reconciling';
  }

  heartbeat(request: ConsumerHeartbeat) {
    if (request.memberEpoch < 0) return this.#leave(request);
    const member = request.memberEpoch === 0 ? this.#join(request) : this.#known(request);
    const before = member.assigned;
    this.#touch(member);
    const isFull = request.memberEpoch === 0 || request.subscribedTopicNames !== null;
    if (this.#subscribe(member, request) || this.#topicsKey() !== this.#topics) this.#assign();
    this.#converge(member, request.topicPartitions ? toSet(request.topicPartitions) : undefined);
    const isTold = isFull || member.assigned !== before;
    return {
      memberId: member.id,
      memberEpoch: member.epoch,
      heartbeatIntervalMs: this.#settings.heartbeatMs,
      assignment: isTold ? { topicPartitions: toTopics(member.assigned) } : null,
    };
  }

  #join(request: ConsumerHeartbeat): ConsumerMember {
    const { memberId, instanceId } = request;
    if (request.rebalanceTimeoutMs <= 0) throw new ProtocolError('INVALID_REQUEST', 'RebalanceTimeoutMs must be set.');
    if (request.subscribedTopicNames === null && !request.subscribedTopicRegex)
      throw new ProtocolError('INVALID_REQUEST', 'A subscription must be set.');
    const id = memberId === '' ? randomText(16) : memberId;
    const known = this.members.get(id);
    if (known) {
      known.revoking = none;
      return known;
    }
    const before = instanceId === null ? undefined : this.#instance(instanceId);
    if (before && before.epoch !== temporarilyGone) throw new ProtocolError('UNRELEASED_INSTANCE_ID');
    if (this.members.size >= this.#settings.mostMembers) throw new ProtocolError('GROUP_MAX_SIZE_REACHED');
    const member: ConsumerMember = {
      id,
      instanceId,
      rackId: request.rackId,
      epoch: 0,
      previousEpoch: 0,
      clientId: request.clientId,
      clientHost: request.clientHost,
      rebalanceTimeoutMs: request.rebalanceTimeoutMs,
      topicNames: before?.topicNames ?? [],
      topicRegex: before?.topicRegex ?? null,
      assignor: null,
      assigned: before?.assigned ?? none,
      revoking: none,
      target: before?.target ?? none,
      cancelSession() {},
      cancelRevocation() {},
    };
    if (before) this.#drop(before);
    this.members.set(id, member);
    if (!before) this.#topics = '';
    return member;
  }

  #known({ memberId, memberEpoch, instanceId }: ConsumerHeartbeat): ConsumerMember {
    const member = this.members.get(memberId);
    const owner = instanceId === null ? undefined : this.#instance(instanceId);
    if (owner && owner.id !== memberId) throw new ProtocolError('FENCED_INSTANCE_ID');
    if (!member) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (memberEpoch !== member.epoch && memberEpoch !== member.previousEpoch)
      throw new ProtocolError('FENCED_MEMBER_EPOCH');
    return member;
  }

  #instance(instanceId: string): ConsumerMember | undefined {
    return [...this.members.values()].find((member) => member.instanceId === instanceId);
  }

  // Whether the subscription changed.
  #subscribe(member: ConsumerMember, request: ConsumerHeartbeat): boolean {
    const { subscribedTopicNames: names, subscribedTopicRegex: regex, serverAssignor } = request;
    if (serverAssignor !== null && !Object.hasOwn(assignors, serverAssignor))
      throw new ProtocolError('UNSUPPORTED_ASSIGNOR', `The assignors are ${Object.keys(assignors).join(' and ')}.`);
    const before = JSON.stringify([member.topicNames, member.topicRegex, member.assignor]);
    if (names) member.topicNames = names.toSorted();
    if (regex) patternOf(regex); // refuses a bad one before it is kept
    if (regex !== null) member.topicRegex = regex === '' ? null : regex;
    if (serverAssignor !== null) member.assignor = serverAssignor;
    if (request.rebalanceTimeoutMs > 0) member.rebalanceTimeoutMs = request.rebalanceTimeoutMs;
    return before !== JSON.stringify([member.topicNames, member.topicRegex, member.assignor]);
  }

  #subscriptions(): { topics: TopicSizes; byMember: Map<string, Set<string>> } {
    const known = this.#settings.topicNames();
    const topics: TopicSizes = new Map();
    const byMember = new Map<string, Set<string>>();
    for (const { id, topicNames, topicRegex } of this.members.values()) {
      const pattern = topicRegex === null ? undefined : patternOf(topicRegex);
      const names = [...known.keys()].filter((name) => topicNames.includes(name) || pattern?.test(name));
      byMember.set(id, new Set(names.map((name) => known.get(name)?.id as string)));
      for (const name of names) topics.set(known.get(name)?.id as string, known.get(name)?.partitions as number);
    }
    return { topics, byMember };
  }

  #topicsKey(): string {
    return JSON.stringify([...this.#subscriptions().topics]);
  }

  // A new target for all members.
  #assign(): void {
    const { topics, byMember } = this.#subscriptions();
    this.epoch++;
    this.#topics = JSON.stringify([...topics]);
    const wishes = [...this.members.values()].flatMap(({ assignor }) => assignor ?? []);
    const count = (name: string): number => wishes.filter((wish) => wish === name).length;
    this.assignor = wishes.toSorted((a, b) => count(b) - count(a))[0] ?? 'uniform';
    const subscribers = [...this.members.values()].map(({ id, target, assigned }) => ({
      id,
      owned: target.size > 0 ? target : assigned,
      topicIds: byMember.get(id) ?? new Set<string>(),
    }));
    const targets = assignors[this.assignor]?.(subscribers, topics);
    for (const member of this.members.values()) member.target = targets?.get(member.id) ?? none;
  }

  // One step of a member towards its target. It reports what it has, if that changed.
  #converge(member: ConsumerMember, reported: PartitionSet | undefined): void {
    if (reported && member.revoking.size > 0 && reported.isDisjointFrom(member.revoking)) {
      member.revoking = none;
      member.cancelRevocation();
    }
    if (member.revoking.size > 0) return;
    const surplus = member.assigned.difference(member.target);
    if (surplus.size > 0) {
      member.assigned = member.assigned.intersection(member.target);
      const isGivenBack = reported?.isDisjointFrom(surplus) ?? false;
      if (!isGivenBack && member.epoch > 0) {
        member.revoking = surplus;
        const expire = (): void => this.#expire(member);
        member.cancelRevocation = this.#settings.timers.after(member.rebalanceTimeoutMs, expire);
        return;
      }
    }
    const taken = this.#takenByOthers(member);
    const free = member.target.difference(member.assigned).difference(taken);
    if (free.size > 0) member.assigned = member.assigned.union(free);
    if (member.epoch === this.epoch) return;
    member.previousEpoch = member.epoch;
    member.epoch = this.epoch;
  }

  #takenByOthers(member: ConsumerMember): PartitionSet {
    const taken: PartitionSet = new Set();
    for (const other of this.members.values()) {
      if (other === member) continue;
      for (const key of other.assigned) taken.add(key);
      for (const key of other.revoking) taken.add(key);
    }
    return taken;
  }

  #leave({ memberId, memberEpoch, instanceId }: ConsumerHeartbeat) {
    const member = instanceId === null ? this.members.get(memberId) : this.#instance(instanceId);
    if (!member || member.id !== memberId) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    // A static member that will be back keeps its partitions until its session ends.
    if (memberEpoch === temporarilyGone) {
      member.epoch = temporarilyGone;
      member.previousEpoch = temporarilyGone;
    } else this.#expire(member);
    return { memberId, memberEpoch, heartbeatIntervalMs: 0, assignment: null };
  }

  #touch(member: ConsumerMember): void {
    member.cancelSession();
    member.cancelSession = this.#settings.timers.after(this.#settings.sessionMs, () => this.#expire(member));
  }

  #drop(member: ConsumerMember): void {
    member.cancelSession();
    member.cancelRevocation();
    this.members.delete(member.id);
    this.emptySinceMs = this.#settings.nowMs();
  }

  #expire(member: ConsumerMember): void {
    if (this.members.get(member.id) !== member) return;
    this.#drop(member);
    this.#assign();
  }

  // Throws unless the request comes from a member of this epoch.
  check(memberId: string, memberEpoch: number): void {
    const member = this.members.get(memberId);
    if (!member) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (memberEpoch !== member.epoch) throw new ProtocolError('STALE_MEMBER_EPOCH');
  }

  close(): void {
    for (const member of [...this.members.values()]) this.#drop(member);
  }
}

const temporarilyGone = -2;

function patternOf(text: string): Pattern {
  try {
    return compilePattern(text);
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    throw new ProtocolError('INVALID_REGULAR_EXPRESSION', `${text} is no regular expression.`);
  }
}
