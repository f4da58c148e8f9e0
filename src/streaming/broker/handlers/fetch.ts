// Fetch: returns batches as stored on disk, up to the high watermark or, for readers of committed records, up to the
// last stable offset. A request waits until there are enough bytes or its time is up. When memory is short, the answer
// has fewer records, or none when its time is up. There are no fetch sessions: the answer has session 0, and clients
// then name all partitions each time.
import type { PartitionLog } from '../log/partition-log.ts';
import { endOffsetOf, readLog } from '../log/read.ts';
import type { Partition } from '../topic/topics.ts';
import type { RequestOf } from '../wire/api.ts';
import { errorCodes, ProtocolError } from '../wire/errors.ts';
import type { fetch } from '../wire/messages/records.ts';
import { type Call, checkLeaderEpoch, codeOf, type Handler } from './handler.ts';

type FetchRequest = RequestOf<typeof fetch>;

export const mostFetchBytes = 16 * 1024 * 1024; // of one answer
const longestWaitMs = 60_000;

interface Wanted {
  partition?: Partition;
  index: number;
  offset: number;
  maxBytes: number;
  failure?: ProtocolError;
}

interface WantedTopic {
  topic: string;
  topicId: string;
  partitions: Wanted[];
}

interface Answer {
  partitionIndex: number;
  errorCode: number;
  highWatermark: number;
  lastStableOffset?: number;
  logStartOffset?: number;
  abortedTransactions?: { producerId: number; firstOffset: number }[] | null;
  currentLeader?: { leaderId: number; leaderEpoch: number };
  records: Buffer | null;
}

export const handleFetch: Handler<typeof fetch> = async (request, call) => {
  const topics = request.topics.map((topic) => locate(topic, call));
  const wanted = topics.flatMap(({ partitions }) => partitions);
  const isCommitted = request.isolationLevel === 1;
  const enough = Math.min(request.minBytes, request.maxBytes, mostFetchBytes);
  const deadline = call.cluster.clock.real() + Math.min(request.maxWaitMs, longestWaitMs);
  for (;;) {
    let isRefused = false; // there are records, but not enough memory
    const isReady = wanted.some((one) => one.failure || hasMore(one, isCommitted));
    const waitMs = call.client.isGone ? 0 : deadline - call.cluster.clock.real();
    if (isReady || waitMs <= 0 || wanted.length === 0) {
      const requested = requestedBytes(wanted, request, isCommitted);
      const reserved = call.memory.reserve(requested);
      isRefused = reserved < Math.min(requested, 1);
      const answers = await readAll(wanted, { bytes: reserved, isCommitted }, call);
      const size = [...answers.values()].reduce((sum, { records }) => sum + (records?.length ?? 0), 0);
      const hasFailed = [...answers.values()].some(({ errorCode }) => errorCode !== 0);
      call.memory.settle(size);
      const isEnough = size >= enough || (size > 0 && reserved < requested);
      if (isEnough || hasFailed || waitMs <= 0 || wanted.length === 0)
        return reply(topics, answers, call.cluster.quotas.consumed(call, size));
      call.memory.settle(0);
    }
    await nextChange(wanted, deadline - call.cluster.clock.real(), call, isRefused);
  }
};

