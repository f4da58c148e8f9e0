// A group of the consumer group protocol: the broker assigns the partitions, and each member converges on its share by
// heartbeats. A partition gets its new owner only when the old one no longer reports it, so no two members ever have
// the same one. Members that use the classic protocol can join as well: see mixed-group.ts. Each change is reported, so
// that a restart continues with the same members.
import { randomText } from '../../../base/ids.ts';
import { BadPattern, compilePattern, type Pattern } from '../../../core/regexp.ts';
import { ProtocolError } from '../wire/errors.ts';
import { assignors, type PartitionSet, type TopicPartitions, type TopicSizes, toSet, toTopics } from './assignment.ts';
import type { Identity } from './classic-group.ts';
import {
  type ConsumerMember,
  memberFrom,
  mostSubscriptionBytes,
  newMember,
  none,
  type StoredMember,
  temporarilyGone,
} from './consumer-member.ts';
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

export interface ConsumerSettings {
  timers: Timers;
  nowMs(): number;
  times(groupId: string): { heartbeatMs: number; sessionMs: number };
  mostMembers: number;
  topicNames(): Map<string, { id: string; partitions: number }>;
  onChange?(group: ConsumerGroup): void; // the stored part has changed
  onClassicOnly?(group: ConsumerGroup): void; // the last member of the consumer group protocol is gone
}

export interface StoredConsumerGroup {
  type: 'consumer';
  epoch: number;
  assignor: string;
  emptySinceMs: number;
}

export class ConsumerGroup {
  readonly id: string;
  readonly members = new Map<string, ConsumerMember>();
  epoch = 0;
  assignor = 'uniform';
  emptySinceMs: number; // if it is empty: when it lost its last member or was created
  readonly changed = new Set<string>(); // members whose rows are out of date
  readonly settings: ConsumerSettings;
  #topics = ''; // the topics of the current target assignment

  constructor(id: string, settings: ConsumerSettings) {
    this.id = id;
    this.settings = settings;
    this.emptySinceMs = settings.nowMs();
  }

  // Restarts all sessions: members could not send heartbeats while the broker was down.
  restore({ epoch, assignor, emptySinceMs }: StoredConsumerGroup, members: StoredMember[]): void {
    Object.assign(this, { epoch, assignor, emptySinceMs });
    for (const stored of members) {
      const member = memberFrom(stored);
      this.members.set(member.id, member);
      this.touch(member);
      if (member.revoking.size > 0) this.#awaitRevocation(member);
    }
    this.#topics = this.#topicsKey();
  }

  get stored(): StoredConsumerGroup {
    const { epoch, assignor, emptySinceMs } = this;
    return { type: 'consumer', epoch, assignor, emptySinceMs };
  }

  note(member?: ConsumerMember): void {
    if (member) this.changed.add(member.id);
    this.settings.onChange?.(this);
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
    checkSubscription(request);
    const member = request.memberEpoch === 0 ? this.#join(request) : this.#known(request);
    const before = member.assigned;
    const isFull = request.memberEpoch === 0 || request.subscribedTopicNames !== null;
    this.touch(member);
    const isChanged = this.#subscribe(member, request);
    this.progress(member, isChanged, request.topicPartitions ? toSet(request.topicPartitions) : undefined);
    const includesAssignment = isFull || member.assigned !== before;
    return {
      memberId: member.id,
      memberEpoch: member.epoch,
      heartbeatIntervalMs: this.settings.times(this.id).heartbeatMs,
      assignment: includesAssignment ? { topicPartitions: toTopics(member.assigned) } : null,
    };
  }

  // Performs one step after a member's report: computes a new target if anything changed, and what the member may own
  // now.
  progress(member: ConsumerMember, hasChanged: boolean, reported: PartitionSet | undefined): void {
    if (hasChanged || this.#topicsKey() !== this.#topics) this.#assign();
    this.#converge(member, reported);
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
      known.classic = null; // the client changed its protocol and kept its id
      this.note(known);
      return known;
    }
    const before = instanceId === null ? undefined : this.instance(instanceId);
    if (before && before.epoch !== temporarilyGone && !before.classic)
      throw new ProtocolError('UNRELEASED_INSTANCE_ID');
    const { rackId, clientId, clientHost, rebalanceTimeoutMs } = request;
    const facts = { instanceId, rackId, rebalanceTimeoutMs };
    return this.admit({ ...newMember({ id, clientId, clientHost }), ...facts }, before);
  }

