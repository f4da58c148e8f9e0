// Deletes records: retention by time and by size, DeleteRecords, and the storage limit of a cluster. Whole segments are
// deleted; a start offset inside a segment is kept in the log's state. The start offset is stored before files are
// deleted, so a deleted offset never reappears.
import { ProtocolError } from '../wire/errors.ts';
import type { LogConfig } from './log-config.ts';
import type { PartitionLog } from './partition-log.ts';
import type { Segment } from './segment.ts';

// Deletes records beyond the retention time or size. If all records of the last segment are too old, it is closed
// first.
export async function enforceRetention(log: PartitionLog, nowMs: number): Promise<void> {
  const { isDeleting, retentionMs, retentionBytes } = log.config;
  if (isDeleting) {
    const isExpired = (segment: Segment): boolean =>
      retentionMs >= 0 && segment.size > 0 && nowMs - timeOf(segment, log.config) > retentionMs;
    if (isExpired(log.active) && log.endOffset === log.highWatermark) await log.roll();
    const fresh = log.segments.findIndex((segment) => !isExpired(segment));
    let count = fresh < 0 ? log.segments.length - 1 : fresh;
    let excess = log.sizeBytes - sizeOf(log.segments.slice(0, count)) - retentionBytes;
    for (; retentionBytes >= 0 && count < log.segments.length - 1; count++) {
      excess -= (log.segments[count] as Segment).size;
      if (excess < 0) break;
    }
    await deleteSegments(log, count);
  }
  await deleteSegments(log, segmentsBelow(log, log.startOffset));
}

const sizeOf = (segments: Segment[]): number => segments.reduce((sum, { size }) => sum + size, 0);

// Returns the age reference in the region's time. Clients stamp records by the machine's clock, and the region's clock
// may have been ahead; records without a time count from the creation of the segment.
function timeOf({ maxTimestamp, createdMs, aheadMs }: Segment, { isLogAppendTime }: LogConfig): number {
  if (maxTimestamp < 0) return createdMs;
  return isLogAppendTime ? maxTimestamp : maxTimestamp + aheadMs;
}

const segmentsBelow = (log: PartitionLog, offset: number): number =>
  log.segments.filter((_, at) => (log.segments[at + 1]?.baseOffset ?? Number.POSITIVE_INFINITY) <= offset).length;

// Returns the new start of the log. -1 deletes all records.
export async function deleteRecords(log: PartitionLog, before: number): Promise<number> {
  const start = before === -1 ? log.highWatermark : before;
  if (start < 0 || start > log.highWatermark) throw new ProtocolError('OFFSET_OUT_OF_RANGE');
  if (start > log.startOffset) {
    log.startOffset = start;
    await log.saveState();
    await deleteSegments(log, segmentsBelow(log, start));
  }
  return log.startOffset;
}

// Deletes the first `count` segments, never the last one.
async function deleteSegments(log: PartitionLog, count: number): Promise<void> {
  const gone = log.segments.slice(0, Math.min(count, log.segments.length - 1));
  if (gone.length === 0) return;
  log.startOffset = Math.max(log.startOffset, (log.segments[gone.length] as Segment).baseOffset);
  await log.saveState();
  log.segments = log.segments.filter((segment) => !gone.includes(segment)); // another deletion may have run
  await log.sealed();
  for (const segment of gone) await segment.delete();
}

// Deletes the oldest closed segments of all logs until they fit the limit. Compacted logs keep theirs.
export async function enforceStorage(logs: PartitionLog[], limitBytes: number): Promise<void> {
  let total = logs.reduce((sum, log) => sum + log.sizeBytes, 0);
  while (total > limitBytes) {
    const candidates = logs.filter((log) => log.config.isDeleting && log.segments.length > 1);
    const oldest = candidates.toSorted((a, b) => firstTime(a) - firstTime(b))[0];
    if (!oldest) return;
    total -= (oldest.segments[0] as Segment).size;
    await deleteSegments(oldest, 1);
  }
}

const firstTime = (log: PartitionLog): number => timeOf(log.segments[0] as Segment, log.config);
