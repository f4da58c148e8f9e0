// Partitions of topics as the consumer group protocol assigns them to members: sets of `topic id:partition`. The
// broker's two assignors give each subscribed member its share and keep existing assignments where they can.

export type PartitionSet = Set<string>;

export interface TopicPartitions {
  topicId: string;
  partitions: number[];
}

export interface Subscriber {
  id: string;
  topicIds: Set<string>;
  owned: PartitionSet; // what it was assigned so far
}

// Topic id to number of partitions.
export type TopicSizes = Map<string, number>;

export type Assignor = (members: Subscriber[], topics: TopicSizes) => Map<string, PartitionSet>;

const keyOf = (topicId: string, partition: number): string => `${topicId}:${partition}`;

export const toSet = (topics: TopicPartitions[]): PartitionSet =>
  new Set(topics.flatMap(({ topicId, partitions }) => partitions.map((partition) => keyOf(topicId, partition))));

export function toTopics(set: PartitionSet): TopicPartitions[] {
  const topics = new Map<string, number[]>();
  for (const key of set) {
    const [topicId = '', partition] = key.split(':');
    topics.set(topicId, [...(topics.get(topicId) ?? []), Number(partition)]);
  }
  return [...topics].map(([topicId, partitions]) => ({ topicId, partitions: partitions.toSorted((a, b) => a - b) }));
}

// Gives every member about the same number of partitions.
const assignUniform: Assignor = (members, topics) => {
  const assigned = new Map(members.map(({ id }): [string, PartitionSet] => [id, new Set()]));
  const fairShare = Math.ceil(
    [...topics.values()].reduce((sum, count) => sum + count, 0) / Math.max(members.length, 1),
  );
  const open = new Set(
    [...topics].flatMap(([topicId, count]) => Array.from({ length: count }, (_, at) => keyOf(topicId, at))),
  );
  for (const { id, owned, topicIds } of members) {
    const mine = assigned.get(id) as PartitionSet;
    for (const key of owned) {
      if (mine.size >= fairShare || !open.has(key) || !topicIds.has(key.slice(0, 32))) continue;
      mine.add(key);
      open.delete(key);
    }
  }
  for (const key of open) {
    const able = members.filter(({ topicIds }) => topicIds.has(key.slice(0, 32)));
    const sizes = able.map(({ id }) => (assigned.get(id) as PartitionSet).size);
    const least = able[sizes.indexOf(Math.min(...sizes))];
    if (least) assigned.get(least.id)?.add(key);
  }
  return evenOut(members, assigned);
};

// Moves partitions from members that have at least two more than another member that could take them.
function evenOut(members: Subscriber[], assigned: Map<string, PartitionSet>): Map<string, PartitionSet> {
  const sizeOf = ({ id }: Subscriber): number => (assigned.get(id) as PartitionSet).size;
  for (let moved = true; moved; ) {
    moved = false;
    const bySize = members.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    for (const poor of bySize) {
      const rich = bySize.findLast(
        (one) =>
          sizeOf(one) > sizeOf(poor) + 1 &&
          [...(assigned.get(one.id) as PartitionSet)].some((key) => poor.topicIds.has(key.slice(0, 32))),
      );
      if (!rich) continue;
      const from = assigned.get(rich.id) as PartitionSet;
      const key = [...from].findLast((one) => poor.topicIds.has(one.slice(0, 32))) as string;
      from.delete(key);
      assigned.get(poor.id)?.add(key);
      moved = true;
      break;
    }
  }
  return assigned;
}

// Gives every member a range of adjacent partitions of each topic, so one member gets the same partition numbers of
// different topics.
const assignRange: Assignor = (members, topics) => {
  const assigned = new Map(members.map(({ id }): [string, PartitionSet] => [id, new Set()]));
  for (const [topicId, count] of topics) {
    const able = members.filter(({ topicIds }) => topicIds.has(topicId)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    let next = 0;
    for (const [at, { id }] of able.entries()) {
      const share = Math.floor(count / able.length) + (at < count % able.length ? 1 : 0);
      for (const end = next + share; next < end; next++) assigned.get(id)?.add(keyOf(topicId, next));
    }
  }
  return assigned;
};

export const assignors: Record<string, Assignor> = { uniform: assignUniform, range: assignRange };
