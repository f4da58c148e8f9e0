// The checks of a produced record set, batch by batch: only headers are looked at, and the CRC of the whole.
import { ProtocolError } from '../wire/errors.ts';
import { type BatchHeader, batchHeaderAt, batchHeaderBytes, batchSizeAt, hasRightCrc } from '../wire/record-batch.ts';
import { readRecords } from '../wire/records.ts';

export interface BatchLimits {
  maxBatchBytes: number;
  needsKeys: boolean; // a compacted topic
}

export interface LocatedHeader {
  header: BatchHeader;
  at: number;
}

// Producers send one batch for a partition and request; several are accepted for those without a producer id.
export function checkBatches(records: Buffer, limits: BatchLimits): LocatedHeader[] {
  const found: LocatedHeader[] = [];
  for (let at = 0; at < records.length; ) {
    const size = batchSizeAt(records, at);
    if (size < batchHeaderBytes || at + size > records.length)
      throw new ProtocolError('CORRUPT_MESSAGE', 'a batch is cut short');
    if (size > limits.maxBatchBytes)
      throw new ProtocolError('MESSAGE_TOO_LARGE', `a batch has ${size} bytes, ${limits.maxBatchBytes} are allowed`);
    const header = batchHeaderAt(records, at);
    checkHeader(header);
    if (!hasRightCrc(records, at, size)) throw new ProtocolError('CORRUPT_MESSAGE', 'the CRC of a batch is wrong');
    if (limits.needsKeys) checkKeys(records.subarray(at, at + size), header);
    found.push({ header, at });
    at += size;
  }
  if (found.length === 0) throw new ProtocolError('INVALID_RECORD', 'there is no batch');
  if (found.length > 1 && found.some(({ header }) => header.producerId >= 0))
    throw new ProtocolError('INVALID_RECORD', 'a producer with an id sends one batch at a time');
  return found;
}

function checkHeader(header: BatchHeader): void {
  const refuse = (message: string): never => {
    throw new ProtocolError('INVALID_RECORD', message);
  };
  if (header.magic !== 2)
    throw new ProtocolError('UNSUPPORTED_FOR_MESSAGE_FORMAT', `batches of format ${header.magic}`);
  if (header.compression > 4) throw new ProtocolError('UNSUPPORTED_COMPRESSION_TYPE', `codec ${header.compression}`);
  if (header.isControl) refuse('producers may not write control batches');
  if (header.count < 1 || header.lastOffset - header.baseOffset + 1 !== header.count)
    refuse('the number of records does not match the offsets');
  if (header.producerId >= 0 && (header.producerEpoch < 0 || header.baseSequence < 0))
    refuse('a producer id needs an epoch and a sequence');
  if (header.isTransactional && header.producerId < 0) refuse('a transaction needs a producer id');
}

function checkKeys(batch: Buffer, header: BatchHeader): void {
  if (readRecords(batch, header).some(({ key }) => key === null))
    throw new ProtocolError('INVALID_RECORD', 'a compacted topic needs a key in each record');
}
