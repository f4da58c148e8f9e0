// Topics for administrators: create, delete, more partitions.

import { TimeSlice } from '../../../core/operation/time-slice.ts';
import { topicConfigs } from '../topic/config-definitions.ts';
import type { Topic, TopicRequest } from '../topic/topics.ts';
import type { RequestOf } from '../wire/api.ts';
import { ProtocolError } from '../wire/errors.ts';
import { noUuid } from '../wire/field.ts';
import type {
  createPartitions,
  createTopics,
  deleteTopics,
  listPartitionReassignments,
} from '../wire/messages/topic.ts';
import { type Call, type Handler, outcome } from './handler.ts';

type Creation = RequestOf<typeof createTopics>['topics'][number];

const defaultPartitions = 1;
const defaultReplicationFactor = 1;

export const handleCreateTopics: Handler<typeof createTopics> = async (request, call) => {
  const byName = Map.groupBy(request.topics, ({ name }) => name);
  const topics = [];
  const slice = new TimeSlice(Number.POSITIVE_INFINITY);
  for (const creation of request.topics) {
    await slice.pause();
    let topic: Topic | undefined;
    const wanted = wantedTopic(creation);
    const failure = await outcome(call, async () => {
      if (byName.get(creation.name)?.length !== 1)
        throw new ProtocolError('INVALID_REQUEST', 'The topic is named twice.');
      checkAssignments(creation);
      if (request.validateOnly) call.cluster.topics.check(wanted);
      else topic = await call.cluster.topics.create(wanted);
    });
    const isMade = failure.errorCode === 0;
    topics.push({
      name: creation.name,
      topicId: topic?.id ?? noUuid,
      ...failure,
      numPartitions: isMade ? wanted.partitions : -1,
      replicationFactor: isMade ? wanted.replicationFactor : -1,
      configs: isMade ? describeConfigs(wanted) : [],
    });
  }
  return { topics };
};

function wantedTopic({ name, numPartitions, replicationFactor, configs, assignments }: Creation): TopicRequest {
  const assigned = assignments[0]?.brokerIds.length;
  return {
    name,
    partitions: assigned ? assignments.length : numPartitions === -1 ? defaultPartitions : numPartitions,
    replicationFactor: assigned ?? (replicationFactor === -1 ? defaultReplicationFactor : replicationFactor),
    configs: Object.fromEntries(configs.flatMap((one) => (one.value === null ? [] : [[one.name, one.value]]))),
  };
}

// Which brokers lead what is ours to choose; an assignment counts for its numbers.
function checkAssignments({ assignments, numPartitions, replicationFactor }: Creation): void {
  if (assignments.length === 0) return;
  const factor = assignments[0]?.brokerIds.length ?? 0;
  const indexes = new Set(assignments.map(({ partitionIndex }) => partitionIndex));
  const isWhole = assignments.every((_, at) => indexes.has(at));
  const isEven = assignments.every(
    ({ brokerIds }) => brokerIds.length === factor && new Set(brokerIds).size === factor,
  );
  if (numPartitions !== -1 || replicationFactor !== -1 || factor === 0 || !isWhole || !isEven)
    throw new ProtocolError('INVALID_REPLICA_ASSIGNMENT');
}

const describeConfigs = ({ configs }: TopicRequest) =>
  Object.entries(topicConfigs).map(([name, definition]) => ({
    name,
    value: configs[name] ?? definition.default,
    readOnly: false,
    configSource: name in configs ? 1 : 5,
    isSensitive: false,
  }));

export const handleDeleteTopics: Handler<typeof deleteTopics> = async (request, call) => {
  const wanted = call.version >= 6 ? request.topics : request.topicNames.map((name) => ({ name, topicId: noUuid }));
  const responses = [];
  const slice = new TimeSlice(Number.POSITIVE_INFINITY);
  for (const { name, topicId } of wanted) {
    await slice.pause();
    const { topics } = call.cluster;
    const topic = name === null ? topics.byId.get(topicId) : topics.byName.get(name);
    const failure = await outcome(call, () => {
      if (!topic) throw new ProtocolError(name === null ? 'UNKNOWN_TOPIC_ID' : 'UNKNOWN_TOPIC_OR_PARTITION');
      return deleteTopic(topic, call);
    });
    responses.push({ name: topic?.name ?? name, topicId: topic?.id ?? topicId, ...failure });
  }
  return { responses };
};

async function deleteTopic(topic: Topic, { cluster }: Call): Promise<void> {
  await cluster.topics.delete(topic);
  await cluster.offsets.deleteTopic(topic.name);
}

export const handleCreatePartitions: Handler<typeof createPartitions> = async (request, call) => {
  const results = [];
  const slice = new TimeSlice(Number.POSITIVE_INFINITY);
  for (const { name, count } of request.topics) {
    await slice.pause();
    const failure = await outcome(call, async () => {
      const topic = call.cluster.topics.byName.get(name);
      if (!topic) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
      if (!request.validateOnly) await call.cluster.topics.addPartitions(topic, count);
    });
    results.push({ name, ...failure });
  }
  return { results };
};

// Replicas never move here.
export const handleListPartitionReassignments: Handler<typeof listPartitionReassignments> = () => ({ topics: [] });
