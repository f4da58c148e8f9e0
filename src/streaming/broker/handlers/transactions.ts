// Transactions: the APIs of producers and of administrators.
import { type ProducerIdentity, parsePartitionKey, type Transaction } from '../transaction/transaction.ts';
import { errorCodes, ProtocolError } from '../wire/errors.ts';
import type {
  addOffsetsToTxn,
  addPartitionsToTxn,
  describeProducers,
  describeTransactions,
  endTxn,
  listTransactions,
  txnOffsetCommit,
  writeTxnMarkers,
} from '../wire/messages/transaction.ts';
import { type Call, codeOf, distinct, type Handler, ledPartition, outcome } from './handler.ts';
import { sortOut } from './offsets.ts';

interface TopicList {
  name: string;
  partitions: number[];
}

export const handleAddPartitionsToTxn: Handler<typeof addPartitionsToTxn> = async (request, call) => {
  if (call.version < 4) {
    const producer = { id: request.v3AndBelowProducerId, epoch: request.v3AndBelowProducerEpoch };
    const results = await add(request.v3AndBelowTransactionalId, producer, request.v3AndBelowTopics, call);
    return { resultsByTopicV3AndBelow: results };
  }
  const resultsByTransaction = await Promise.all(
    request.transactions.map(async ({ transactionalId, producerId, producerEpoch, topics }) => ({
      transactionalId,
      topicResults: await add(transactionalId, { id: producerId, epoch: producerEpoch }, topics, call),
    })),
  );
  return { errorCode: 0, resultsByTransaction };
};

// Adds all partitions or none: the valid ones are then reported as not attempted.
async function add(id: string, producer: ProducerIdentity, topics: TopicList[], call: Call) {
  const { topics: known, transactions } = call.cluster;
  const isKnown = (name: string, index: number): boolean => known.byName.get(name)?.partitions[index] !== undefined;
  const isComplete = topics.every(({ name, partitions }) => partitions.every((index) => isKnown(name, index)));
  let code: number = isComplete ? 0 : errorCodes.OPERATION_NOT_ATTEMPTED;
  if (isComplete) {
    try {
      const all = topics.flatMap(({ name, partitions }) => partitions.map((index) => known.find(name, index)));
      await transactions.addPartitions(id, producer, all);
    } catch (error) {
      code = forVersion(codeOf(error, call), call.version, 2);
    }
  }
  return topics.map(({ name, partitions }) => ({
    name,
    resultsByPartition: partitions.map((partitionIndex) => ({
      partitionIndex,
      partitionErrorCode: isKnown(name, partitionIndex) ? code : errorCodes.UNKNOWN_TOPIC_OR_PARTITION,
    })),
  }));
}

// Older clients do not know the code for fenced producers, only the one for a wrong epoch.
const forVersion = (code: number, version: number, since: number): number =>
  code === errorCodes.PRODUCER_FENCED && version < since ? errorCodes.INVALID_PRODUCER_EPOCH : code;

export const handleAddOffsetsToTxn: Handler<typeof addOffsetsToTxn> = async (request, call) => {
  const { transactionalId, producerId, producerEpoch, groupId } = request;
  try {
    await call.cluster.transactions.addOffsets(transactionalId, { id: producerId, epoch: producerEpoch }, groupId, []);
    return { errorCode: 0 };
  } catch (error) {
    return { errorCode: forVersion(codeOf(error, call), call.version, 2) };
  }
};

export const handleTxnOffsetCommit: Handler<typeof txnOffsetCommit> = async (request, call) => {
  const { transactionalId, groupId, memberId, generationId, groupInstanceId } = request;
  const producer = { id: request.producerId, epoch: request.producerEpoch };
  const { valid, answer } = sortOut(request.topics, call);
  try {
    if (memberId !== '' || generationId >= 0)
      call.cluster.groups.checkCommit(groupId, { memberId, generationId, groupInstanceId });
    await call.cluster.transactions.addOffsets(transactionalId, producer, groupId, valid);
    return { topics: answer(0) };
  } catch (error) {
    const code = codeOf(error, call);
    return { topics: answer(code === errorCodes.PRODUCER_FENCED ? errorCodes.INVALID_PRODUCER_EPOCH : code) };
  }
};