  // Admits a new member, or a returning static one, which continues with its partitions.
  admit(member: ConsumerMember, before: ConsumerMember | undefined): ConsumerMember {
    if (!before && this.members.size >= this.settings.mostMembers) throw new ProtocolError('GROUP_MAX_SIZE_REACHED');
    if (before) {
      const { topicNames, topicRegex, assigned, target } = before;
      Object.assign(member, { topicNames, topicRegex, assigned, target });
      this.#drop(before);
    } else this.#topics = '';
    this.members.set(member.id, member);
    this.note(member);
    return member;
  }

  #known({ memberId, memberEpoch, instanceId }: ConsumerHeartbeat): ConsumerMember {
    const member = this.members.get(memberId);
    const owner = instanceId === null ? undefined : this.instance(instanceId);
    if (owner && owner.id !== memberId) throw new ProtocolError('FENCED_INSTANCE_ID');
    if (!member) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (memberEpoch !== member.epoch && memberEpoch !== member.previousEpoch)
      throw new ProtocolError('FENCED_MEMBER_EPOCH');
    return member;
  }

  instance(instanceId: string): ConsumerMember | undefined {
    return [...this.members.values()].find((member) => member.instanceId === instanceId);
  }

  // Returns whether the subscription changed.
  #subscribe(member: ConsumerMember, request: ConsumerHeartbeat): boolean {
    const { subscribedTopicNames: names, subscribedTopicRegex: regex, serverAssignor } = request;
    const before = JSON.stringify([member.topicNames, member.topicRegex, member.assignor]);
    if (names) member.topicNames = names.toSorted();
    if (regex !== null) member.topicRegex = regex === '' ? null : regex;
    if (serverAssignor !== null) member.assignor = serverAssignor;
    if (request.rebalanceTimeoutMs > 0) member.rebalanceTimeoutMs = request.rebalanceTimeoutMs;
    const isChanged = before !== JSON.stringify([member.topicNames, member.topicRegex, member.assignor]);
    if (isChanged) this.note(member);
    return isChanged;
  }

  #subscriptions(): { topics: TopicSizes; byMember: Map<string, Set<string>> } {
    const known = this.settings.topicNames();
    const topics: TopicSizes = new Map();
    const byMember = new Map<string, Set<string>>();
    for (const { id, topicNames, topicRegex } of this.members.values()) {
      const pattern = topicRegex === null ? undefined : patternOf(topicRegex);
      const wanted = new Set(topicNames);
      const names = [...known.keys()].filter((name) => wanted.has(name) || pattern?.test(name));
      byMember.set(id, new Set(names.map((name) => known.get(name)?.id as string)));
      for (const name of names) topics.set(known.get(name)?.id as string, known.get(name)?.partitions as number);
    }
    return { topics, byMember };
  }

  #topicsKey(): string {
    return JSON.stringify([...this.#subscriptions().topics]);
  }

  // Computes a new target for all members.
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
    for (const member of this.members.values()) {
      member.target = targets?.get(member.id) ?? none;
      this.changed.add(member.id);
    }
    this.note();
  }

  // Moves a member one step towards its target. The member reports its partitions if they changed.
  #converge(member: ConsumerMember, reported: PartitionSet | undefined): void {
    if (reported && member.revoking.size > 0 && reported.isDisjointFrom(member.revoking)) {
      member.revoking = none;
      member.cancelRevocation();
      this.note(member);
    }
    if (member.revoking.size > 0) return;
    const surplus = member.assigned.difference(member.target);
    if (surplus.size > 0) {
      member.assigned = member.assigned.intersection(member.target);
      this.note(member);
      const isGivenBack = reported?.isDisjointFrom(surplus) ?? false;
      if (!isGivenBack && member.epoch > 0) {
        member.revoking = surplus;
        this.#awaitRevocation(member);
        return;
      }
    }
    const free = this.freeFor(member);
    if (free.size > 0) member.assigned = member.assigned.union(free);
    if (free.size > 0 || member.epoch !== this.epoch) this.note(member);
    if (member.epoch === this.epoch) return;
    member.previousEpoch = member.epoch;
    member.epoch = this.epoch;
  }

  #awaitRevocation(member: ConsumerMember): void {
    const expire = (): void => this.expire(member);
    member.cancelRevocation = this.settings.timers.after(member.rebalanceTimeoutMs, expire);
  }

  // Returns the partitions of a member's target that no member owns.
  freeFor(member: ConsumerMember): PartitionSet {
    return member.target.difference(member.assigned).difference(this.#takenByOthers(member));
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
    const member = instanceId === null ? this.members.get(memberId) : this.instance(instanceId);
    if (!member || member.id !== memberId) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    // A static member that leaves temporarily keeps its partitions until its session ends.
    if (memberEpoch === temporarilyGone) {
      member.epoch = temporarilyGone;
      member.previousEpoch = temporarilyGone;
      this.note(member);
    } else this.expire(member);
    return { memberId, memberEpoch, heartbeatIntervalMs: 0, assignment: null };
  }

  touch(member: ConsumerMember): void {
    member.cancelSession();
    member.cancelSession = this.settings.timers.after(
      member.classic?.sessionTimeoutMs ?? this.settings.times(this.id).sessionMs,
      () => this.expire(member),
    );
  }

  #drop(member: ConsumerMember): void {
    member.cancelSession();
    member.cancelRevocation();
    member.cancelWait();
    this.members.delete(member.id);
    this.emptySinceMs = this.settings.nowMs();
    this.note(member);
  }

  expire(member: ConsumerMember): void {
    if (this.members.get(member.id) !== member) return;
    this.#drop(member);
    if (this.isClassicOnly) this.settings.onClassicOnly?.(this);
    else this.#assign();
  }

  get isClassicOnly(): boolean {
    return this.members.size > 0 && [...this.members.values()].every(({ classic }) => classic);
  }

  // Throws unless the request comes from a member of this epoch.
  check({ memberId, generationId, groupInstanceId }: Identity): ConsumerMember {
    const owner = groupInstanceId === null ? undefined : this.instance(groupInstanceId);
    if (owner && owner.id !== memberId) throw new ProtocolError('FENCED_INSTANCE_ID');
    const member = this.members.get(memberId);
    if (!member) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (generationId === member.epoch) return member;
    throw new ProtocolError(member.classic ? 'ILLEGAL_GENERATION' : 'STALE_MEMBER_EPOCH');
  }

  // Cancels all timers. The stored members stay.
  close(): void {
    for (const member of this.members.values()) {
      member.cancelSession();
      member.cancelRevocation();
      member.cancelWait();
    }
  }
}

// Refuses subscriptions that can't be stored before anything changes.
function checkSubscription({ serverAssignor, subscribedTopicRegex, subscribedTopicNames }: ConsumerHeartbeat): void {
  const bytes = (subscribedTopicNames ?? []).reduce((sum, name) => sum + name.length, 0);
  if (bytes > mostSubscriptionBytes) throw new ProtocolError('POLICY_VIOLATION', 'The subscription is too large.');
  if (serverAssignor !== null && !Object.hasOwn(assignors, serverAssignor))
    throw new ProtocolError('UNSUPPORTED_ASSIGNOR', `The assignors are ${Object.keys(assignors).join(' and ')}.`);
  if (subscribedTopicRegex) patternOf(subscribedTopicRegex);
}

function patternOf(text: string): Pattern {
  try {
    return compilePattern(text);
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    throw new ProtocolError('INVALID_REGULAR_EXPRESSION', `${text} is not a valid regular expression.`);
  }
}
