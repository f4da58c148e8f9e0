// How far a group is behind, the same for all engines.
import type { GroupFacts } from './engine.ts';

export interface PartitionOffsets {
  topic: string;
  partition: number;
  first: number;
  end: number; // one past the last record that can be read
}

// `committed`: by topic/partition; -1 is none, as the protocol has it. Topics of which nothing is committed are not the
// group's. A partition of the others without a commit counts from its first record: a consumer that reads from the
// beginning has all of it before it.
export function lagOf(committed: ReadonlyMap<string, number>, offsets: readonly PartitionOffsets[]): GroupFacts['lag'] {
  const commitOf = ({ topic, partition }: PartitionOffsets): number => committed.get(`${topic}/${partition}`) ?? -1;
  const used = new Set(offsets.filter((one) => commitOf(one) >= 0).map(({ topic }) => topic));
  const lag = new Map<string, number>();
  for (const one of offsets) {
    const { topic, first, end } = one;
    if (!used.has(topic)) continue;
    const offset = Math.max(commitOf(one), first); // what retention took away is nobody's work any more
    lag.set(topic, (lag.get(topic) ?? 0) + Math.max(0, end - offset));
  }
  return [...lag].map(([topic, records]) => ({ topic, records }));
}
