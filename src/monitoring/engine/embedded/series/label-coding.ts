// Encodes labels as bytes, which store and identify a series in the database.
import type { Labels } from '../../../series.ts';
import { ByteCursor } from '../block/bytes.ts';

let scratch = Buffer.allocUnsafe(4096);

// Returns a buffer that the next call overwrites.
export function packLabels(labels: Labels): Buffer {
  let end = 0;
  for (const [name, value] of labels) {
    const needed = end + (name.length + value.length) * 3 + 10;
    if (needed > scratch.length) scratch = Buffer.concat([scratch], needed * 2);
    end = packText(value, packText(name, end));
  }
  return scratch.subarray(0, end);
}

function packText(text: string, start: number): number {
  // Nearly all names and values are short: then the length is one byte, and can be written afterwards.
  if (text.length * 3 < 128) {
    const written = scratch.write(text, start + 1, 'utf8');
    scratch[start] = written;
    return start + 1 + written;
  }
  let at = start;
  let rest = Buffer.byteLength(text);
  for (; rest >= 128; rest >>>= 7) scratch[at++] = (rest & 127) | 128;
  scratch[at++] = rest;
  return at + scratch.write(text, at, 'utf8');
}

export function unpackLabels(bytes: Uint8Array): [name: string, value: string][] {
  const labels: [string, string][] = [];
  const label = new PackedLabels(bytes);
  while (label.next()) labels.push([label.name(), label.value()]);
  return labels;
}

// A cursor over packed labels; names and values become strings only on demand.
export class PackedLabels {
  readonly #bytes: Buffer;
  readonly #cursor: ByteCursor;
  #start = 0;
  #nameAt = 0;
  #nameEnd = 0;
  #valueAt = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#cursor = new ByteCursor(bytes);
  }

  rewind(): void {
    this.#cursor.at = 0;
  }

  next(): boolean {
    const cursor = this.#cursor;
    if (cursor.at >= this.#bytes.length) return false;
    this.#start = cursor.at;
    const nameLength = cursor.varint();
    this.#nameAt = cursor.at;
    cursor.at += nameLength;
    this.#nameEnd = cursor.at;
    const valueLength = cursor.varint();
    this.#valueAt = cursor.at;
    cursor.at += valueLength;
    return true;
  }

  name(): string {
    return this.#bytes.toString('utf8', this.#nameAt, this.#nameEnd);
  }

  value(): string {
    return this.#bytes.toString('utf8', this.#valueAt, this.#cursor.at);
  }

  // Whether both cursors are at equal labels.
  equals(other: PackedLabels): boolean {
    const length = this.#cursor.at - this.#start;
    if (other.#cursor.at - other.#start !== length) return false;
    const [bytes, others] = [this.#bytes, other.#bytes];
    for (let at = 0; at < length; at++) if (bytes[this.#start + at] !== others[other.#start + at]) return false;
    return true;
  }
}
