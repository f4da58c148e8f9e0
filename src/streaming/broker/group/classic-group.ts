// A classic consumer group: members join, the leader among them computes the assignment, and all of them sync. A
// rebalance waits until every member has joined again, at most for the longest rebalance timeout. A member whose
// session expires is removed. The group is stored when a rebalance ends, so a restart continues with the same members.
import { randomText } from '../../../base/ids.ts';
import { ProtocolError } from '../wire/errors.ts';
import {
  ClassicMember,
  classicMemberFrom,
  type JoinRequest,
  type JoinResponse,
  type StoredClassicMember,
  type SyncResponse,
  storedClassicMemberOf,
} from './classic-member.ts';
import type { Timers } from './timers.ts';

export type ClassicState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead';

export interface Identity {
  memberId: string;
  generationId: number;
  groupInstanceId: string | null;
}

export interface ClassicSettings {
  timers: Timers;
  nowMs(): number;
  initialDelayMs: number; // how long an empty group waits for more members
  mostMembers: number;
  onChange?(group: ClassicGroup): void; // the stored part has changed
}

export interface StoredClassicGroup {
  type: 'classic';
  generation: number;
  protocolType: string;
  protocol: string;
  leader: string;
  emptySinceMs: number;
  isRebalancing: boolean; // its members have to rejoin
  members: StoredClassicMember[];
}

export class ClassicGroup {
  readonly id: string;
  readonly members = new Map<string, ClassicMember>();
  state: ClassicState = 'Empty';
  generation = 0;
  protocolType = '';
  protocol = '';
  leader = '';
  emptySinceMs: number; // if it is empty: when it lost its last member or was created
  readonly #settings: ClassicSettings;
  readonly #promised = new Map<string, () => void>(); // ids given to clients that have not joined with them yet
  #cancelRebalance: () => void = () => {};
  #isInitial = false;

  constructor(id: string, settings: ClassicSettings) {
    this.id = id;
    this.#settings = settings;
    this.emptySinceMs = settings.nowMs();
  }

  // Restarts all sessions: members could not send heartbeats while the broker was down.
  restore({ type: _, isRebalancing, members, ...facts }: StoredClassicGroup): void {
    Object.assign(this, facts);
    for (const stored of members) this.members.set(stored.id, classicMemberFrom(stored, this));
    this.state = members.length === 0 ? 'Empty' : 'Stable';
    for (const member of this.members.values()) this.#touch(member);
    if (isRebalancing) this.#prepare();
  }

  get stored(): StoredClassicGroup {
    const { generation, protocolType, protocol, leader, emptySinceMs } = this;
    const members = [...this.members.values()].map((member) => storedClassicMemberOf(member, protocol));
    const isRebalancing = this.state !== 'Stable' && members.length > 0;
    return { type: 'classic', generation, protocolType, protocol, leader, emptySinceMs, isRebalancing, members };
  }

  // Takes members over from a group of the other protocol: they have to rejoin.
  takeOver(members: ClassicMember[], generation: number, protocolType: string): void {
    for (const member of members) this.members.set(member.id, member);
    Object.assign(this, { generation, protocolType, leader: members[0]?.id ?? '', state: 'Stable' });
    this.protocol = this.#vote();
    for (const member of members) this.#touch(member);
    this.#settings.onChange?.(this);
    this.#prepare();
  }

  // The protocol that the members use, or would use.
  get chosenProtocol(): string {
    return this.protocol || this.#vote();
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.#promised.size === 0;
  }

  join(request: JoinRequest): Promise<JoinResponse> {
    if (!this.#accepts(request)) throw new ProtocolError('INCONSISTENT_GROUP_PROTOCOL');
    const member = this.#admit(request);
    if (this.state === 'Dead') throw new ProtocolError('UNKNOWN_MEMBER_ID');
    const isUnchanged = member.hasSameProtocols(request);
    const isKnown = member.request !== request;
    member.request = request;
    if (isKnown && isUnchanged) {
      const isFollower = this.state === 'Stable' && this.leader !== member.id;
      // The leader assigns partitions to the ids that it received, and a static member may just have got a new one.
      const isBeingDivided = this.state === 'CompletingRebalance' && member.id === request.memberId;
      if (isBeingDivided || isFollower) return Promise.resolve(this.#joined(member));
    }
    const answer = member.waitForJoin();
    member.cancelSession();
    if (this.state !== 'PreparingRebalance') this.#prepare();
    else this.#completeIfAllJoined();
    return answer;
  }

  // Returns the member that a request is for: a known one or a new one.
  #admit(request: JoinRequest): ClassicMember {
    const { memberId, groupInstanceId } = request;
    const sameInstance = groupInstanceId === null ? undefined : this.#instance(groupInstanceId);
    if (memberId !== '') {
      const known = this.members.get(memberId);
      if (sameInstance && sameInstance.id !== memberId) throw new ProtocolError('FENCED_INSTANCE_ID');
      if (known) return known;
      if (!this.#promised.has(memberId)) throw new ProtocolError('UNKNOWN_MEMBER_ID');
      this.#forget(memberId);
      return this.#add(memberId, request);
    }
    const newId = `${groupInstanceId ?? request.clientId}-${randomText(16)}`;
    if (sameInstance) return this.#replace(sameInstance, newId, request);
    if (groupInstanceId === null && request.needsMemberId) {
      this.#checkRoom(this.members.size + this.#promised.size);
      this.#promised.set(
        newId,
        this.#settings.timers.after(request.sessionTimeoutMs, () => this.#forget(newId)),
      );
      throw new MemberIdRequired(newId);
    }
    return this.#add(newId, request);
  }

  #add(id: string, request: JoinRequest): ClassicMember {
    this.#checkRoom(this.members.size);
    const member = new ClassicMember(id, request);
    if (this.members.size === 0) this.leader = id;
    this.members.set(id, member);
    this.protocolType = request.protocolType;
    return member;
  }

