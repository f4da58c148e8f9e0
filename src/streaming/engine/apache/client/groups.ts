// Reads consumer groups, their lag, and the records that topics hold.
import { consumerGroupDescribe, describeGroups, listGroups } from '../../../broker/wire/messages/group-admin.ts';
import { offsetFetch } from '../../../broker/wire/messages/offsets.ts';
import { listOffsets } from '../../../broker/wire/messages/records.ts';
import type { GroupFacts } from '../../engine.ts';
import { lagOf, type PartitionOffsets } from '../../lag.ts';
import type { KafkaClient } from './client.ts';
import type { BrokerAddress } from './connection.ts';

const [latest, earliest] = [-1, -2];

// Reads the offsets of all topics except internal ones. A partition without a leader is omitted.
export async function offsetsOf(client: KafkaClient): Promise<PartitionOffsets[]> {
  const { brokers, topics } = await client.metadata();
  const found = new Map<string, PartitionOffsets>();
  for (const broker of brokers) {
    for (const timestamp of [earliest, latest]) {
      const led = topics
        .filter(({ isInternal, name }) => !isInternal && name !== null)
        .map(({ name, partitions }) => ({
          name: name ?? '',
          partitions: partitions
            .filter(({ leaderId }) => leaderId === broker.nodeId)
            .map(({ partitionIndex }) => ({ partitionIndex, currentLeaderEpoch: -1, timestamp })),
        }))
        .filter(({ partitions }) => partitions.length > 0);
      if (led.length === 0) continue;
      const answer = await client.ask(broker, listOffsets, { replicaId: -1, topics: led, timeoutMs: 10_000 });
      for (const { name, partitions } of answer.topics) {
        for (const { partitionIndex, errorCode, offset } of partitions) {
          if (errorCode !== 0) continue;
          const key = `${name}/${partitionIndex}`;
          const known = found.get(key) ?? { topic: name, partition: partitionIndex, first: 0, end: 0 };
          found.set(key, timestamp === earliest ? { ...known, first: offset } : { ...known, end: offset });
        }
      }
    }
  }
  return [...found.values()];
}

// Every broker returns the groups that it coordinates.
export async function groupFacts(client: KafkaClient, offsets: PartitionOffsets[]): Promise<GroupFacts[]> {
  const { brokers } = await client.metadata();
  const facts: GroupFacts[] = [];
  for (const broker of brokers) {
    const { groups } = await client.ask(broker, listGroups, {});
    const ids = groups.filter(({ groupType }) => groupType !== 'share').map(({ groupId }) => groupId);
    if (ids.length === 0) continue;
    const isNew = (id: string): boolean => groups.some((one) => one.groupId === id && one.groupType === 'consumer');
    const members = await membersOf(client, broker, ids, isNew);
    const committed = await committedOf(client, broker, ids);
    for (const id of ids)
      facts.push({ id, members: members.get(id) ?? 0, lag: lagOf(committed.get(id) ?? new Map(), offsets) });
  }
  return facts;
}

async function membersOf(
  client: KafkaClient,
  broker: BrokerAddress,
  ids: string[],
  isNew: (id: string) => boolean,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const [groupIds, groups] = [ids.filter(isNew), ids.filter((id) => !isNew(id))];
  if (groupIds.length > 0) {
    const answer = await client.ask(broker, consumerGroupDescribe, { groupIds });
    for (const { groupId, members } of answer.groups) counts.set(groupId, members.length);
  }
  if (groups.length > 0) {
    const answer = await client.ask(broker, describeGroups, { groups });
    for (const { groupId, members } of answer.groups) counts.set(groupId, members.length);
  }
  return counts;
}

type Committed = Map<string, number>; // by topic/partition

async function committedOf(client: KafkaClient, broker: BrokerAddress, ids: string[]): Promise<Map<string, Committed>> {
  const groups = ids.map((groupId) => ({ groupId, memberId: null, memberEpoch: -1, topics: null }));
  const answer = await client.ask(broker, offsetFetch, { groups });
  return new Map(
    answer.groups.map(({ groupId, topics }) => [
      groupId,
      new Map(
        topics.flatMap(({ name, partitions }) =>
          partitions.map((one) => [`${name}/${one.partitionIndex}`, one.committedOffset] as const),
        ),
      ),
    ]),
  );
}