function locate({ topic, topicId, partitions }: FetchRequest['topics'][number], call: Call): WantedTopic {
  const found = call.version >= 13 ? call.cluster.topics.byId.get(topicId) : call.cluster.topics.byName.get(topic);
  const isUnknown = call.version >= 13 ? 'UNKNOWN_TOPIC_ID' : 'UNKNOWN_TOPIC_OR_PARTITION';
  return {
    topic,
    topicId,
    partitions: partitions.map((one): Wanted => {
      const wanted = { index: one.partition, offset: one.fetchOffset, maxBytes: one.partitionMaxBytes };
      const partition = found?.partitions[one.partition];
      if (!found) return { ...wanted, failure: new ProtocolError(isUnknown) };
      if (!partition) return { ...wanted, failure: new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION') };
      try {
        if (partition.leader !== call.nodeId) throw new ProtocolError('NOT_LEADER_OR_FOLLOWER');
        checkLeaderEpoch(partition, one.currentLeaderEpoch);
        return { ...wanted, partition };
      } catch (error) {
        return { ...wanted, partition, failure: error as ProtocolError };
      }
    }),
  };
}

const endFor = (log: PartitionLog, isCommitted: boolean): number =>
  isCommitted ? log.lastStableOffset : log.highWatermark;

// Also true for an offset out of range, which is reported at once.
function hasMore({ partition, offset }: Wanted, isCommitted: boolean): boolean {
  if (!partition) return true;
  const { log } = partition;
  return offset < endFor(log, isCommitted) || offset < log.startOffset || offset > log.highWatermark || log.isClosed;
}

// The maximum size of the answer for the partitions that have records. The first partition returns one batch in any
// case, so this is never 0.
function requestedBytes(wanted: Wanted[], request: FetchRequest, isCommitted: boolean): number {
  const ready = wanted.filter((one) => hasMore(one, isCommitted));
  if (ready.length === 0) return 0;
  const bytes = ready.reduce((sum, { maxBytes }) => sum + maxBytes, 0);
  return Math.max(1, Math.min(bytes, request.maxBytes, mostFetchBytes));
}

// The first partitions get what they request, the others the rest; clients rotate the order of partitions.
async function readAll(
  wanted: Wanted[],
  { bytes, isCommitted }: { bytes: number; isCommitted: boolean },
  call: Call,
): Promise<Map<Wanted, Answer>> {
  const answers = new Map<Wanted, Answer>();
  let left = bytes;
  let isFirst = bytes > 0;
  for (const one of wanted) {
    const answer = await read(one, { left, isFirst, isCommitted }, call);
    answers.set(one, answer);
    const length = answer.records?.length ?? 0;
    left -= length;
    if (length > 0) isFirst = false;
  }
  return answers;
}

async function read(
  { partition, index, offset, maxBytes, failure }: Wanted,
  budget: { left: number; isFirst: boolean; isCommitted: boolean },
  call: Call,
): Promise<Answer> {
  try {
    if (failure || !partition) throw failure ?? new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
    const { log } = partition;
    if (log.isClosed) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
    const below = endFor(log, budget.isCommitted);
    const range = { offset, below, maxBytes: Math.max(0, Math.min(maxBytes, budget.left)), atLeastOne: budget.isFirst };
    const records = await readLog(log, range, call.cluster.clock.real());
    const aborted = budget.isCommitted ? log.producers.abortedBetween(offset, endOffsetOf(records)) : null;
    return {
      partitionIndex: index,
      errorCode: 0,
      highWatermark: log.highWatermark,
      lastStableOffset: log.lastStableOffset,
      logStartOffset: log.startOffset,
      abortedTransactions: aborted,
      records,
    };
  } catch (error) {
    const errorCode = codeOf(error, call);
    const leader =
      partition && errorCode !== errorCodes.OFFSET_OUT_OF_RANGE
        ? { currentLeader: { leaderId: partition.leader, leaderEpoch: partition.leaderEpoch } }
        : {};
    return { partitionIndex: index, errorCode, highWatermark: -1, records: Buffer.alloc(0), ...leader };
  }
}

// Resolves when one of the logs has new records, when the time is up or when the client has disconnected; a request
// that waits for memory also continues when some becomes free.
function nextChange(wanted: Wanted[], waitMs: number, call: Call, needsMemory: boolean): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      for (const stop of stops) stop();
      resolve();
    };
    const timer = setTimeout(done, Math.max(waitMs, 0));
    const stops = wanted.map(({ partition }) => partition?.log.onChange(done) ?? (() => {}));
    stops.push(call.client.onGone(done));
    if (needsMemory) stops.push(call.memory.onReleased(done));
  });
}

function reply(topics: WantedTopic[], answers: Map<Wanted, Answer>, throttleTimeMs: number) {
  const responses = topics.map(({ topic, topicId, partitions }) => ({
    topic,
    topicId,
    partitions: partitions.map((one) => answers.get(one) as Answer),
  }));
  return { throttleTimeMs, errorCode: 0, sessionId: 0, responses };
}
