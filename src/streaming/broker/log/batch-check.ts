// Checks a produced record set batch by batch: only the headers, and the CRC of the whole.
import { ProtocolError } from '../wire/errors.ts';
import { MalformedError, TooLargeError } from '../wire/reader.ts';
import { type BatchHeader, batchHeaderAt, batchHeaderBytes, batchSizeAt, hasRightCrc } from '../wire/record-batch.ts';
import { eachRecord, expansionLimit, type RecordPlace } from '../wire/records.ts';
import type { LogConfig } from './log-config.ts';

export interface BatchLimits {
  maxBatchBytes: number;
  needsKeys: boolean; // a compacted topic
  earliest: number; // the bounds for the time of a record
  latest: number;
}

// `nowMs`: the machine's time, which clients stamp their records with, whatever the region's time is.
export function limitsOf(config: LogConfig, nowMs: number): BatchLimits {
  const { maxMessageBytes, isCompacted, isLogAppendTime, timestampBeforeMs, timestampAfterMs } = config;
  const isAnyAge = isLogAppendTime || timestampBeforeMs > nowMs; // nothing is older than 1970
  return {
    maxBatchBytes: maxMessageBytes,
    needsKeys: isCompacted,
    earliest: isAnyAge ? Number.NEGATIVE_INFINITY : nowMs - timestampBeforeMs,
    latest: isLogAppendTime ? Number.POSITIVE_INFINITY : nowMs + timestampAfterMs,
  };
}

export interface LocatedHeader {
  header: BatchHeader;
  at: number;
}

// Producers send one batch per partition and request; several are accepted from those without a producer id.
export function checkBatches(records: Buffer, limits: BatchLimits): LocatedHeader[] {
  const found: LocatedHeader[] = [];
  for (let at = 0; at < records.length; ) {
    const size = batchSizeAt(records, at);
    if (size < batchHeaderBytes || at + size > records.length)
      throw new ProtocolError('CORRUPT_MESSAGE', 'a batch is truncated');
    if (size > limits.maxBatchBytes)
      throw new ProtocolError('MESSAGE_TOO_LARGE', `a batch has ${size} bytes, ${limits.maxBatchBytes} are allowed`);
    const header = batchHeaderAt(records, at);
    checkHeader(header);
    if (!hasRightCrc(records, at, size)) throw new ProtocolError('CORRUPT_MESSAGE', 'the CRC of a batch is wrong');
    checkRecords(records.subarray(at, at + size), header, limits);
    found.push({ header, at });
    at += size;
  }
  if (found.length === 0) throw new ProtocolError('INVALID_RECORD', 'the record set has no batch');
  if (found.length > 1 && found.some(({ header }) => header.producerId >= 0))
    throw new ProtocolError('INVALID_RECORD', 'a producer with an id must send one batch at a time');
  return found;
}

function checkHeader(header: BatchHeader): void {
  const refuse = (message: string): never => {
    throw new ProtocolError('INVALID_RECORD', message);
  };
  if (header.magic !== 2)
    throw new ProtocolError('UNSUPPORTED_FOR_MESSAGE_FORMAT', `unsupported batch format ${header.magic}`);
  if (header.compression > 4) throw new ProtocolError('UNSUPPORTED_COMPRESSION_TYPE', `codec ${header.compression}`);
  if (header.isControl) refuse('producers may not write control batches');
  if (header.count < 1 || header.lastOffset - header.baseOffset + 1 !== header.count)
    refuse('the number of records does not match the offsets');
  if (header.producerId >= 0 && (header.producerEpoch < 0 || header.baseSequence < 0))
    refuse('a producer id needs an epoch and a sequence');
  if (header.isTransactional && header.producerId < 0) refuse('a transaction needs a producer id');
}

// Reads the records only if the settings of the topic require it.
function checkRecords(batch: Buffer, header: BatchHeader, limits: BatchLimits): void {
  const { needsKeys, earliest, latest, maxBatchBytes } = limits;
  const refuseTime = (time: number): never => {
    throw new ProtocolError(
      'INVALID_TIMESTAMP',
      `the time ${time} of a record is not between ${earliest} and ${latest}`,
    );
  };
  if (header.maxTimestamp > latest) refuseTime(header.maxTimestamp);
  if (!needsKeys && earliest === Number.NEGATIVE_INFINITY) return;
  eachProduced(batch, header, maxBatchBytes, ({ keyLength, timestampDelta }) => {
    if (needsKeys && keyLength < 0)
      throw new ProtocolError('INVALID_RECORD', 'a compacted topic needs a key in each record');
    const time = header.baseTimestamp + timestampDelta;
    if (time < earliest && time >= 0) refuseTime(time);
  });
}

function eachProduced(
  batch: Buffer,
  header: BatchHeader,
  maxBatchBytes: number,
  visit: (place: RecordPlace) => void,
): void {
  try {
    eachRecord(batch, header, expansionLimit(maxBatchBytes), visit);
  } catch (error) {
    throw refusalOf(error);
  }
}

// Producers split a batch that is too large, and send a corrupt one again unchanged.
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof MalformedError)) return error;
  return new ProtocolError(error instanceof TooLargeError ? 'MESSAGE_TOO_LARGE' : 'CORRUPT_MESSAGE', error.message);
}
