// Reads a log: whole batches as stored on disk, from an offset on, and the search for an offset by time.
import { ProtocolError } from '../wire/errors.ts';
import { MalformedError } from '../wire/reader.ts';
import { type BatchHeader, baseOffsetAt, batchSizeAt, lastOffsetAt } from '../wire/record-batch.ts';
import { expansionLimit, readRecords } from '../wire/records.ts';
import type { PartitionLog } from './partition-log.ts';
import type { Segment } from './segment.ts';

export interface ReadRange {
  offset: number;
  maxBytes: number;
  below: number; // the high watermark or the last stable offset
  atLeastOne: boolean; // the first batch is read even if it is larger than maxBytes
}

const nothing = Buffer.alloc(0);
const slackBytes = 64 * 1024; // the index is sparse: the batch may be this far after its entry

// Returns batches with records at or after the offset. The first batch may begin before it: clients skip those records.
export async function readLog(log: PartitionLog, range: ReadRange, nowMs: number): Promise<Buffer> {
  const { offset, below } = range;
  if (offset < log.startOffset || offset > log.highWatermark) throw new ProtocolError('OFFSET_OUT_OF_RANGE');
  if (offset >= below || (range.maxBytes <= 0 && !range.atLeastOne)) return nothing;
  for (const segment of segmentsFrom(log, offset)) {
    try {
      const found = await readSegment(segment, range, nowMs);
      if (found) return found;
    } catch (error) {
      if (segment.isDeleted) return readLog(log, range, nowMs); // it was replaced or deleted in the meantime
      throw error;
    }
  }
  return nothing;
}

// Returns the offset after the last batch.
export function endOffsetOf(batches: Buffer): number {
  let end = 0;
  for (let at = 0; at < batches.length; at += batchSizeAt(batches, at)) end = lastOffsetAt(batches, at) + 1;
  return end;
}

// Returns the segment that holds an offset, and those after it.
function segmentsFrom(log: PartitionLog, offset: number): Segment[] {
  const at = log.segments.findLastIndex(({ baseOffset }) => baseOffset <= offset);
  return log.segments.slice(Math.max(at, 0));
}

// Undefined if the segment has no records after the offset: compaction leaves gaps.
async function readSegment(segment: Segment, range: ReadRange, nowMs: number): Promise<Buffer | undefined> {
  const { offset, below, maxBytes, atLeastOne } = range;
  let position = segment.index.positionOf(offset);
  for (;;) {
    const length = Math.min(maxBytes + slackBytes, segment.size - position);
    if (length <= 0) return undefined;
    let chunk = await segment.read(position, length, nowMs);
    const start = skipTo(chunk, offset);
    if (start < chunk.length) {
      const size = batchSizeAt(chunk, start);
      if (size > 0 && start + size <= chunk.length && lastOffsetAt(chunk, start) >= offset) {
        if (baseOffsetAt(chunk, start) >= below) return nothing;
        return ownPart(chunk, start, cut(chunk, start, below, maxBytes, atLeastOne));
      }
      if (start === 0 && size > chunk.length) {
        chunk = await segment.read(position, size, nowMs);
        if (lastOffsetAt(chunk, 0) >= offset) return atLeastOne && baseOffsetAt(chunk, 0) < below ? chunk : nothing;
        position += size;
        continue;
      }
    }
    position += start;
  }
}

// Copies a small part, because a view would keep the whole chunk in memory until the client has read it.
function ownPart(chunk: Buffer, start: number, end: number): Buffer {
  const part = chunk.subarray(start, end);
  return part.length < chunk.length / 2 ? Buffer.from(part) : part;
}

// Returns the position of the first batch that reaches the offset, or of the first incomplete one.
function skipTo(chunk: Buffer, offset: number): number {
  let at = 0;
  for (;;) {
    const size = batchSizeAt(chunk, at);
    if (size <= 0 || at + size > chunk.length || lastOffsetAt(chunk, at) >= offset) return at;
    at += size;
  }
}

function cut(chunk: Buffer, start: number, below: number, maxBytes: number, atLeastOne: boolean): number {
  let end = start;
  for (;;) {
    const size = batchSizeAt(chunk, end);
    if (size <= 0 || end + size > chunk.length || baseOffsetAt(chunk, end) >= below) return end;
    if (end + size - start > maxBytes && !(atLeastOne && end === start)) return end;
    end += size;
  }
}

export interface TimedOffset {
  offset: number;
  timestamp: number;
}

// Returns the first record at or after a time.
export async function offsetAtTime(log: PartitionLog, time: number, below: number): Promise<TimedOffset | undefined> {
  for (const segment of log.segments.filter(({ maxTimestamp }) => maxTimestamp >= time)) {
    for await (const { header, bytes } of segment.scan(segment.index.positionOfTime(time), false)) {
      if (header.baseOffset >= below) return undefined;
      if (header.maxTimestamp < time || header.isControl || header.lastOffset < log.startOffset) continue;
      if (header.isLogAppendTime) return { offset: header.baseOffset, timestamp: header.maxTimestamp };
      const found = offsetInBatch(log, time, bytes, header);
      if (found) return found;
    }
  }
  return undefined;
}

// Produce does not read the batches of most topics. For an unreadable batch its first offset is a valid answer, only
// less exact: it is not after the record.
function offsetInBatch(log: PartitionLog, time: number, batch: Buffer, header: BatchHeader): TimedOffset | undefined {
  const { baseOffset, baseTimestamp, maxTimestamp } = header;
  try {
    for (const record of readRecords(batch, header, expansionLimit(log.config.maxMessageBytes))) {
      const found = { offset: baseOffset + record.offsetDelta, timestamp: baseTimestamp + record.timestampDelta };
      if (found.timestamp >= time && found.offset >= log.startOffset) return found;
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return { offset: Math.max(baseOffset, log.startOffset), timestamp: maxTimestamp };
  }
}

// Returns the newest record, which is not always the last.
export async function newestOffset(log: PartitionLog, below: number): Promise<TimedOffset | undefined> {
  const newest = Math.max(...log.segments.map(({ maxTimestamp }) => maxTimestamp));
  return newest < 0 ? undefined : offsetAtTime(log, newest, below);
}
