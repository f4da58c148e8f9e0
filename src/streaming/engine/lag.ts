// Computes the lag of a group, the same for all engines.
import type { GroupFacts } from './engine.ts';

export interface PartitionOffsets {
  topic: string;
  partition: number;
  first: number;
  end: number; // one past the last readable record
}

// `committed`: by topic/partition; -1 means none, as in the protocol. Topics without any commit do not belong to the
// group. A partition of its topics without a commit counts from its first record: a consumer that starts at the
// beginning still has to read all of it.
export function lagOf(committed: ReadonlyMap<string, number>, offsets: readonly PartitionOffsets[]): GroupFacts['lag'] {
  const commitOf = ({ topic, partition }: PartitionOffsets): number => committed.get(`${topic}/${partition}`) ?? -1;
  const used = new Set(offsets.filter((one) => commitOf(one) >= 0).map(({ topic }) => topic));
  const lag = new Map<string, number>();
  for (const one of offsets) {
    const { topic, first, end } = one;
    if (!used.has(topic)) continue;
    const offset = Math.max(commitOf(one), first); // records deleted by retention do not count
    lag.set(topic, (lag.get(topic) ?? 0) + Math.max(0, end - offset));
  }
  return [...lag].map(([topic, records]) => ({ topic, records }));
}