export const handleEndTxn: Handler<typeof endTxn> = async (request, call) => {
  const { transactionalId, producerId, producerEpoch, committed } = request;
  try {
    const given = { id: producerId, epoch: producerEpoch };
    const next = await call.cluster.transactions.end(transactionalId, given, committed, call.version);
    return { errorCode: 0, producerId: next.id, producerEpoch: next.epoch };
  } catch (error) {
    return { errorCode: forVersion(codeOf(error, call), call.version, 2) };
  }
};

const topicsOf = ({ partitions }: Transaction) =>
  [...Map.groupBy(partitions.map(parsePartitionKey), ({ topic }) => topic)].map(([topic, list]) => ({
    topic,
    partitions: list.map(({ partition }) => partition),
  }));

export const handleDescribeTransactions: Handler<typeof describeTransactions> = (
  { transactionalIds },
  { cluster },
) => ({
  transactionStates: distinct(transactionalIds, (id) => id).map((transactionalId) => {
    const found = cluster.transactions.byId.get(transactionalId);
    if (!found) return { errorCode: errorCodes.TRANSACTIONAL_ID_NOT_FOUND, transactionalId };
    return {
      errorCode: 0,
      transactionalId,
      transactionState: found.state,
      transactionTimeoutMs: found.timeoutMs,
      transactionStartTimeMs: found.startMs,
      producerId: found.producer.id,
      producerEpoch: found.producer.epoch,
      topics: topicsOf(found),
    };
  }),
});

const states = ['Empty', 'Ongoing', 'PrepareCommit', 'PrepareAbort', 'CompleteCommit', 'CompleteAbort', 'Dead'];

export const handleListTransactions: Handler<typeof listTransactions> = (request, { cluster, nodeId }) => {
  const { stateFilters, producerIdFilters, durationFilter } = request;
  const nowMs = cluster.clock.now();
  const transactionStates = [...cluster.transactions.byId]
    .filter(([id]) => cluster.nodes.coordinatorOf(id)?.id === nodeId) // clients ask all brokers
    .filter(([, { state }]) => stateFilters.length === 0 || stateFilters.includes(state))
    .filter(([, { producer }]) => producerIdFilters.length === 0 || producerIdFilters.includes(producer.id))
    .filter(([, { startMs }]) => durationFilter < 0 || (startMs >= 0 && nowMs - startMs > durationFilter))
    .map(([transactionalId, { producer, state }]) => ({
      transactionalId,
      producerId: producer.id,
      transactionState: state,
    }));
  return { errorCode: 0, unknownStateFilters: stateFilters.filter((one) => !states.includes(one)), transactionStates };
};

export const handleDescribeProducers: Handler<typeof describeProducers> = ({ topics }, call) => ({
  topics: distinct(topics, ({ name }) => name).map(({ name, partitionIndexes }) => ({
    name,
    partitions: distinct(partitionIndexes, String).map((partitionIndex) => {
      try {
        const { log } = ledPartition(call, name, partitionIndex);
        const activeProducers = [...log.producers.producers].map(([producerId, producer]) => ({
          producerId,
          producerEpoch: producer.epoch,
          lastSequence: producer.batches.at(-1)?.lastSequence ?? -1,
          lastTimestamp: producer.lastMs,
          coordinatorEpoch: 0,
          currentTxnStartOffset: producer.transactionStart,
        }));
        return { partitionIndex, errorCode: 0, activeProducers };
      } catch (error) {
        return { partitionIndex, errorCode: codeOf(error, call) };
      }
    }),
  })),
});

// An administrator ends a hanging transaction of a partition. The coordinator is not involved.
export const handleWriteTxnMarkers: Handler<typeof writeTxnMarkers> = async ({ markers }, call) => {
  const answers = [];
  for (const { producerId, producerEpoch, transactionResult, topics } of markers) {
    const end = async (name: string, index: number): Promise<void> => {
      const { log, leaderEpoch } = ledPartition(call, name, index);
      const known = log.producers.producers.get(producerId);
      if (known && known.epoch > producerEpoch) throw new ProtocolError('INVALID_PRODUCER_EPOCH');
      await log.appendMarker({ id: producerId, epoch: producerEpoch }, transactionResult, leaderEpoch);
    };
    const results = [];
    for (const { name, partitionIndexes } of topics) {
      const partitions = [];
      for (const partitionIndex of partitionIndexes)
        partitions.push({
          partitionIndex,
          errorCode: (await outcome(call, () => end(name, partitionIndex))).errorCode,
        });
      results.push({ name, partitions });
    }
    answers.push({ producerId, topics: results });
  }
  return { markers: answers };
};
