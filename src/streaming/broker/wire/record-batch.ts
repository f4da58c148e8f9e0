// Record batches of format 2, accessed through their header. The broker passes batches on unchanged: it writes only the
// base offset and the leader epoch, which the CRC does not cover.
import { crc32c } from '../../../base/crc32c.ts';
import { int64At, setInt64 } from './reader.ts';

export const batchHeaderBytes = 61;
const lengthAt = 8;
const epochAt = 12;
const magicAt = 16;
const crcAt = 17;
const attributesAt = 21;
const lastDeltaAt = 23;
const baseTimestampAt = 27;
const maxTimestampAt = 35;
const producerIdAt = 43;
const producerEpochAt = 51;
const sequenceAt = 53;
const countAt = 57;
const lengthPrefix = lengthAt + 4; // bytes that the length does not count

export interface BatchHeader {
  baseOffset: number;
  size: number; // of the whole batch in bytes
  leaderEpoch: number;
  magic: number;
  compression: number;
  isLogAppendTime: boolean;
  isTransactional: boolean;
  isControl: boolean;
  lastOffset: number;
  baseTimestamp: number;
  maxTimestamp: number;
  producerId: number;
  producerEpoch: number;
  baseSequence: number;
  count: number;
}

// Returns the size in the header of a batch; 0 if the header is truncated.
export const batchSizeAt = (buffer: Buffer, at: number): number =>
  at + lengthPrefix > buffer.length ? 0 : buffer.readInt32BE(at + lengthAt) + lengthPrefix;

export const baseOffsetAt = (buffer: Buffer, at: number): number => int64At(buffer, at);
export const lastOffsetAt = (buffer: Buffer, at: number): number =>
  int64At(buffer, at) + buffer.readInt32BE(at + lastDeltaAt);

export function batchHeaderAt(buffer: Buffer, at: number): BatchHeader {
  const attributes = buffer.readInt16BE(at + attributesAt);
  const baseOffset = int64At(buffer, at);
  return {
    baseOffset,
    size: batchSizeAt(buffer, at),
    leaderEpoch: buffer.readInt32BE(at + epochAt),
    magic: buffer.readInt8(at + magicAt),
    compression: attributes & 7,
    isLogAppendTime: (attributes & 8) !== 0,
    isTransactional: (attributes & 16) !== 0,
    isControl: (attributes & 32) !== 0,
    lastOffset: baseOffset + buffer.readInt32BE(at + lastDeltaAt),
    baseTimestamp: int64At(buffer, at + baseTimestampAt),
    maxTimestamp: int64At(buffer, at + maxTimestampAt),
    producerId: int64At(buffer, at + producerIdAt),
    producerEpoch: buffer.readInt16BE(at + producerEpochAt),
    baseSequence: buffer.readInt32BE(at + sequenceAt),
    count: buffer.readInt32BE(at + countAt),
  };
}

export function hasRightCrc(buffer: Buffer, at: number, size: number): boolean {
  return crc32c(buffer.subarray(at + attributesAt, at + size)) === buffer.readUInt32BE(at + crcAt);
}

export function setOffsetAndEpoch(buffer: Buffer, at: number, baseOffset: number, leaderEpoch: number): void {
  setInt64(buffer, baseOffset, at);
  buffer.writeInt32BE(leaderEpoch, at + epochAt);
}

// Replaces the producer's time by the broker's; the CRC covers it.
export function setLogAppendTime(buffer: Buffer, at: number, size: number, time: number): void {
  buffer.writeInt16BE(buffer.readInt16BE(at + attributesAt) | 8, at + attributesAt);
  setInt64(buffer, time, at + maxTimestampAt);
  sealBatch(buffer, at, size);
}

function sealBatch(buffer: Buffer, at: number, size: number): void {
  buffer.writeUInt32BE(crc32c(buffer.subarray(at + attributesAt, at + size)), at + crcAt);
}

// Builds a batch from encoded records.
export function buildBatch(header: Omit<BatchHeader, 'size' | 'magic'>, records: Buffer): Buffer {
  const buffer = Buffer.allocUnsafe(batchHeaderBytes + records.length);
  const { isLogAppendTime, isTransactional, isControl } = header;
  setInt64(buffer, header.baseOffset, 0);
  buffer.writeInt32BE(buffer.length - lengthPrefix, lengthAt);
  buffer.writeInt32BE(header.leaderEpoch, epochAt);
  buffer.writeInt8(2, magicAt);
  const attributes = header.compression | (isLogAppendTime ? 8 : 0) | (isTransactional ? 16 : 0) | (isControl ? 32 : 0);
  buffer.writeInt16BE(attributes, attributesAt);
  buffer.writeInt32BE(header.lastOffset - header.baseOffset, lastDeltaAt);
  setInt64(buffer, header.baseTimestamp, baseTimestampAt);
  setInt64(buffer, header.maxTimestamp, maxTimestampAt);
  setInt64(buffer, header.producerId, producerIdAt);
  buffer.writeInt16BE(header.producerEpoch, producerEpochAt);
  buffer.writeInt32BE(header.baseSequence, sequenceAt);
  buffer.writeInt32BE(header.count, countAt);
  records.copy(buffer, batchHeaderBytes);
  sealBatch(buffer, 0, buffer.length);
  return buffer;
}
