// Compaction: only the newest record of each key stays. Closed segments are rewritten one by one; offsets do not
// change, so readers see gaps. A rewritten file replaces the old one by a rename, so a crash leaves one or the other.
// Records of aborted transactions are removed; control batches stay; tombstones stay for `delete.retention.ms`.
import { open, rm } from 'node:fs/promises';
import { MalformedError } from '../wire/reader.ts';
import type { BatchHeader } from '../wire/record-batch.ts';
import { expansionLimit, keepRecords, type Record, readRecords } from '../wire/records.ts';
import type { PartitionLog } from './partition-log.ts';
import { type ScannedBatch, Segment } from './segment.ts';

const mostKeys = 5_000_000; // per run; the rest is compacted later

export async function compact(log: PartitionLog, nowMs: number): Promise<void> {
  const closed = closedSegments(log, nowMs);
  await log.sealed();
  const end = log.segments[closed.length]?.baseOffset ?? 0;
  const newest = await newestOffsets(log, closed);
  log.wasCompacted = true;
  await log.saveState(); // removed batches may hold the latest sequences of their producers
  for (const segment of closed) await rewrite(log, segment, newest, nowMs);
  if (newest.size <= mostKeys) log.compactedBelow = end;
}

// Returns whether enough of the log is new, or a record has waited for the maximum time.
export function isCompactionDue(log: PartitionLog, nowMs: number): boolean {
  const { minDirtyRatio, maxCompactionLagMs } = log.config;
  const closed = closedSegments(log, nowMs);
  const fresh = closed.filter(({ baseOffset }) => baseOffset >= log.compactedBelow);
  const sizeOf = (segments: Segment[]): number => segments.reduce((sum, { size }) => sum + size, 0);
  if (fresh.some(({ createdMs }) => nowMs - createdMs > maxCompactionLagMs)) return true;
  return sizeOf(fresh) > minDirtyRatio * sizeOf(closed);
}

// Returns the oldest segments that may be compacted.
function closedSegments(log: PartitionLog, nowMs: number): Segment[] {
  const isOpen = ({ maxTimestamp }: Segment, at: number): boolean =>
    (log.segments[at + 1]?.baseOffset ?? Number.POSITIVE_INFINITY) > log.lastStableOffset ||
    nowMs - maxTimestamp < log.config.minCompactionLagMs;
  const first = log.segments.findIndex(isOpen);
  return log.segments.slice(0, first);
}

async function newestOffsets(log: PartitionLog, segments: Segment[]): Promise<Map<string, number>> {
  const newest = new Map<string, number>();
  for (const segment of segments) {
    for await (const { header, bytes } of segment.scan(0, false)) {
      if (header.isControl || isAborted(log, header)) continue;
      for (const { key, offsetDelta } of readableRecords(log, bytes, header) ?? [])
        if (key) newest.set(key.toString('latin1'), header.baseOffset + offsetDelta);
      if (newest.size > mostKeys) return newest;
    }
  }
  return newest;
}

// Undefined: the records can't be read, because they were produced before the topic was compacted. Such a batch stays
// unchanged.
function readableRecords({ config }: PartitionLog, batch: Buffer, header: BatchHeader): Record[] | undefined {
  try {
    return readRecords(batch, header, expansionLimit(config.maxMessageBytes));
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

const isAborted = (log: PartitionLog, { isTransactional, producerId, baseOffset, lastOffset }: BatchHeader): boolean =>
  isTransactional &&
  log.producers.abortedBetween(baseOffset, lastOffset + 1).some((one) => one.producerId === producerId);

async function rewrite(log: PartitionLog, old: Segment, newest: Map<string, number>, nowMs: number): Promise<void> {
  const path = `${old.path}.cleaned`;
  const file = await open(path, 'w');
  const clean = new Segment(log.folder, old.baseOffset, old.createdMs);
  clean.aheadMs = old.aheadMs;
  let position = 0;
  let isChanged = false;
  try {
    for await (const batch of old.scan(0, false)) {
      const bytes = keep(log, batch, newest, nowMs - old.maxTimestamp > log.config.deleteRetentionMs);
      isChanged ||= bytes !== batch.bytes;
      if (!bytes) continue;
      await file.appendFile(bytes);
      clean.noteBatch(batch.header, position);
      position += bytes.length;
    }
    await file.datasync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  if (!isChanged || old.isDeleted) return rm(path);
  await clean.replaceBy(path);
  clean.size = position;
  clean.maxTimestamp = old.maxTimestamp;
  const at = log.segments.indexOf(old);
  if (at < 0) return clean.delete(); // the old one was deleted in the meantime
  log.segments[at] = clean;
  old.isDeleted = true;
  await clean.seal((log.segments[at + 1] as Segment).baseOffset);
  await old.close();
}

// Returns the unchanged batch, a smaller one, or none.
function keep(
  log: PartitionLog,
  { header, bytes }: ScannedBatch,
  newest: Map<string, number>,
  withoutTombstones: boolean,
): Buffer | undefined {
  if (header.isControl) return bytes;
  if (isAborted(log, header)) return undefined;
  const records = readableRecords(log, bytes, header);
  if (!records) return bytes;
  const kept = records.filter(({ key, value, offsetDelta }: Record) => {
    if (key === null) return false;
    if (header.baseOffset + offsetDelta < (newest.get(key.toString('latin1')) ?? -1)) return false;
    return value !== null || !withoutTombstones;
  });
  if (kept.length === records.length) return bytes;
  return kept.length === 0 ? undefined : keepRecords(header, kept);
}
