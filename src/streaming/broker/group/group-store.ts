// Stores groups in the key-value log: one row for each group, and one for each member of the consumer group protocol.
// Changes of one turn are written together, and a request is answered after the changes of its group are written.
import type { KeyValueLog } from '../log/key-value-log.ts';
import type { Change } from '../log/key-value-records.ts';
import { ClassicGroup, type StoredClassicGroup } from './classic-group.ts';
import type { ConsumerGroup, StoredConsumerGroup } from './consumer-group.ts';
import { type StoredMember, storedMemberOf } from './consumer-member.ts';

export type Group = ClassicGroup | ConsumerGroup;
export type StoredGroup = StoredClassicGroup | StoredConsumerGroup;

export const groupPrefix = 'group/';
export const memberPrefix = 'group-member/';
const memberKey = (group: string, member: string): string => `${memberPrefix}${JSON.stringify([group, member])}`;
// A larger classic group is kept only in memory, so its members rejoin after a restart. Apache Kafka refuses such a
// group.
const mostStoredBytes = 1024 * 1024;

export class GroupStore {
  readonly #state: KeyValueLog;
  readonly #members = new Map<string, Set<string>>(); // members that have a row, by group
  readonly #dirty = new Set<Group>();
  readonly #writing = new Map<string, Promise<void>>();

  constructor(state: KeyValueLog) {
    this.#state = state;
  }

  *load(): Generator<{ id: string; group: StoredGroup; members: StoredMember[] }> {
    const members = new Map<string, StoredMember[]>();
    for (const [key, value] of this.#state.entries(memberPrefix)) {
      const [group, member] = JSON.parse(key) as [string, string];
      members.set(group, [...(members.get(group) ?? []), value as StoredMember]);
      this.#rowsOf(group).add(member);
    }
    for (const [id, group] of this.#state.entries(groupPrefix))
      yield { id, group: group as StoredGroup, members: members.get(id) ?? [] };
  }

  #rowsOf(group: string): Set<string> {
    const rows = this.#members.get(group) ?? new Set<string>();
    this.#members.set(group, rows);
    return rows;
  }

  // Timers change groups as well, so a change is written even if no request waits for it.
  note(group: Group): void {
    if (this.#dirty.size === 0) queueMicrotask(() => this.#flush());
    this.#dirty.add(group);
  }

  // Resolves when all changes of the group are written.
  async written(id: string): Promise<void> {
    this.#flush();
    await this.#writing.get(id);
  }

  #flush(): void {
    const groups = [...this.#dirty];
    this.#dirty.clear();
    for (const group of groups) {
      const writing = this.#state.put(this.#rowsFor(group));
      this.#writing.set(group.id, writing);
      const settle = (): void => {
        if (this.#writing.get(group.id) === writing) this.#writing.delete(group.id);
      };
      writing.then(settle, settle);
    }
  }

  #rowsFor(group: Group): Change[] {
    const rows = this.#rowsOf(group.id);
    if (group instanceof ClassicGroup) {
      const gone = [...rows].map((id): Change => [memberKey(group.id, id), null]);
      rows.clear();
      return [[`${groupPrefix}${group.id}`, isSmall(group) ? group.stored : null], ...gone];
    }
    const changes: Change[] = [[`${groupPrefix}${group.id}`, group.stored]];
    for (const id of group.changed) {
      const member = group.members.get(id);
      if (member) rows.add(id);
      else if (!rows.delete(id)) continue;
      changes.push([memberKey(group.id, id), member ? storedMemberOf(member) : null]);
    }
    group.changed.clear();
    return changes;
  }

  async delete(id: string): Promise<void> {
    for (const group of this.#dirty) if (group.id === id) this.#dirty.delete(group);
    const rows = [...this.#rowsOf(id)].map((member): Change => [memberKey(id, member), null]);
    this.#members.delete(id);
    await this.#state.put([[`${groupPrefix}${id}`, null], ...rows]);
  }
}

function isSmall({ members, protocol }: ClassicGroup): boolean {
  let bytes = 0;
  for (const member of members.values()) bytes += member.metadataFor(protocol).length + member.assignment.length;
  return bytes <= mostStoredBytes;
}
