// All groups of a cluster. An empty group may change its protocol, and so may one with consumers, in both directions
// (mixed-group.ts). A group without members exists while it has committed offsets.
import type { KeyValueLog } from '../log/key-value-log.ts';
import { ProtocolError } from '../wire/errors.ts';
import { ClassicGroup, type ClassicSettings, type Identity } from './classic-group.ts';
import { ConsumerGroup, type ConsumerSettings } from './consumer-group.ts';
import { type Group, GroupStore } from './group-store.ts';
import { downgrade, upgrade } from './mixed-group.ts';
import type { Offsets } from './offsets.ts';

export interface GroupsOptions {
  classic: ClassicSettings;
  consumer: ConsumerSettings;
  state: KeyValueLog;
  offsets: Offsets;
  nowMs(): number;
  offsetsRetentionMs: number;
}

const mostGroups = 10_000;
const mostMemberBytes = 32 * 1024 * 1024; // limit for the content of join requests, in all groups together

export const shortestSessionMs = 6_000;
export const longestSessionMs = 1_800_000;

export class Groups {
  readonly #options: GroupsOptions;
  readonly #groups = new Map<string, Group>();
  readonly #store: GroupStore;
  readonly #startMs: number;

  constructor(options: GroupsOptions) {
    const store = new GroupStore(options.state);
    const onChange = (group: Group): void => store.note(group);
    const onClassicOnly = (group: ConsumerGroup): void => this.#downgrade(group);
    this.#store = store;
    this.#options = {
      ...options,
      classic: { ...options.classic, onChange },
      consumer: { ...options.consumer, onChange, onClassicOnly },
    };
    this.#startMs = options.nowMs();
    for (const { id, group, members } of store.load()) {
      if (group.type === 'classic') this.#newClassic(id).restore(group);
      else this.#newConsumer(id).restore(group, members);
    }
  }

  #newClassic(id: string): ClassicGroup {
    const group = new ClassicGroup(id, this.#options.classic);
    this.#groups.set(id, group);
    return group;
  }

  #newConsumer(id: string): ConsumerGroup {
    const group = new ConsumerGroup(id, this.#options.consumer);
    this.#groups.set(id, group);
    return group;
  }

  // Resolves when the state of the group that the client is about to see is stored.
  written(id: string): Promise<void> {
    return this.#store.written(id);
  }

  get ids(): string[] {
    return [...new Set([...this.#groups.keys(), ...this.#options.offsets.groups])];
  }

  has(id: string): boolean {
    return this.#groups.has(id) || this.#options.offsets.has(id);
  }

  find(id: string): Group | undefined {
    return this.#groups.get(id);
  }

  // Finds the group for a request of the classic protocol. Groups of the other protocol may have such members, too.
  classic(id: string): Group {
    const group = this.#groups.get(id);
    if (!group) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    return group;
  }

  // `bytes`: of the protocols that the member offers.
  classicForJoin(id: string, bytes = 0): Group {
    const group = this.#groups.get(checked(id));
    if (bytes > mostMemberBytes / 100 && bytes + this.#memberBytes() > mostMemberBytes)
      throw new ProtocolError('POLICY_VIOLATION', 'The members of the groups of this cluster take too much memory.');
    if (group && (group instanceof ClassicGroup || !group.isEmpty)) return group;
    if (!group) this.#checkCount(id);
    return this.#newClassic(id);
  }

  consumer(id: string, isJoining: boolean): ConsumerGroup {
    const group = this.#groups.get(checked(id));
    if (group instanceof ConsumerGroup) return group;
    if (!isJoining) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (!group) this.#checkCount(id);
    const fresh = new ConsumerGroup(id, this.#options.consumer);
    if (group && group.members.size > 0) upgrade(group, fresh);
    group?.close(new ProtocolError('REBALANCE_IN_PROGRESS'));
    this.#groups.set(id, fresh);
    return fresh;
  }

  // Called after a failed request: the group may have been upgraded for a member that was then refused.
  settle(id: string): void {
    const group = this.#groups.get(id);
    if (group instanceof ConsumerGroup && group.isClassicOnly) this.#downgrade(group);
  }

  #downgrade(group: ConsumerGroup): void {
    downgrade(group, this.#newClassic(group.id));
  }

  // Members of the current generation may commit, and any client while the group has no members.
  checkCommit(id: string, identity: Identity): void {
    const { memberId, generationId } = identity;
    const group = this.#groups.get(checked(id));
    if (!group) this.#checkCount(id);
    if (generationId < 0 && memberId === '') {
      if (group && group.members.size > 0) throw new ProtocolError('UNKNOWN_MEMBER_ID');
      return;
    }
    if (!group) throw new ProtocolError('ILLEGAL_GENERATION');
    if (group instanceof ConsumerGroup) group.check(identity);
    else group.checkCommit(identity);
  }

  #checkCount(id: string): void {
    const { offsets } = this.#options;
    if (offsets.has(id) || Math.max(this.#groups.size, offsets.groupCount) < mostGroups) return;
    throw new ProtocolError('POLICY_VIOLATION', `A cluster has at most ${mostGroups} groups. Delete some first.`);
  }

  #memberBytes(): number {
    let sum = 0;
    for (const group of this.#groups.values())
      for (const member of group.members.values()) {
        const protocols = 'request' in member ? member.request.protocols : (member.classic?.protocols ?? []);
        for (const { metadata } of protocols) sum += metadata.length;
      }
    return sum;
  }

  async delete(id: string): Promise<void> {
    const group = this.#groups.get(id);
    if (!this.has(id)) throw new ProtocolError('GROUP_ID_NOT_FOUND');
    if (group && !group.isEmpty) throw new ProtocolError('NON_EMPTY_GROUP');
    group?.close();
    this.#groups.delete(id);
    await this.#store.delete(id);
    await this.#options.offsets.deleteGroup(id);
  }

  // Drops empty groups and long unused offsets: those of a group with members count as used, however old they are.
  async expire(): Promise<void> {
    const { offsets, nowMs, offsetsRetentionMs } = this.#options;
    for (const id of this.ids) {
      const group = this.#groups.get(id);
      if (group && !group.isEmpty) continue;
      const sinceMs = group?.emptySinceMs ?? this.#startMs;
      const isExpired = (usedMs: number): boolean => nowMs() - Math.max(usedMs, sinceMs) > offsetsRetentionMs;
      const expired = offsets.of(id).filter(({ commitMs }) => isExpired(commitMs));
      if (expired.length > 0) await offsets.delete(id, expired);
      if (offsets.of(id).length > 0 || !group) continue;
      group.close();
      this.#groups.delete(id);
      await this.#store.delete(id);
    }
  }

  close(): void {
    for (const group of this.#groups.values()) group.close();
  }
}

function checked(id: string): string {
  if (id === '') throw new ProtocolError('INVALID_GROUP_ID');
  return id;
}
