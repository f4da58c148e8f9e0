// The lines of a stream that are only in memory (and in the write-ahead log): columns in shared memory that grow at
// their end, so that a reader in another thread sees, without a copy, the lines that existed when it started.
import type { LineColumns, TextColumn } from '../packed-job.ts';
import { emptyTexts } from './block/sorted-lines.ts';

// A reader's view of the lines, in the order of arrival.
export interface HeadLines {
  count: number;
  isSorted: boolean; // by time, and no two times are equal
  minNs: bigint;
  maxNs: bigint;
  times: BigInt64Array;
  lines: TextColumn;
  metadata?: TextColumn;
}

const growth = 1.5;
const spare = 1.1;
const leastBytes = 512;
const leastCount = 8;

// The initial memory of a head, from the stream's past: an unchanged stream does not have to grow it.
export interface HeadSize {
  count: number;
  bytes: number;
}

export class Head {
  #count = 0;
  #isSorted = true;
  #minNs = 0n;
  #maxNs = 0n;
  #times: BigInt64Array;
  readonly #lines: GrowingTexts;
  #metadata: GrowingTexts | undefined;

  constructor({ count, bytes }: HeadSize = { count: leastCount, bytes: leastBytes }) {
    const room = { count: Math.ceil(spare * count), bytes: Math.ceil(spare * bytes) };
    this.#times = new BigInt64Array(new SharedArrayBuffer(8 * room.count));
    this.#lines = new GrowingTexts(room);
  }

  get size(): HeadSize {
    return { count: this.#count, bytes: this.#lines.size };
  }

  get count(): number {
    return this.#count;
  }

  get lineBytes(): number {
    return this.#lines.size - this.#count;
  }

  get minNs(): bigint {
    return this.#minNs;
  }

  append(columns: LineColumns): void {
    const { count, times, lines, metadata } = columns;
    if (count === 0) return;
    this.#appendTimes(times);
    this.#lines.append(this.#count, lines);
    if (metadata && !this.#metadata) {
      this.#metadata = new GrowingTexts({ count: leastCount, bytes: leastBytes });
      this.#metadata.append(0, emptyTexts(this.#count));
    }
    this.#metadata?.append(this.#count, metadata ?? emptyTexts(count));
    this.#count += count;
  }

  view(): HeadLines {
    return {
      count: this.#count,
      isSorted: this.#isSorted,
      minNs: this.#minNs,
      maxNs: this.#maxNs,
      times: this.#times,
      lines: this.#lines.view(this.#count),
      ...(this.#metadata && { metadata: this.#metadata.view(this.#count) }),
    };
  }

  #appendTimes(times: BigInt64Array): void {
    const needed = this.#count + times.length;
    if (needed > this.#times.length) {
      const grown = new BigInt64Array(new SharedArrayBuffer(8 * Math.ceil(growth * needed)));
      grown.set(this.#times.subarray(0, this.#count));
      this.#times = grown;
    }
    this.#times.set(times, this.#count);
    if (this.#count === 0) this.#minNs = this.#maxNs = times[0] as bigint;
    for (const [at, time] of times.entries()) {
      if (time > this.#maxNs) this.#maxNs = time;
      else if (this.#count + at > 0) this.#isSorted = false;
      if (time < this.#minNs) this.#minNs = time;
    }
  }
}

class GrowingTexts {
  #ends: Uint32Array;
  #bytes: Buffer;
  size = 0;

  constructor({ count, bytes }: HeadSize) {
    this.#ends = new Uint32Array(new SharedArrayBuffer(4 * count));
    this.#bytes = Buffer.from(new SharedArrayBuffer(bytes));
  }

  append(count: number, { ends, bytes }: TextColumn): void {
    if (count + ends.length > this.#ends.length) {
      const grown = new Uint32Array(new SharedArrayBuffer(4 * Math.ceil(growth * (count + ends.length))));
      grown.set(this.#ends.subarray(0, count));
      this.#ends = grown;
    }
    if (this.size + bytes.length > this.#bytes.length) {
      const grown = Buffer.from(new SharedArrayBuffer(Math.ceil(growth * (this.size + bytes.length))));
      grown.set(this.#bytes.subarray(0, this.size));
      this.#bytes = grown;
    }
    for (let at = 0; at < ends.length; at++) this.#ends[count + at] = (ends[at] as number) + this.size;
    this.#bytes.set(bytes, this.size);
    this.size += bytes.length;
  }

  view(count: number): TextColumn {
    return { ends: this.#ends.subarray(0, count), bytes: this.#bytes.subarray(0, this.size) };
  }
}
