// The committed offsets of groups, in memory and in the key-value log. The broker acknowledges and returns an offset
// only after it is written, so offsets never go back. Offsets inside a transaction wait until it is committed.
import type { KeyValueLog } from '../log/key-value-log.ts';

export interface Committed {
  offset: number;
  leaderEpoch: number;
  metadata: string;
  commitMs: number;
}

export interface OffsetCommit extends Committed {
  topic: string;
  partition: number;
}

const prefix = 'offset/';
const keyOf = (group: string, topic: string, partition: number): string =>
  `${prefix}${JSON.stringify([group, topic, partition])}`;

export class Offsets {
  readonly #state: KeyValueLog;
  readonly #groups = new Map<string, Map<string, OffsetCommit>>();
  readonly #pending = new Map<number, Map<string, OffsetCommit[]>>(); // by producer id, then by group

  constructor(state: KeyValueLog) {
    this.#state = state;
    for (const [key, value] of state.entries(prefix)) {
      const [group, topic, partition] = JSON.parse(key) as [string, string, number];
      this.#remember(group, { ...(value as Committed), topic, partition });
    }
  }

  get groups(): string[] {
    return [...this.#groups.keys()];
  }

  get groupCount(): number {
    return this.#groups.size;
  }

  has(group: string): boolean {
    return this.#groups.has(group);
  }

  of(group: string): OffsetCommit[] {
    return [...(this.#groups.get(group)?.values() ?? [])];
  }

  find(group: string, topic: string, partition: number): OffsetCommit | undefined {
    return this.#groups.get(group)?.get(`${partition}/${topic}`);
  }

  // Returns whether an undecided transaction has an offset of this partition.
  isUnstable(group: string, topic: string, partition: number): boolean {
    for (const groups of this.#pending.values())
      if (groups.get(group)?.some((one) => one.topic === topic && one.partition === partition)) return true;
    return false;
  }

  async commit(group: string, commits: OffsetCommit[]): Promise<void> {
    await this.#state.put(
      commits.map(({ topic, partition, ...committed }) => [keyOf(group, topic, partition), committed]),
    );
    for (const commit of commits) this.#remember(group, commit); // readers see only what is written
  }

  #remember(group: string, commit: OffsetCommit): void {
    const offsets = this.#groups.get(group) ?? new Map<string, OffsetCommit>();
    offsets.set(`${commit.partition}/${commit.topic}`, commit);
    this.#groups.set(group, offsets);
  }

  async delete(group: string, partitions: { topic: string; partition: number }[]): Promise<void> {
    await this.#state.put(partitions.map(({ topic, partition }) => [keyOf(group, topic, partition), null]));
    const offsets = this.#groups.get(group); // in the order of the writes, so after earlier commits
    for (const { topic, partition } of partitions) offsets?.delete(`${partition}/${topic}`);
    if (offsets?.size === 0) this.#groups.delete(group);
  }

  deleteGroup(group: string): Promise<void> {
    return this.delete(group, this.of(group));
  }

  async deleteTopic(topic: string): Promise<void> {
    for (const group of this.groups) {
      const gone = this.of(group).filter((one) => one.topic === topic);
      if (gone.length > 0) await this.delete(group, gone);
    }
  }

  // They are also in the transaction's own record, which restores them after a restart.
  prepare(producerId: number, group: string, commits: OffsetCommit[]): void {
    const groups = this.#pending.get(producerId) ?? new Map<string, OffsetCommit[]>();
    groups.set(group, [...(groups.get(group) ?? []), ...commits]);
    this.#pending.set(producerId, groups);
  }

  async decide(producerId: number, committed: boolean): Promise<void> {
    const groups = this.#pending.get(producerId);
    if (committed) for (const [group, commits] of groups ?? []) await this.commit(group, commits);
    this.#pending.delete(producerId);
  }
}
