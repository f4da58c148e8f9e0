// The metrics of a cluster, from the Kafka protocol and from the counters of its nodes.
import type { ClusterFigures } from '../engine.ts';
import type { KafkaClient } from './client/client.ts';
import { groupFacts, offsetsOf } from './client/groups.ts';
import { topicFacts } from './client/topics.ts';
import type { NodeMetrics } from './jvm/metrics.ts';

export async function figuresOf(client: KafkaClient, metrics: NodeMetrics): Promise<ClusterFigures> {
  const [topics, offsets] = await Promise.all([topicFacts(client), offsetsOf(client)]);
  const recordsOf = (name: string): number =>
    offsets.filter(({ topic }) => topic === name).reduce((total, { first, end }) => total + end - first, 0);
  const { refused, ...counters } = metrics;
  return {
    ...counters,
    refusedHandshakes: refused,
    partitions: topics.reduce((total, topic) => total + topic.partitions, 0),
    storedBytes: topics.reduce((total, { bytes }) => total + bytes, 0),
    topics: topics.map(({ name, bytes }) => ({ name, bytes, records: recordsOf(name) })),
    groups: await groupFacts(client, offsets),
  };
}