  #checkRoom(taken: number): void {
    if (taken >= this.#settings.mostMembers) throw new ProtocolError('GROUP_MAX_SIZE_REACHED');
  }

  // Replaces a static member that rejoined under a new id: the old id is fenced. If nothing changed, no member has to
  // rebalance.
  #replace(old: ClassicMember, id: string, request: JoinRequest): ClassicMember {
    const member = new ClassicMember(id, old.request);
    member.assignment = old.assignment;
    member.hasSynced = old.hasSynced;
    old.cancelSession();
    old.refuse(new ProtocolError('FENCED_INSTANCE_ID'));
    this.members.delete(old.id);
    this.members.set(id, member);
    if (this.leader === old.id) this.leader = id;
    if (this.state === 'Stable' && member.hasSameProtocols(request)) {
      this.#touch(member);
      this.#settings.onChange?.(this);
    }
    return member;
  }

  #instance(instanceId: string): ClassicMember | undefined {
    return [...this.members.values()].find((member) => member.instanceId === instanceId);
  }

  #forget(promisedId: string): void {
    this.#promised.get(promisedId)?.();
    this.#promised.delete(promisedId);
    if (this.state === 'PreparingRebalance') this.#completeIfAllJoined();
  }

  // A client that supports none of the protocols that all members support can't join.
  #accepts({ protocolType, protocols, memberId }: JoinRequest): boolean {
    if (protocols.length === 0 || protocolType === '') return false;
    const others = [...this.members.values()].filter(({ id }) => id !== memberId);
    if (others.length === 0) return true;
    const common = this.#commonProtocols(others);
    return protocolType === this.protocolType && protocols.some(({ name }) => common.has(name));
  }

  #commonProtocols(members: ClassicMember[]): Set<string> {
    const names = members.map(({ request }) => new Set(request.protocols.map(({ name }) => name)));
    return names.reduce((common, others) => common.intersection(others));
  }

  #prepare(): void {
    for (const member of this.members.values()) {
      member.syncing?.reject(new ProtocolError('REBALANCE_IN_PROGRESS'));
      member.syncing = undefined;
    }
    this.#isInitial = this.state === 'Empty';
    this.state = 'PreparingRebalance';
    this.#cancelRebalance();
    const { timers, initialDelayMs } = this.#settings;
    const longest = Math.max(...[...this.members.values()].map(({ request }) => request.rebalanceTimeoutMs));
    const waitMs = this.#isInitial ? Math.min(initialDelayMs, longest) : longest;
    this.#cancelRebalance = timers.after(waitMs, () => this.#complete());
    if (!this.#isInitial) this.#completeIfAllJoined();
  }

  #completeIfAllJoined(): void {
    const isMissing = [...this.members.values()].some(({ joining }) => !joining);
    if (!this.#isInitial && !isMissing && this.#promised.size === 0) this.#complete();
  }

  // Members that did not rejoin are removed, except static ones, which have until the end of their session.
  #complete(): void {
    this.#cancelRebalance();
    this.#isInitial = false;
    for (const member of [...this.members.values()])
      if (!member.joining && member.instanceId === null) this.#drop(member, new ProtocolError('UNKNOWN_MEMBER_ID'));
    this.generation++;
    if (this.members.size === 0) {
      this.state = 'Empty';
      this.protocol = '';
      this.#settings.onChange?.(this);
      return;
    }
    const joined = [...this.members.values()].filter(({ joining }) => joining);
    if (!joined.some(({ id }) => id === this.leader))
      this.leader = (joined[0] ?? [...this.members.values()][0])?.id ?? '';
    this.protocol = this.#vote();
    this.state = 'CompletingRebalance';
    for (const member of joined) {
      member.hasSynced = false;
      member.joining?.resolve(this.#joined(member));
      member.joining = undefined;
      this.#touch(member);
    }
    const longest = Math.max(...joined.map(({ request }) => request.rebalanceTimeoutMs));
    this.#cancelRebalance = this.#settings.timers.after(longest, () => this.#dropUnsynced());
  }

  // Each member votes for its first protocol that all members support.
  #vote(): string {
    const members = [...this.members.values()];
    const common = this.#commonProtocols(members);
    const votes = members.map(({ request }) => request.protocols.find(({ name }) => common.has(name))?.name ?? '');
    const counted = [...Map.groupBy(votes, (name) => name)].toSorted(([, a], [, b]) => b.length - a.length);
    return counted[0]?.[0] ?? '';
  }

  #dropUnsynced(): void {
    const silent = [...this.members.values()].filter(({ hasSynced }) => !hasSynced);
    for (const member of silent) this.#remove(member, new ProtocolError('UNKNOWN_MEMBER_ID'));
  }

  #joined(member: ClassicMember): JoinResponse {
    const { generation: generationId, protocolType, protocol: protocolName, leader } = this;
    const members = [...this.members.values()].map((one) => ({
      memberId: one.id,
      groupInstanceId: one.instanceId,
      metadata: one.metadataFor(protocolName),
    }));
    const known = member.id === leader ? members : [];
    return { generationId, protocolType, protocolName, leader, memberId: member.id, members: known };
  }

  sync(identity: Identity, assignments: { memberId: string; assignment: Buffer }[]): Promise<SyncResponse> {
    const member = this.check(identity);
    if (this.state === 'PreparingRebalance') throw new ProtocolError('REBALANCE_IN_PROGRESS');
    member.hasSynced = true;
    this.#touch(member);
    if (this.state === 'Stable') return Promise.resolve(this.#synced(member));
    const answer = member.waitForSync();
    if (member.id === this.leader) this.#divide(assignments);
    return answer;
  }

  #divide(assignments: { memberId: string; assignment: Buffer }[]): void {
    this.state = 'Stable';
    const byMember = new Map(assignments.map(({ memberId, assignment }) => [memberId, assignment]));
    for (const member of this.members.values()) {
      member.assignment = byMember.get(member.id) ?? Buffer.alloc(0);
      member.syncing?.resolve(this.#synced(member));
      member.syncing = undefined;
    }
    this.#settings.onChange?.(this);
  }

  #synced({ assignment }: ClassicMember): SyncResponse {
    return { protocolType: this.protocolType, protocolName: this.protocol, assignment };
  }

  heartbeat(identity: Identity): void {
    const member = this.check(identity);
    this.#touch(member);
    if (this.state === 'PreparingRebalance') throw new ProtocolError('REBALANCE_IN_PROGRESS');
  }

  leave({ memberId, groupInstanceId }: { memberId: string; groupInstanceId: string | null }): void {
    if (this.#promised.has(memberId)) {
      this.#forget(memberId);
      return;
    }
    const member = groupInstanceId === null ? this.members.get(memberId) : this.#instance(groupInstanceId);
    if (!member) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (memberId !== '' && member.id !== memberId) throw new ProtocolError('FENCED_INSTANCE_ID');
    this.#remove(member, new ProtocolError('UNKNOWN_MEMBER_ID'));
  }

  // A commit counts as a heartbeat.
  checkCommit(identity: Identity): void {
    this.#touch(this.check(identity));
  }

  // Throws unless the request comes from a member of this generation.
  check({ memberId, generationId, groupInstanceId }: Identity): ClassicMember {
    const sameInstance = groupInstanceId === null ? undefined : this.#instance(groupInstanceId);
    if (sameInstance && sameInstance.id !== memberId) throw new ProtocolError('FENCED_INSTANCE_ID');
    const member = this.members.get(memberId);
    if (!member) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (generationId !== this.generation) throw new ProtocolError('ILLEGAL_GENERATION');
    return member;
  }

  #touch(member: ClassicMember): void {
    member.cancelSession();
    const { timers } = this.#settings;
    member.cancelSession = timers.after(member.request.sessionTimeoutMs, () => {
      if (!member.joining) this.#remove(member, new ProtocolError('UNKNOWN_MEMBER_ID'));
    });
  }

  #drop(member: ClassicMember, reason: ProtocolError): void {
    member.cancelSession();
    member.refuse(reason);
    this.members.delete(member.id);
    this.emptySinceMs = this.#settings.nowMs();
    if (this.leader === member.id) this.leader = [...this.members.keys()][0] ?? '';
  }

  #remove(member: ClassicMember, reason: ProtocolError): void {
    if (this.members.get(member.id) !== member) return;
    this.#drop(member, reason);
    if (this.state === 'PreparingRebalance') this.#completeIfAllJoined();
    else if (this.state !== 'Dead' && this.members.size > 0) this.#prepare();
    else if (this.state !== 'Dead') this.#complete();
  }

  // Cancels all timers and rejects all waiting requests.
  close(reason = new ProtocolError('COORDINATOR_NOT_AVAILABLE')): void {
    this.state = 'Dead';
    this.#cancelRebalance();
    for (const cancel of this.#promised.values()) cancel();
    for (const member of [...this.members.values()]) this.#drop(member, reason);
  }
}

export class MemberIdRequired extends ProtocolError {
  readonly memberId: string;

  constructor(memberId: string) {
    super('MEMBER_ID_REQUIRED');
    this.memberId = memberId;
  }
}
