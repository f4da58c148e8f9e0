// Snappy's block format: the length of the text, then literals and copies of earlier text. The length is untrusted, so
// it is checked, also against what the bytes can expand to, before memory is allocated. Bytes are copied four at a
// time, beyond the end of an element: the excess is overwritten by the next one, and there is slack after the last.
import { CompressionError, tooLarge } from './compression-error.ts';

const slack = 64;
const mostKept = 0x80_0000;
let kept = Buffer.allocUnsafeSlow(0);

// The text is in memory that the next call overwrites.
export function uncompress(body: Buffer, mostBytes: number): Buffer {
  const { length, at } = readLength(body, mostBytes);
  const text = roomFor(length);
  expand(body, at, text, length);
  return text.subarray(0, length);
}

// The texts of several blocks in one new buffer.
export function uncompressBlocks(blocks: readonly Buffer[], mostBytes: number): Buffer {
  let total = 0;
  const starts = blocks.map((body) => {
    const start = readLength(body, mostBytes);
    total += start.length;
    if (total > mostBytes) throw tooLarge(mostBytes);
    return start;
  });
  const text = Buffer.allocUnsafe(total + slack);
  let to = 0;
  for (const [index, { length, at }] of starts.entries()) {
    expand(blocks[index] as Buffer, at, text.subarray(to), length);
    to += length;
  }
  return text.subarray(0, total);
}

function roomFor(length: number): Buffer {
  if (length + slack <= kept.length) return kept;
  const made = Buffer.allocUnsafeSlow(Math.max(length + slack, Math.min(length * 2, mostKept)));
  if (made.length <= mostKept) kept = made;
  return made;
}

function readLength(body: Buffer, mostBytes: number): { length: number; at: number } {
  const start = claimedLength(body);
  if (start.length > mostBytes) throw tooLarge(mostBytes);
  // The densest element makes 64 bytes of three.
  if (start.length * 3 > (body.length - start.at) * 64) throw unreadable('promises more than it holds');
  return start;
}

function claimedLength(body: Buffer): { length: number; at: number } {
  let length = 0;
  for (let at = 0; at < 5 && at < body.length; at++) {
    const byte = body[at] as number;
    length += (byte & 0x7f) * 2 ** (at * 7);
    if (byte < 0x80) return { length, at: at + 1 };
  }
  throw unreadable('does not begin with a length');
}

function expand(body: Buffer, start: number, text: Buffer, length: number): void {
  const source = new DataView(body.buffer, body.byteOffset, body.length);
  const target = new DataView(text.buffer, text.byteOffset, text.length);
  const end = body.length;
  let at = start;
  let to = 0;
  while (at < end) {
    const tag = body[at++] as number;
    const kind = tag & 3;
    if (kind === 0) {
      let size = (tag >>> 2) + 1;
      if (size > 60) {
        const digits = size - 60;
        if (at + digits > end) throw unreadable('is cut off');
        size = littleEndian(body, at, digits) + 1;
        at += digits;
      }
      if (at + size > end || to + size > length) throw unreadable('has a literal beyond its end');
      if (size > 64 || at + size + 4 > end) body.copy(text, to, at, at + size);
      else
        for (let moved = 0; moved < size; moved += 4)
          target.setInt32(to + moved, source.getInt32(at + moved, true), true);
      at += size;
      to += size;
      continue;
    }
    let size = (tag >>> 2) + 1;
    let back: number;
    if (kind === 1) {
      if (at >= end) throw unreadable('is cut off');
      size = ((tag >>> 2) & 7) + 4;
      back = ((tag & 0xe0) << 3) | (body[at++] as number);
    } else if (kind === 2) {
      if (at + 2 > end) throw unreadable('is cut off');
      back = source.getUint16(at, true);
      at += 2;
    } else {
      if (at + 4 > end) throw unreadable('is cut off');
      back = source.getUint32(at, true);
      at += 4;
    }
    if (back === 0 || back > to || to + size > length) throw unreadable('has a copy beyond its ends');
    const from = to - back;
    if (back >= 4)
      for (let moved = 0; moved < size; moved += 4)
        target.setInt32(to + moved, target.getInt32(from + moved, true), true);
    else for (let moved = 0; moved < size; moved++) text[to + moved] = text[from + moved] as number;
    to += size;
  }
  if (to !== length) throw unreadable('is shorter than it says');
}

function littleEndian(bytes: Buffer, from: number, digits: number): number {
  let value = 0;
  for (let at = digits - 1; at >= 0; at--) value = value * 256 + (bytes[from + at] as number);
  return value;
}

const unreadable = (what: string): CompressionError => new CompressionError(`the Snappy body ${what}`);

const hashBits = 14;
const farthest = 0xffff;

// Greedy: every four bytes are looked up at their last position; without matches the steps grow.
export function compress(text: Uint8Array): Buffer {
  const view = new DataView(text.buffer, text.byteOffset, text.length);
  const last = new Int32Array(1 << hashBits).fill(-1);
  const out = new Elements(text);
  const searchEnd = text.length - 4;
  let written = 0; // everything before it is in an element
  let at = 0;
  let misses = 32;
  while (at <= searchEnd) {
    const four = view.getInt32(at, true);
    const slot = Math.imul(four, 0x9e3779b1) >>> (32 - hashBits);
    const before = last[slot] as number;
    last[slot] = at;
    if (before < 0 || at - before > farthest || view.getInt32(before, true) !== four) {
      at += misses++ >>> 5;
      continue;
    }
    misses = 32;
    let size = 4;
    while (at + size < text.length && text[before + size] === text[at + size]) size++;
    out.literal(written, at);
    out.copy(at - before, size);
    at += size;
    written = at;
  }
  out.literal(written, text.length);
  return out.written;
}

class Elements {
  readonly #text: Uint8Array;
  readonly #out: Buffer;
  #at = 0;

  // In the worst case a literal of one byte is between copies of four, so a text grows by a sixth at most.
  constructor(text: Uint8Array) {
    this.#text = text;
    this.#out = Buffer.allocUnsafe(32 + text.length + Math.ceil(text.length / 6));
    let rest = text.length;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#out[this.#at++] = (rest % 0x80) | 0x80;
    this.#out[this.#at++] = rest;
  }

  get written(): Buffer {
    return this.#out.subarray(0, this.#at);
  }

  literal(from: number, to: number): void {
    if (from === to) return;
    const length = to - from - 1;
    if (length < 60) {
      this.#out[this.#at++] = length << 2;
    } else {
      const digits = length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4;
      this.#out[this.#at++] = (59 + digits) << 2;
      for (let nth = 0; nth < digits; nth++) this.#out[this.#at++] = (length >>> (nth * 8)) & 0xff;
    }
    this.#out.set(this.#text.subarray(from, to), this.#at);
    this.#at += to - from;
  }

  // An element copies 64 bytes at most; what is left for the last should be the four that the short form takes.
  copy(back: number, size: number): void {
    let left = size;
    while (left > 64) {
      const part = left < 68 ? 60 : 64;
      this.#long(back, part);
      left -= part;
    }
    if (left >= 12 || back >= 2048) {
      this.#long(back, left);
      return;
    }
    this.#out[this.#at++] = 1 | ((left - 4) << 2) | ((back >>> 8) << 5);
    this.#out[this.#at++] = back & 0xff;
  }

  #long(back: number, size: number): void {
    this.#out[this.#at++] = 2 | ((size - 1) << 2);
    this.#out[this.#at++] = back & 0xff;
    this.#out[this.#at++] = back >>> 8;
  }
}
