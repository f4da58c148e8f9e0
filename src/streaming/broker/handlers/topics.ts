// Topics for administrators: create, delete, add partitions.

import { TimeSlice } from '../../../core/threads/time-slice.ts';
import { topicConfigs } from '../topic/config-definitions.ts';
import type { Topic, TopicRequest } from '../topic/topics.ts';
import type { RequestOf } from '../wire/api.ts';
import { ProtocolError } from '../wire/errors.ts';
import { noUuid } from '../wire/field.ts';
import type { createPartitions, createTopics, deleteTopics } from '../wire/messages/topic.ts';
import { type Call, type Handler, outcome } from './handler.ts';

type Creation = RequestOf<typeof createTopics>['topics'][number];

const defaultPartitions = 1;
const defaultReplicationFactor = 1;

export const handleCreateTopics: Handler<typeof createTopics> = async (request, call) => {
  const byName = Map.groupBy(request.topics, ({ name }) => name);
  const topics = [];
  const slice = new TimeSlice();
  for (const creation of request.topics) {
    await slice.pause();
    let topic: Topic | undefined;
    const wanted = wantedTopic(creation);
    const failure = await outcome(call, async () => {
      if (byName.get(creation.name)?.length !== 1)
        throw new ProtocolError('INVALID_REQUEST', 'The topic is listed twice.');
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
  const chosen = assignments.toSorted((a, b) => a.partitionIndex - b.partitionIndex).map(({ brokerIds }) => brokerIds);
  return {
    name,
    partitions: chosen.length || (numPartitions === -1 ? defaultPartitions : numPartitions),
    replicationFactor: chosen[0]?.length || (replicationFactor === -1 ? defaultReplicationFactor : replicationFactor),
    configs: Object.fromEntries(configs.flatMap((one) => (one.value === null ? [] : [[one.name, one.value]]))),
    ...(chosen.length > 0 && { assignments: chosen }),
  };
}

// Reads the counts from the replicas that the client has chosen. The replicas are checked with the rest of the topic.
function checkAssignments({ assignments, numPartitions, replicationFactor }: Creation): void {
  if (assignments.length === 0) return;
  for (const [name, value] of Object.entries({ numPartitions, replicationFactor }))
    if (value !== -1)
      throw new ProtocolError(
        'INVALID_REQUEST',
        `A manual partition assignment was specified, but ${name} was not set to -1.`,
      );
  const indexes = new Set<number>();
  for (const { partitionIndex } of assignments) {
    if (indexes.has(partitionIndex))
      throw new ProtocolError(
        'INVALID_REPLICA_ASSIGNMENT',
        `Found multiple manual partition assignments for partition ${partitionIndex}`,
      );
    indexes.add(partitionIndex);
  }
  if (!assignments.every((_, at) => indexes.has(at)))
    throw new ProtocolError(
      'INVALID_REPLICA_ASSIGNMENT',
      'partitions should be a consecutive 0-based integer sequence',
    );
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
  const slice = new TimeSlice();
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
  const slice = new TimeSlice();
  for (const { name, count, assignments } of request.topics) {
    await slice.pause();
    const failure = await outcome(call, async () => {
      const topic = call.cluster.topics.byName.get(name);
      if (!topic) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
      const chosen = assignments?.map(({ brokerIds }) => brokerIds) ?? null;
      if (request.validateOnly) call.cluster.topics.checkGrowth(topic, count, chosen);
      else await call.cluster.topics.addPartitions(topic, count, chosen);
    });
    results.push({ name, ...failure });
  }
  return { results };
};
