// Converts the embedded broker's topics, groups and traffic to the engine's interface.
import type { Broker } from '../../broker/broker.ts';
import { logConfigOf } from '../../broker/topic/topic-config.ts';
import type { Topic } from '../../broker/topic/topics.ts';
import type { ClusterFigures, GroupFacts, TopicFacts } from '../engine.ts';
import type { BrokerFacts } from '../inspection.ts';
import { lagOf } from '../lag.ts';

export const topicFactsOf = ({ cluster }: Broker): TopicFacts[] =>
  cluster.topics.all.map((topic) => {
    const { name, partitions, replicationFactor, configs } = topic;
    const { segmentBytes, retentionMs } = partitions[0]?.log.config ?? logConfigOf(configs);
    return {
      name,
      partitions: partitions.length,
      replicationFactor,
      retentionMs,
      segmentBytes,
      bytes: bytesOf(topic),
    };
  });

export function figuresOf({ cluster, listeners }: Broker): ClusterFigures {
  const sum = (of: (listener: Broker['listeners'][number]) => number): number =>
    listeners.reduce((total, one) => total + of(one), 0);
  const { topics } = cluster;
  return {
    bytesIn: sum(({ traffic }) => traffic.bytesIn),
    bytesOut: sum(({ traffic }) => traffic.bytesOut),
    requests: sum(({ traffic }) => traffic.requests),
    refusedHandshakes: sum(({ refused }) => refused),
    connections: sum(({ connections }) => connections),
    partitions: topics.partitions.length,
    storedBytes: topics.all.reduce((total, topic) => total + bytesOf(topic), 0),
    topics: topics.all.map((topic) => ({
      name: topic.name,
      bytes: bytesOf(topic),
      records: topic.partitions.reduce((total, { log }) => total + log.highWatermark - log.startOffset, 0),
    })),
    groups: cluster.groups.ids.map((id) => groupFactsOf(id, cluster)),
  };
}

export const brokerFactsOf = ({ cluster: { nodes, topics } }: Broker): BrokerFacts[] =>
  nodes.all.map(({ id, isServing }) => ({
    id,
    isServing,
    leads: topics.partitions.filter(({ leader }) => leader === id).length,
  }));

const bytesOf = ({ partitions }: Topic): number => partitions.reduce((total, { log }) => total + log.sizeBytes, 0);

function groupFactsOf(id: string, { groups, offsets, topics }: Broker['cluster']): GroupFacts {
  const ends = [...new Set(offsets.of(id).map(({ topic }) => topic))].flatMap((topic) =>
    (topics.byName.get(topic)?.partitions ?? []).map(({ index, log }) => ({
      topic,
      partition: index,
      first: log.startOffset,
      end: log.highWatermark,
    })),
  );
  const committed = new Map(offsets.of(id).map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
  return { id, members: groups.find(id)?.members.size ?? 0, lag: lagOf(committed, ends) };
}
