// Reads partitions and the progress of groups for people.
import { Fault } from '../../../base/fault.ts';
import type { Broker } from '../../broker/broker.ts';
import type { Partition, Topic } from '../../broker/topic/topics.ts';
import type { ClusterInspection, GroupProgress, PartitionFacts, TopicInspection } from '../inspection.ts';
import { brokerFactsOf } from './facts.ts';

export const inspectCluster = (broker: Broker): ClusterInspection => ({
  brokers: brokerFactsOf(broker),
  groups: broker.cluster.groups.ids.map((id) => progressOf(broker, id)),
});

export function inspectTopic(broker: Broker, name: string): TopicInspection {
  const { partitions } = topicNamed(broker, name);
  const groups = broker.cluster.groups.ids
    .map((id) => progressOf(broker, id, name))
    .filter((group) => group.partitions.length > 0);
  return { partitions: partitions.map(partitionFacts), groups };
}

export function topicNamed({ cluster }: Broker, name: string): Topic {
  const topic = cluster.topics.byName.get(name);
  if (!topic) throw new Fault('missing', 'The brokers do not have this topic.');
  return topic;
}

const partitionFacts = ({ index, leader, replicas, inSync, log }: Partition): PartitionFacts => ({
  index,
  leader,
  replicas,
  inSync,
  startOffset: log.startOffset,
  endOffset: log.highWatermark,
  bytes: log.sizeBytes,
});

// Returns the progress in one topic, or in all topics of which the group has committed offsets.
function progressOf({ cluster }: Broker, id: string, only?: string): GroupProgress {
  const group = cluster.groups.find(id);
  const partitions = cluster.offsets
    .of(id)
    .filter(({ topic }) => only === undefined || topic === only)
    .flatMap(({ topic, partition, offset }) => {
      const log = cluster.topics.byName.get(topic)?.partitions[partition]?.log;
      if (!log) return [];
      const lag = Math.max(0, log.highWatermark - Math.max(offset, log.startOffset));
      return [{ topic, partition, committed: offset, lag }];
    })
    .sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition));
  return { id, state: group?.state ?? 'Empty', members: group?.members.size ?? 0, partitions };
}
