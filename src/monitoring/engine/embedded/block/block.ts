// A block: chunks of up to a band of series, ordered by series id, each with the samples of one series. The directory
// holds the position of each chunk in the payload, which is compressed as a whole. Series that are scraped together
// have the same times: these are written once, and the following chunks refer to them.
import { isMarkedAsUntransferable } from 'node:worker_threads';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteCursor, ByteWriter } from './bytes.ts';
import { readIntegers, writeIntegers } from './integer-coding.ts';
import { readValues, type Shape, writeValues } from './value-coding.ts';

const level = 3;

export interface Block {
  first: number; // ids of its series
  last: number;
  t0: number;
  t1: number;
  samples: number;
  series: number;
  directory: Uint8Array;
  payload: Uint8Array;
}

export class BlockBuilder {
  readonly #raw = new ByteWriter(1 << 16);
  readonly #entries = new ByteWriter(1024);
  #series = 0;
  #samples = 0;
  #first = 0;
  #last = 0;
  #t0 = Number.POSITIVE_INFINITY;
  #t1 = Number.NEGATIVE_INFINITY;
  #times = new Float64Array(0); // of the last chunk with its own times
  #timesCount = 0;

  get bytes(): number {
    return this.#raw.length;
  }

  get samples(): number {
    return this.#samples;
  }

  // Ids and times must ascend.
  add(id: number, times: Float64Array, values: Float64Array, count: number): void {
    const start = this.#raw.length;
    const isShared = this.#hasTimes(times, count);
    if (!isShared) {
      writeIntegers(this.#raw, times, count);
      if (this.#times.length < count) this.#times = new Float64Array(count);
      this.#times.set(times.subarray(0, count));
      this.#timesCount = count;
    }
    writeValues(this.#raw, values, count);
    this.#entries.varint((id - this.#last) * 2 + (isShared ? 1 : 0));
    if (!isShared) this.#entries.varint(count);
    this.#entries.varint(this.#raw.length - start);
    if (this.#series++ === 0) this.#first = id;
    this.#last = id;
    this.#samples += count;
    this.#t0 = Math.min(this.#t0, times[0] as number);
    this.#t1 = Math.max(this.#t1, times[count - 1] as number);
  }

  #hasTimes(times: Float64Array, count: number): boolean {
    if (count !== this.#timesCount) return false;
    for (let at = 0; at < count; at++) if (times[at] !== this.#times[at]) return false;
    return true;
  }

  finish(): Block {
    const directory = new ByteWriter(this.#entries.length + 16);
    directory.varint(this.#raw.length);
    directory.varint(this.#series);
    directory.bytes(this.#entries.written());
    const block = {
      first: this.#first,
      last: this.#last,
      t0: this.#t0,
      t1: this.#t1,
      samples: this.#samples,
      series: this.#series,
      directory: directory.written(),
      payload: pack(this.#raw.written()),
    };
    this.#raw.length = this.#entries.length = 0;
    this.#series = this.#samples = this.#first = this.#last = this.#timesCount = 0;
    this.#t0 = Number.POSITIVE_INFINITY;
    this.#t1 = Number.NEGATIVE_INFINITY;
    return block;
  }
}

function pack(raw: Uint8Array): Uint8Array {
  return zstdCompressSync(raw, {
    chunkSize: Math.max(64, raw.length + (raw.length >>> 7) + 128),
    params: { [constants.ZSTD_c_compressionLevel]: level },
  });
}

export interface Directory {
  rawBytes: number;
  ids: Uint32Array;
  counts: Uint32Array;
  starts: Uint32Array;
  timesAt: Uint32Array; // the chunk that has the times
}

export function readDirectory(bytes: Uint8Array): Directory {
  const cursor = new ByteCursor(bytes);
  const rawBytes = cursor.varint();
  const series = cursor.varint();
  if (series > bytes.length) throw new RangeError('a directory has fewer entries than its header says');
  const ids = new Uint32Array(series);
  const counts = new Uint32Array(series);
  const starts = new Uint32Array(series);
  const timesAt = new Uint32Array(series);
  let id = 0;
  let start = 0;
  let count = 0;
  let source = 0;
  for (let at = 0; at < series; at++) {
    const head = cursor.varint();
    id += Math.floor(head / 2);
    if (head % 2 === 0) {
      count = cursor.varint();
      source = at;
    }
    ids[at] = id;
    counts[at] = count;
    starts[at] = start;
    timesAt[at] = source;
    start += cursor.varint();
  }
  return { rawBytes, ids, counts, starts, timesAt };
}

// Takes ownership of the payload: disposing of the reader frees its memory.
export class BlockReader implements Disposable {
  readonly directory: Directory;
  readonly #bytes: readonly [payload: Uint8Array, raw: Uint8Array];
  readonly #cursor: ByteCursor;
  #times = new Float64Array(0);
  #timesOf = -1; // the chunk of the current times
  #valuesAt = 0; // the position after them

  constructor(directory: Directory, payload: Uint8Array) {
    const { rawBytes } = directory;
    const raw = zstdDecompressSync(payload, { chunkSize: Math.max(64, rawBytes), maxOutputLength: rawBytes });
    this.directory = directory;
    this.#bytes = [payload, raw];
    this.#cursor = new ByteCursor(raw);
  }

  // Frees the memory at once instead of with the next collection: a query over a day reads a hundred megabytes, for
  // which V8 would run several full collections. Memory of Node's shared pool is not freed.
  [Symbol.dispose](): void {
    for (const { buffer } of this.#bytes)
      if (buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer)) buffer.transfer(0);
  }

  // The times of a chunk, in a longer array that is reused for chunks with other times.
  times(at: number): Float64Array {
    const { counts, starts, timesAt } = this.directory;
    const source = timesAt[at] as number;
    if (source === this.#timesOf) return this.#times;
    const count = counts[at] as number;
    if (this.#times.length < count) this.#times = new Float64Array(count);
    this.#cursor.at = starts[source] as number;
    readIntegers(this.#cursor, this.#times, 0, count);
    this.#valuesAt = this.#cursor.at;
    this.#timesOf = source;
    return this.#times;
  }

  // The values of the chunk whose times were read last.
  values(at: number, into: Float64Array, from: number): Shape {
    const { counts, starts } = this.directory;
    this.#cursor.at = at === this.#timesOf ? this.#valuesAt : (starts[at] as number);
    return readValues(this.#cursor, into, from, counts[at] as number);
  }

  read(at: number, times: Float64Array, values: Float64Array, from: number): void {
    times.set(this.times(at).subarray(0, this.directory.counts[at]), from);
    this.values(at, values, from);
  }
}
