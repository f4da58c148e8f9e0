// Produce: writes record sets to the logs unchanged. All partitions of a request are appended before the first wait, so
// requests of one connection keep their order although they overlap.

import type { RequestOf } from '../wire/api.ts';
import { ProtocolError } from '../wire/errors.ts';
import type { produce } from '../wire/messages/records.ts';
import { batchHeaderAt, batchHeaderBytes } from '../wire/record-batch.ts';
import { type Call, codeOf, type Handler, ledPartition } from './handler.ts';

type ProduceRequest = RequestOf<typeof produce>;

interface PartitionResult {
  index: number;
  errorCode: number;
  baseOffset?: number;
  logAppendTimeMs?: number;
  logStartOffset?: number;
  errorMessage?: string | null;
  currentLeader?: { leaderId: number; leaderEpoch: number };
}

const acksAllowed = [-1, 0, 1];

export const handleProduce: Handler<typeof produce> = async (request, call) => {
  let size = 0;
  const responses = await Promise.all(
    request.topicData.map(async ({ name, partitionData }) => {
      const results = partitionData.map(({ index, records }) => {
        size += records?.length ?? 0;
        return append(request, call, name, index, records);
      });
      return { name, partitionResponses: await Promise.all(results) };
    }),
  );
  const throttleTimeMs = call.cluster.quotas.produced(call, size);
  if (request.acks !== 0) return { responses, throttleTimeMs };
  // Closing the connection is the only way to report an error to a client that expects no answer.
  const failed = responses.some(({ partitionResponses }) =>
    partitionResponses.some(({ errorCode }) => errorCode !== 0),
  );
  if (failed) throw new ProtocolError('UNKNOWN_SERVER_ERROR', 'a write with acks=0 failed');
  return undefined;
};

async function append(
  request: ProduceRequest,
  call: Call,
  name: string,
  index: number,
  records: Buffer | null,
): Promise<PartitionResult> {
  try {
    if (!acksAllowed.includes(request.acks)) throw new ProtocolError('INVALID_REQUIRED_ACKS');
    const partition = ledPartition(call, name, index);
    if (request.acks === -1 && partition.inSync.length < partition.log.config.minInSyncReplicas)
      throw new ProtocolError('NOT_ENOUGH_REPLICAS', 'fewer replicas are in sync than min.insync.replicas requires');
    if (!records || records.length < batchHeaderBytes)
      throw new ProtocolError('CORRUPT_MESSAGE', 'the request has no record batch');
    const { isTransactional, producerId, producerEpoch } = batchHeaderAt(records, 0);
    const joined = isTransactional
      ? call.cluster.transactions.joinByProduce(
          request.transactionalId,
          { id: producerId, epoch: producerEpoch },
          partition,
          call.version,
        )
      : undefined;
    const written = partition.log.append(records, partition.leaderEpoch);
    const [{ baseOffset, logAppendTime }] = await Promise.all([written, joined]);
    const { startOffset } = partition.log;
    return { index, errorCode: 0, baseOffset, logAppendTimeMs: logAppendTime, logStartOffset: startOffset };
  } catch (error) {
    const errorMessage = error instanceof ProtocolError ? error.message : null;
    return { index, errorCode: codeOf(error, call), baseOffset: -1, errorMessage, ...currentLeader(call, name, index) };
  }
}

// A client that sent its request to the wrong broker learns the right one from the answer.
function currentLeader(call: Call, name: string, index: number): Pick<PartitionResult, 'currentLeader'> {
  const partition = call.cluster.topics.byName.get(name)?.partitions[index];
  if (!partition || partition.leader === call.nodeId) return {};
  return { currentLeader: { leaderId: partition.leader, leaderEpoch: partition.leaderEpoch } };
}
