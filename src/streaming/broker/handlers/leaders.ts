// Leaders and replicas for administrators. All brokers read one copy on one disk, so a reassignment is complete as soon
// in its stored form, and the preferred replica of each partition leads it whenever that broker is running.
import { checkReplicas } from '../topic/replicas.ts';
import type { Partition } from '../topic/topics.ts';
import { ProtocolError } from '../wire/errors.ts';
import type { alterPartitionReassignments, electLeaders, listPartitionReassignments } from '../wire/messages/topic.ts';
import { type Call, distinct, type Failure, type Handler, outcome } from './handler.ts';

const preferred = 0;

export const handleElectLeaders: Handler<typeof electLeaders> = async (request, call) => {
  const { electionType, topicPartitions } = request;
  // A request for all partitions returns only the failed elections.
  const wanted =
    topicPartitions ??
    call.cluster.topics.all.map(({ name, partitions }) => ({
      topic: name,
      partitions: partitions
        .filter(({ leader, replicas }) => leader < 0 || (electionType === preferred && leader !== replicas[0]))
        .map(({ index }) => index),
    }));
  const results = [];
  for (const { topic, partitions } of distinct(wanted, (one) => one.topic)) {
    const partitionResult = [];
    for (const partitionId of distinct(partitions, String)) {
      const failure = await outcome(call, () => elect(partitionOf(topic, partitionId, call), electionType));
      partitionResult.push({ partitionId, ...failure });
    }
    if (partitionResult.length > 0) results.push({ topic, partitionResult });
  }
  return { errorCode: 0, replicaElectionResults: results };
};

// The broker elects leaders by itself, so there is never an election to perform here.
function elect({ leader, replicas }: Partition, electionType: number): never {
  if (leader < 0)
    throw new ProtocolError('ELIGIBLE_LEADERS_NOT_AVAILABLE', 'No replica of the partition is available.');
  if (electionType === preferred && leader !== replicas[0])
    throw new ProtocolError('PREFERRED_LEADER_NOT_AVAILABLE', 'The preferred leader is not available.');
  throw new ProtocolError('ELECTION_NOT_NEEDED', 'Leader election not needed for topic partition.');
}

function partitionOf(name: string, index: number, { cluster }: Call): Partition {
  const topic = cluster.topics.byName.get(name);
  if (!topic) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION', `Topic ${name} does not exist.`);
  const partition = topic.partitions[index];
  if (!partition) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION', `Partition ${name}-${index} does not exist.`);
  return partition;
}

export const handleAlterPartitionReassignments: Handler<typeof alterPartitionReassignments> = async (
  { topics },
  call,
) => {
  const responses = [];
  for (const { name, partitions } of distinct(topics, (one) => one.name)) {
    const results: (Failure & { partitionIndex: number })[] = [];
    const accepted = new Map<number, number[]>();
    for (const { partitionIndex, replicas } of distinct(partitions, (one) => String(one.partitionIndex))) {
      const failure = await outcome(call, () => {
        partitionOf(name, partitionIndex, call);
        if (replicas === null)
          throw new ProtocolError('NO_REASSIGNMENT_IN_PROGRESS', 'No partition reassignment is in progress.');
        checkReplicas(replicas, call.cluster.nodes);
        accepted.set(partitionIndex, replicas);
      });
      results.push({ partitionIndex, ...failure });
    }
    const topic = call.cluster.topics.byName.get(name);
    const stored = await outcome(
      call,
      () => topic && accepted.size > 0 && call.cluster.topics.reassign(topic, accepted),
    );
    for (const one of results) if (one.errorCode === 0) Object.assign(one, stored);
    responses.push({ name, partitions: results });
  }
  return { errorCode: 0, responses };
};

// No reassignment is ever in progress.
export const handleListPartitionReassignments: Handler<typeof listPartitionReassignments> = () => ({ topics: [] });
