// For tests: a message of any API in any version, with a value in every field, built from its table; and batches.
import type { Field, Fields } from './field.ts';
import { batchHeaderAt, buildBatch } from './record-batch.ts';
import { readRecords, writeRecord } from './records.ts';

export type Sample = Record<string, unknown>;

// Fields that the version lacks are omitted; `depth` makes numbers differ.
export function sampleOf(fields: Fields, version: number, depth = 1): Sample {
  const here = Object.entries(fields).filter(([, { first, last }]) => version >= first && version <= last);
  return Object.fromEntries(here.map(([name, field], index) => [name, sampleValue(field, version, depth * 7 + index)]));
}

function sampleValue({ type }: Field<unknown, unknown>, version: number, seed: number): unknown {
  const { empty, fields, element } = type;
  if (fields) return sampleOf(fields, version, seed % 11);
  if (element) return [sampleValue(element, version, seed)];
  if (typeof empty === 'number') return seed % 127;
  if (typeof empty === 'boolean') return true;
  if (Buffer.isBuffer(empty)) return Buffer.from(`bytes ${seed}`);
  return /^0{32}$/.test(empty as string) ? seed.toString(16).padStart(32, 'a') : `text ${seed}`;
}

export interface BatchOptions {
  producerId?: number;
  producerEpoch?: number;
  baseSequence?: number;
  isTransactional?: boolean;
  time?: number;
  compression?: number;
}

// Builds a batch as a producer sends it. A value may have a key before a colon, and `key:` alone is a tombstone.
export function batchOf(values: string[], options: BatchOptions = {}): Buffer {
  const { time = 1_000, compression = 0 } = options;
  const records = values.map((text, delta) => {
    const [first, second] = text.split(':');
    const key = second === undefined ? null : Buffer.from(first as string);
    const value = second === undefined ? Buffer.from(text) : second === '' ? null : Buffer.from(second);
    return writeRecord(delta, 0, key, value);
  });
  const header = {
    baseOffset: 0,
    leaderEpoch: -1,
    compression,
    isLogAppendTime: false,
    isTransactional: options.isTransactional ?? false,
    isControl: false,
    lastOffset: values.length - 1,
    baseTimestamp: time,
    maxTimestamp: time,
    producerId: options.producerId ?? -1,
    producerEpoch: options.producerEpoch ?? -1,
    baseSequence: options.baseSequence ?? -1,
    count: values.length,
  };
  return buildBatch(header, Buffer.concat(records));
}

// Returns the values of all records in a set of batches, with their offsets: `3=text`.
export function valuesIn(records: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < records.length; ) {
    const header = batchHeaderAt(records, at);
    const batch = records.subarray(at, at + header.size);
    at += header.size;
    if (header.isControl) continue;
    for (const { offsetDelta, value } of readRecords(batch, header))
      found.push(`${header.baseOffset + offsetDelta}=${value?.toString() ?? ''}`);
  }
  return found;
}

// A reproducible source of numbers.
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const nasty = [0, 1, 127, 128, 255];

// Changes a few bytes, truncates the end, or makes a length enormous.
export function mutate(bytes: Buffer, next: (below: number) => number): Buffer {
  let copy = Buffer.from(bytes);
  for (let count = 1 + next(4); count > 0; count--) {
    const at = next(copy.length);
    const kind = next(4);
    if (kind === 0) copy[at] = next(256);
    else if (kind === 1) copy[at] = nasty[next(nasty.length)] as number;
    else if (kind === 2) copy = copy.subarray(0, at + 1);
    else if (at + 4 <= copy.length) copy.writeInt32BE([0x7fffffff, -2, 1 << 20][next(3)] as number, at);
  }
  return copy;
}
