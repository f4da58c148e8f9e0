// All groups of a cluster. A group id belongs to one protocol as long as the group has members; an empty group may
// change. A group without members exists as long as it has committed offsets.
import { ProtocolError } from '../wire/errors.ts';
import { ClassicGroup, type ClassicSettings, type Identity } from './classic-group.ts';
import { ConsumerGroup, type ConsumerSettings } from './consumer-group.ts';
import type { Offsets } from './offsets.ts';

export type Group = ClassicGroup | ConsumerGroup;

export interface GroupsOptions {
  classic: ClassicSettings;
  consumer: ConsumerSettings;
  offsets: Offsets;
  nowMs(): number;
  offsetsRetentionMs: number;
}

const mostGroups = 10_000;
const mostMemberBytes = 32 * 1024 * 1024; // of what members send with their requests to join, in all groups

export const shortestSessionMs = 6_000;
export const longestSessionMs = 1_800_000;

export class Groups {
  readonly #options: GroupsOptions;
  readonly #groups = new Map<string, Group>();
  readonly #startMs: number; // members from before it are not known

  constructor(options: GroupsOptions) {
    this.#options = options;
    this.#startMs = options.nowMs();
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

  // For a request of a member, which must be of this protocol.
  classic(id: string): ClassicGroup {
    const group = this.#groups.get(id);
    if (!(group instanceof ClassicGroup)) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    return group;
  }

  // `bytes`: of the protocols that the member offers.
  classicForJoin(id: string, bytes = 0): ClassicGroup {
    const group = this.#groups.get(checked(id));
    if (bytes > mostMemberBytes / 100 && bytes + this.#memberBytes() > mostMemberBytes)
      throw new ProtocolError('POLICY_VIOLATION', 'The members of the groups of this cluster take too much memory.');
    if (group instanceof ClassicGroup) return group;
    if (group && !group.isEmpty) throw new ProtocolError('INCONSISTENT_GROUP_PROTOCOL');
    if (!group) this.#checkCount(id);
    const fresh = new ClassicGroup(id, this.#options.classic);
    this.#groups.set(id, fresh);
    return fresh;
  }

  consumer(id: string, isJoining: boolean): ConsumerGroup {
    const group = this.#groups.get(checked(id));
    if (group instanceof ConsumerGroup) return group;
    if (group && !group.isEmpty) throw new ProtocolError('GROUP_ID_NOT_FOUND', `Group ${id} is not a consumer group.`);
    if (!isJoining) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (!group) this.#checkCount(id);
    group?.close();
    const fresh = new ConsumerGroup(id, this.#options.consumer);
    this.#groups.set(id, fresh);
    return fresh;
  }

  // Who may commit: members of the present generation, and anybody while the group has no members.
  checkCommit(id: string, identity: Identity): void {
    const { memberId, generationId } = identity;
    const group = this.#groups.get(checked(id));
    if (!group) this.#checkCount(id);
    if (generationId < 0 && memberId === '') {
      if (group && group.members.size > 0) throw new ProtocolError('UNKNOWN_MEMBER_ID');
      return;
    }
    if (!group) throw new ProtocolError('ILLEGAL_GENERATION');
    if (group instanceof ConsumerGroup) group.check(memberId, generationId);
    else group.checkCommit(identity);
  }

  #checkCount(id: string): void {
    const { offsets } = this.#options;
    if (offsets.has(id) || Math.max(this.#groups.size, offsets.groupCount) < mostGroups) return;
    throw new ProtocolError('POLICY_VIOLATION', `A cluster has at most ${mostGroups} groups: delete some first.`);
  }

  #memberBytes(): number {
    let sum = 0;
    for (const group of this.#groups.values())
      if (group instanceof ClassicGroup)
        for (const { request } of group.members.values())
          for (const { metadata } of request.protocols) sum += metadata.length;
    return sum;
  }

  async delete(id: string): Promise<void> {
    const group = this.#groups.get(id);
    if (!this.has(id)) throw new ProtocolError('GROUP_ID_NOT_FOUND');
    if (group && !group.isEmpty) throw new ProtocolError('NON_EMPTY_GROUP');
    group?.close();
    this.#groups.delete(id);
    await this.#options.offsets.deleteGroup(id);
  }

  // Drops empty groups, and offsets that nobody used for long: those of a member count as used, however old they are.
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
