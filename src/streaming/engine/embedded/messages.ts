// Reads some messages of a partition for people. The work of one request is limited, because it runs in the thread that
// serves Kafka clients.
import { Fault } from '../../../base/fault.ts';
import type { Broker } from '../../broker/broker.ts';
import type { PartitionLog } from '../../broker/log/partition-log.ts';
import { offsetAtTime, readLog } from '../../broker/log/read.ts';
import { ProtocolError } from '../../broker/wire/errors.ts';
import { MalformedError } from '../../broker/wire/reader.ts';
import { type BatchHeader, batchHeaderAt } from '../../broker/wire/record-batch.ts';
import { type Record, readHeaders, readRecords } from '../../broker/wire/records.ts';
import type { Message, MessagePage, MessageQuestion, TruncatedBytes } from '../inspection.ts';
import { topicNamed } from './inspection.ts';

const readBytes = 1024 * 1024; // at once
const mostReadBytes = 16 * 1024 * 1024; // per request
const mostBatchBytes = 4 * 1024 * 1024; // batches that are larger on disk or expanded are skipped
const mostExpandedBytes = 16 * 1024 * 1024;
const mostHeaders = 100;

export async function readMessages(broker: Broker, question: MessageQuestion): Promise<MessagePage> {
  const partition = topicNamed(broker, question.topic).partitions[question.partition];
  if (!partition) throw new Fault('missing', 'The topic does not have this partition.');
  try {
    return await readPage(broker, partition.log, question);
  } catch (error) {
    const isPassing = error instanceof ProtocolError || error instanceof MalformedError || partition.log.isClosed;
    throw isPassing ? new Fault('unavailable', 'The log changed while it was read. Try again.') : error;
  }
}

async function readPage(broker: Broker, log: PartitionLog, question: MessageQuestion): Promise<MessagePage> {
  const endOffset = log.lastStableOffset; // records of open transactions are not visible yet
  const from = await firstOffset(log, question, endOffset);
  const page: MessagePage = {
    startOffset: log.startOffset,
    endOffset,
    messages: [],
    nextOffset: from ?? endOffset,
    skipped: 0,
  };
  if (from !== undefined) await fill(page, log, question, broker.cluster.clock.now());
  return page;
}

async function firstOffset(
  log: PartitionLog,
  { at, limit }: MessageQuestion,
  endOffset: number,
): Promise<number | undefined> {
  if (at === 'oldest') return log.startOffset;
  if (at === 'newest') return Math.max(log.startOffset, endOffset - limit);
  if ('offset' in at) return Math.min(Math.max(at.offset, log.startOffset), endOffset);
  return (await offsetAtTime(log, at.timeMs, endOffset))?.offset;
}

async function fill(page: MessagePage, log: PartitionLog, question: MessageQuestion, nowMs: number): Promise<void> {
  let read = 0;
  while (page.messages.length < question.limit && page.nextOffset < page.endOffset && read < mostReadBytes) {
    const range = { offset: page.nextOffset, maxBytes: readBytes, below: page.endOffset, atLeastOne: true };
    const bytes = await readLog(log, range, nowMs);
    if (bytes.length === 0) {
      page.nextOffset = page.endOffset; // compaction has removed all later records
      return;
    }
    read += bytes.length;
    for (let at = 0; at < bytes.length && page.messages.length < question.limit; ) {
      const header = batchHeaderAt(bytes, at);
      take(page, log, question, bytes.subarray(at, at + header.size), header);
      at += header.size;
    }
  }
}

function take(
  page: MessagePage,
  log: PartitionLog,
  question: MessageQuestion,
  batch: Buffer,
  header: BatchHeader,
): void {
  for (const record of recordsOf(page, log, batch, header)) {
    const offset = header.baseOffset + record.offsetDelta;
    if (offset < page.nextOffset) continue;
    if (page.messages.length >= question.limit) return;
    page.messages.push(messageOf(record, header, offset, question.valueBytes));
    page.nextOffset = offset + 1;
  }
  page.nextOffset = header.lastOffset + 1;
}

function recordsOf(page: MessagePage, log: PartitionLog, batch: Buffer, header: BatchHeader): Record[] {
  if (header.isControl || isAborted(log, header)) return [];
  try {
    if (batch.length <= mostBatchBytes) return readRecords(batch, header, mostExpandedBytes);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
  }
  page.skipped += 1;
  return [];
}

const isAborted = ({ producers }: PartitionLog, { isTransactional, producerId, baseOffset, lastOffset }: BatchHeader) =>
  isTransactional && producers.abortedBetween(baseOffset, lastOffset + 1).some((one) => one.producerId === producerId);

const messageOf = (record: Record, header: BatchHeader, offset: number, mostBytes: number): Message => ({
  offset,
  timeMs: header.isLogAppendTime ? header.maxTimestamp : header.baseTimestamp + record.timestampDelta,
  key: shown(record.key, mostBytes),
  value: shown(record.value, mostBytes),
  headers: readHeaders(record)
    .slice(0, mostHeaders)
    .map(({ key, value }) => ({ key: key.slice(0, mostBytes), value: shown(value, mostBytes) })),
});

const shown = (bytes: Buffer | null, mostBytes: number): TruncatedBytes => ({
  base64: bytes?.subarray(0, mostBytes).toString('base64') ?? null,
  bytes: bytes?.length ?? 0,
});
