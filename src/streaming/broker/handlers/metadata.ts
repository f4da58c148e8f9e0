// Metadata: the brokers, and the topics with the leader and the replicas of each partition.
import type { Partition, Topic } from '../topic/topics.ts';
import type { RequestOf, ResponseOf } from '../wire/api.ts';
import { errorCodes } from '../wire/errors.ts';
import { noUuid } from '../wire/field.ts';
import type { describeTopicPartitions, metadata } from '../wire/messages/cluster.ts';
import { notComputed, operations } from './authorized-operations.ts';
import { type Call, type Cluster, distinct, type Handler } from './handler.ts';

const leaderNotAvailable = 5;

export const handleMetadata: Handler<typeof metadata> = (request, call) => {
  const { cluster } = call;
  return {
    brokers: cluster.nodes.serving.map(({ id, host, port }) => ({ nodeId: id, host, port, rack: null })),
    clusterId: cluster.id,
    controllerId: cluster.nodes.controller,
    topics: wantedTopics(request, call).map((topic) => ({
      ...topic,
      topicAuthorizedOperations: request.includeTopicAuthorizedOperations ? operations.topic : notComputed,
    })),
    clusterAuthorizedOperations: request.includeClusterAuthorizedOperations ? operations.cluster : notComputed,
    errorCode: 0,
  };
};

// An empty list means all topics in version 0; later versions use null for that.
function wantedTopics({ topics }: RequestOf<typeof metadata>, { cluster, version }: Call) {
  if (topics === null || (version === 0 && topics.length === 0)) return cluster.topics.all.map(describeTopic);
  return distinct(topics, ({ name, topicId }) => name ?? `/${topicId}`).map(({ name, topicId }) => {
    const isById = name === null;
    const topic = isById ? cluster.topics.byId.get(topicId) : cluster.topics.byName.get(name);
    if (topic) return describeTopic(topic);
    const errorCode = isById ? errorCodes.UNKNOWN_TOPIC_ID : missingCode(name);
    return { errorCode, name: version >= 12 || name !== null ? name : '', topicId, partitions: [] };
  });
}

const missingCode = (name: string): number =>
  /^[a-zA-Z0-9._-]{1,249}$/.test(name) ? errorCodes.UNKNOWN_TOPIC_OR_PARTITION : errorCodes.INVALID_TOPIC_EXCEPTION;

const describeTopic = ({ name, id, partitions }: Topic) => ({
  errorCode: 0,
  name,
  topicId: id,
  isInternal: false,
  partitions: partitions.map(describePartition),
});

const describePartition = ({ index, leader, leaderEpoch, replicas, inSync }: Partition) => ({
  errorCode: leader < 0 ? leaderNotAvailable : 0,
  partitionIndex: index,
  leaderId: leader,
  leaderEpoch,
  replicaNodes: replicas,
  isrNodes: inSync,
  offlineReplicas: replicas.filter((id) => !inSync.includes(id)),
});

const describeForAdmin = (partition: Partition) => ({
  ...describePartition(partition),
  eligibleLeaderReplicas: [],
  lastKnownElr: [],
});

// The same for admin clients, in pages.
export const handleDescribeTopicPartitions: Handler<typeof describeTopicPartitions> = (request, { cluster }) => {
  const { cursor } = request;
  let left = Math.max(1, Math.min(request.responsePartitionLimit, 2_000));
  const answers: ResponseOf<typeof describeTopicPartitions>['topics'] = [];
  for (const name of wantedNames(request, cluster)) {
    if (left === 0) return { topics: answers, nextCursor: { topicName: name, partitionIndex: 0 } };
    const topic = cluster.topics.byName.get(name);
    if (!topic) {
      answers.push({ errorCode: missingCode(name), name, topicId: noUuid, partitions: [] });
      continue;
    }
    const from = cursor?.topicName === name ? Math.max(cursor.partitionIndex, 0) : 0;
    const page = topic.partitions.slice(from, from + left);
    left -= page.length;
    const topicAuthorizedOperations = operations.topic;
    answers.push({ ...describeTopic(topic), topicAuthorizedOperations, partitions: page.map(describeForAdmin) });
    if (from + page.length < topic.partitions.length)
      return { topics: answers, nextCursor: { topicName: name, partitionIndex: from + page.length } };
  }
  return { topics: answers, nextCursor: null };
};

function wantedNames({ topics, cursor }: RequestOf<typeof describeTopicPartitions>, cluster: Cluster): string[] {
  const names = topics.length > 0 ? topics.map(({ name }) => name) : [...cluster.topics.byName.keys()];
  return [...new Set(names)].toSorted().filter((name) => !cursor || name >= cursor.topicName);
}
