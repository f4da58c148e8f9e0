// Returns the first and last offset of a partition, the offset of a time, and the end of an epoch.
import { TimeSlice } from '../../../core/threads/time-slice.ts';
import { newestOffset, offsetAtTime, type TimedOffset } from '../log/read.ts';
import { deleteRecords } from '../log/retention.ts';
import type { Partition } from '../topic/topics.ts';
import { ProtocolError } from '../wire/errors.ts';
import type { deleteRecords as deleteRecordsApi, listOffsets, offsetForLeaderEpoch } from '../wire/messages/records.ts';
import { checkLeaderEpoch, codeOf, type Handler, ledPartition } from './handler.ts';

const latest = -1;
const earliest = -2;
const newest = -3;
const earliestLocal = -4;
const latestTiered = -5;

// One after the other: a look-up by time reads a part of the log, and a request can name very many partitions.
export const handleListOffsets: Handler<typeof listOffsets> = async (request, call) => {
  const topics = [];
  const seen = new Set<string>();
  const slice = new TimeSlice();
  for (const { name, partitions } of request.topics) {
    const answers = [];
    for (const { partitionIndex, currentLeaderEpoch, timestamp } of partitions) {
      try {
        await slice.pause();
        const key = `${name} ${partitionIndex}`;
        if (seen.has(key)) throw new ProtocolError('INVALID_REQUEST', 'The partition is listed twice.');
        seen.add(key);
        const partition = ledPartition(call, name, partitionIndex);
        checkLeaderEpoch(partition, currentLeaderEpoch);
        const found = await locate(partition, timestamp, request.isolationLevel === 1);
        answers.push({ partitionIndex, errorCode: 0, ...found, leaderEpoch: partition.leaderEpoch });
      } catch (error) {
        answers.push({ partitionIndex, errorCode: codeOf(error, call), timestamp: -1, offset: -1 });
      }
    }
    topics.push({ name, partitions: answers });
  }
  return { topics };
};

async function locate({ log }: Partition, timestamp: number, isCommitted: boolean): Promise<TimedOffset> {
  const nothing = { timestamp: -1, offset: -1 };
  const end = isCommitted ? log.lastStableOffset : log.highWatermark;
  if (timestamp === latest) return { timestamp: -1, offset: end };
  if (timestamp === earliest || timestamp === earliestLocal) return { timestamp: -1, offset: log.startOffset };
  if (timestamp === latestTiered) return nothing;
  if (timestamp === newest) return (await newestOffset(log, end)) ?? nothing;
  return (await offsetAtTime(log, timestamp, end)) ?? nothing;
}

export const handleDeleteRecords: Handler<typeof deleteRecordsApi> = async (request, call) => ({
  topics: await Promise.all(
    request.topics.map(async ({ name, partitions }) => ({
      name,
      partitions: await Promise.all(
        partitions.map(async ({ partitionIndex, offset }) => {
          try {
            const lowWatermark = await deleteRecords(ledPartition(call, name, partitionIndex).log, offset);
            return { partitionIndex, lowWatermark, errorCode: 0 };
          } catch (error) {
            return { partitionIndex, lowWatermark: -1, errorCode: codeOf(error, call) };
          }
        }),
      ),
    })),
  ),
});

// A returning reader uses this to check whether the records that it has read still exist.
export const handleOffsetForLeaderEpoch: Handler<typeof offsetForLeaderEpoch> = (request, call) => ({
  topics: request.topics.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map(({ partition: index, currentLeaderEpoch, leaderEpoch }) => {
      try {
        const partition = ledPartition(call, topic, index);
        checkLeaderEpoch(partition, currentLeaderEpoch);
        return { errorCode: 0, partition: index, ...endOfEpoch(partition, leaderEpoch) };
      } catch (error) {
        return { errorCode: codeOf(error, call), partition: index };
      }
    }),
  })),
});

// Returns the last epoch up to the given one, and the offset after its records.
function endOfEpoch(
  { log, leaderEpoch: current }: Partition,
  wanted: number,
): { leaderEpoch: number; endOffset: number } {
  if (wanted > current) return { leaderEpoch: -1, endOffset: -1 };
  if (wanted === current) return { leaderEpoch: current, endOffset: log.highWatermark };
  const at = log.epochs.findLastIndex(({ epoch }) => epoch <= wanted);
  const endOffset = log.epochs[at + 1]?.startOffset ?? log.highWatermark;
  return { leaderEpoch: log.epochs[at]?.epoch ?? wanted, endOffset };
}
