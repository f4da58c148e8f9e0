// The records inside a batch. Compaction, look-ups by time, control batches and topics with their own codec read them;
// otherwise produce and fetch never do. The expanded size of a batch is limited, because a few bytes can claim
// gigabytes.
import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CompressionError } from '../../../core/compression/compression-error.ts';
import { compressLz4 } from '../../../core/compression/lz4-compress.ts';
import { uncompressLz4 } from '../../../core/compression/lz4-uncompress.ts';
import { compressSnappy, expandSnappy } from './java-snappy.ts';
import { MalformedError, Reader, TooLargeError } from './reader.ts';
import { type BatchHeader, batchHeaderBytes, buildBatch } from './record-batch.ts';
import { Writer } from './writer.ts';

export interface Record {
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly key: Buffer | null;
  readonly raw: Buffer; // the whole record with its length, as stored in the batch
  readonly value: Buffer | null;
}

// Named as in the settings of topics.
export const codecs = { uncompressed: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;

export interface Compression {
  codec: number;
  gzipLevel?: number;
  zstdLevel?: number;
}

const mostRecords = 131_072; // of one batch: 1 MB of the smallest with a key

// The limit for an expanded batch: decompression blocks the thread, which other clusters use too.
const leastExpansion = 8 * 1024 * 1024;
const mostExpandedBytes = 64 * 1024 * 1024;

// A topic that takes larger messages may also have larger batches.
export const expansionLimit = (maxMessageBytes: number): number =>
  Math.min(mostExpandedBytes, Math.max(leastExpansion, maxMessageBytes));

export function readRecords(batch: Buffer, header: BatchHeader, mostBytes = mostExpandedBytes): Record[] {
  const records: Record[] = [];
  eachRecord(batch, header, mostBytes, (record) => records.push(new RecordView(record)));
  return records;
}

// The position of a record in the bytes of its batch. All records reuse one object, so nothing is allocated for them.
export interface RecordPlace {
  buffer: Buffer;
  start: number;
  end: number;
  offsetDelta: number;
  timestampDelta: number;
  keyAt: number;
  keyLength: number; // -1: there is none
  valueAt: number;
  valueLength: number;
}

export function eachRecord(
  batch: Buffer,
  header: BatchHeader,
  mostBytes: number,
  visit: (place: RecordPlace) => void,
): void {
  const buffer = expand(batch.subarray(batchHeaderBytes, header.size), header.compression, mostBytes);
  if (header.count > mostRecords && header.count <= buffer.length)
    throw new TooLargeError(`a batch has ${header.count} records, ${mostRecords} are allowed`);
  const reader = new Reader(buffer, 0, buffer.length, mostRecords);
  const none = { start: 0, end: 0, offsetDelta: 0, timestampDelta: 0 };
  const place: RecordPlace = { buffer, ...none, keyAt: 0, keyLength: -1, valueAt: 0, valueLength: -1 };
  for (let count = reader.elements(header.count); count > 0; count--) {
    place.start = reader.at;
    const length = reader.varint();
    place.end = reader.at + length;
    if (length < 0 || length > reader.left) throw new MalformedError('a record exceeds its batch');
    reader.int8(); // attributes, which are unused
    place.timestampDelta = reader.varint();
    place.offsetDelta = reader.varint();
    place.keyLength = reader.varint();
    place.keyAt = reader.at;
    if (place.keyLength > 0) reader.skip(place.keyLength);
    place.valueLength = reader.varint();
    place.valueAt = reader.at;
    if (place.valueLength > 0) reader.skip(place.valueLength);
    if (reader.at > place.end) throw new MalformedError('a record exceeds its own length');
    reader.at = place.end; // the headers are not needed
    visit(place);
  }
}

// Decodes lazily: a batch can have very many records, and few callers need the bytes of all of them.
class RecordView implements Record {
  readonly #place: RecordPlace;

  constructor(place: RecordPlace) {
    this.#place = { ...place };
  }

  get offsetDelta(): number {
    return this.#place.offsetDelta;
  }

  get timestampDelta(): number {
    return this.#place.timestampDelta;
  }

  get raw(): Buffer {
    const { buffer, start, end } = this.#place;
    return buffer.subarray(start, end);
  }

  get key(): Buffer | null {
    const { buffer, keyAt, keyLength } = this.#place;
    return keyLength < 0 ? null : buffer.subarray(keyAt, keyAt + keyLength);
  }

  get value(): Buffer | null {
    const { buffer, valueAt, valueLength } = this.#place;
    return valueLength < 0 ? null : buffer.subarray(valueAt, valueAt + valueLength);
  }
}

export interface RecordHeader {
  key: string;
  value: Buffer | null;
}

// Reads the headers after the value of a record.
export function readHeaders({ raw }: Pick<Record, 'raw'>): RecordHeader[] {
  const reader = new Reader(raw);
  reader.varint(); // the length
  reader.int8();
  for (let skipped = 0; skipped < 2; skipped++) reader.varint(); // timestamp and offset
  for (let skipped = 0; skipped < 2; skipped++) nullableBytes(reader); // key and value
  const headers: RecordHeader[] = [];
  for (let count = reader.elements(reader.varint()); count > 0; count--)
    headers.push({ key: (nullableBytes(reader) ?? '').toString(), value: nullableBytes(reader) });
  return headers;
}

function nullableBytes(reader: Reader): Buffer | null {
  const length = reader.varint();
  return length < 0 ? null : reader.bytes(length);
}

function expand(bytes: Buffer, compression: number, mostBytes = mostExpandedBytes): Buffer {
  try {
    if (compression === codecs.uncompressed) return bytes;
    if (compression === codecs.gzip) return gunzipSync(bytes, { maxOutputLength: mostBytes });
    if (compression === codecs.snappy) return expandSnappy(bytes, mostBytes);
    if (compression === codecs.lz4) return uncompressLz4(bytes, mostBytes);
    if (compression === codecs.zstd) return zstdDecompressSync(bytes, { maxOutputLength: mostBytes });
  } catch (cause) {
    if (isTooLarge(cause)) throw new TooLargeError(`a batch expands to more than ${mostBytes} bytes`);
    throw new MalformedError('a batch cannot be decompressed', { cause });
  }
  throw new MalformedError(`unknown compression ${compression}`);
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof CompressionError
    ? error.tooLarge
    : error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

function compress(bytes: Buffer, { codec, gzipLevel, zstdLevel }: Compression): Buffer {
  if (codec === codecs.gzip) return gzipSync(bytes, gzipLevel === undefined ? {} : { level: gzipLevel });
  if (codec === codecs.snappy) return compressSnappy(bytes);
  if (codec === codecs.lz4) return compressLz4(bytes);
  if (codec === codecs.zstd)
    return zstdCompressSync(
      bytes,
      zstdLevel === undefined ? {} : { params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } },
    );
  return bytes;
}

// Encodes the same records in another codec.
export function recompress(batch: Buffer, header: BatchHeader, to: Compression, mostBytes: number): Buffer {
  const bytes = expand(batch.subarray(batchHeaderBytes, header.size), header.compression, mostBytes);
  return buildBatch({ ...header, compression: to.codec }, compress(bytes, to));
}

// Returns the batch with only some of its records. Offsets stay, so the header still covers the old range.
export function keepRecords(header: BatchHeader, kept: Record[]): Buffer {
  const bytes = Buffer.concat(kept.map(({ raw }) => raw));
  return buildBatch({ ...header, count: kept.length }, compress(bytes, { codec: header.compression }));
}

export function writeRecord(
  offsetDelta: number,
  timestampDelta: number,
  key: Buffer | null,
  value: Buffer | null,
  headers: readonly RecordHeader[] = [],
): Buffer {
  const content = new Writer();
  content.int8(0);
  content.varint(timestampDelta);
  content.varint(offsetDelta);
  const add = (bytes: Buffer | null): void => {
    content.varint(bytes?.length ?? -1);
    if (bytes) content.bytes(bytes);
  };
  add(key);
  add(value);
  content.varint(headers.length);
  for (const header of headers) {
    add(Buffer.from(header.key));
    add(header.value);
  }
  const record = new Writer();
  record.varint(content.length);
  record.append(content);
  return Buffer.concat(record.finish());
}

// Builds the marker that ends a transaction in a partition.
export function controlBatch(producer: { id: number; epoch: number }, committed: boolean, time: number): Buffer {
  const key = Buffer.from([0, 0, 0, committed ? 1 : 0]);
  const value = Buffer.alloc(6); // version 0, coordinator epoch 0
  const header = {
    baseOffset: 0,
    leaderEpoch: 0,
    compression: 0,
    isLogAppendTime: false,
    isTransactional: true,
    isControl: true,
    lastOffset: 0,
    baseTimestamp: time,
    maxTimestamp: time,
    producerId: producer.id,
    producerEpoch: producer.epoch,
    baseSequence: -1,
    count: 1,
  };
  return buildBatch(header, writeRecord(0, 0, key, value));
}

export const isCommitMarker = (batch: Buffer, header: BatchHeader): boolean =>
  readRecords(batch, header)[0]?.key?.readInt16BE(2) === 1;
