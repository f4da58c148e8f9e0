// The values of a chunk. Most metrics are decimals with few digits: multiplied by a power of ten they are integers
// (integer-coding.ts), and the writer checks that dividing gives the same doubles again. Other values (stale markers,
// infinities, thirds) are exceptions if they are rare; otherwise all values are written as the XOR with their
// predecessor, in byte planes.
import { ByteCursor, ByteWriter } from './bytes.ts';
import { mostInteger, readIntegers, writeIntegers } from './integer-coding.ts';

// The header describes the values: nothing; all are numbers; all are numbers and never decrease.
export const shapes = { any: 0, numbers: 1, rising: 2 } as const;
export type Shape = (typeof shapes)[keyof typeof shapes];

const mostDigits = 9;
const powers = Array.from({ length: mostDigits + 1 }, (_, digits) => 10 ** digits);
const bits = 255; // instead of the number of digits

let scaled = new Float64Array(1024);
let copy = new Float64Array(1024);
const exceptions = new ByteWriter(256);
let exceptionCount = 0;

export function writeValues(out: ByteWriter, values: Float64Array, count: number): void {
  if (scaled.length < count) scaled = new Float64Array(Math.max(count, scaled.length * 2));
  for (let digits = 0; digits <= mostDigits; ) {
    const next = scale(values, count, digits);
    if (next === digits) {
      out.byte(digits);
      out.varint(exceptionCount);
      out.bytes(exceptions.written());
      writeIntegers(out, scaled, count);
      return;
    }
    digits = next;
  }
  writeBits(out, values, count);
}

// Fills `scaled` and the exceptions. Returns a different number of digits if more are needed, or too many.
function scale(values: Float64Array, count: number, digits: number): number {
  const power = powers[digits] as number;
  const mostExceptions = count >>> 4;
  let before = 0;
  let lastException = -1;
  exceptions.length = 0;
  exceptionCount = 0;
  for (let at = 0; at < count; at++) {
    const value = values[at] as number;
    const integer = Math.round(value * power);
    if (integer / power === value && Math.abs(integer) <= mostInteger && (integer !== 0 || !Object.is(value, -0))) {
      scaled[at] = integer;
      before = integer;
      continue;
    }
    const needed = digitsOf(value, digits + 1);
    if (needed <= mostDigits) return needed;
    if (++exceptionCount > mostExceptions + 1) return mostDigits + 1;
    exceptions.varint(at - lastException - 1);
    lastException = at;
    // As bytes, never as a number: the bits of a NaN have a meaning.
    exceptions.bytes(new Uint8Array(values.buffer, values.byteOffset + at * 8, 8));
    scaled[at] = before;
  }
  // A single exception is expensive in a small chunk.
  return exceptionCount > 0 && count < 4 ? mostDigits + 1 : digits;
}

function digitsOf(value: number, from: number): number {
  if (!Number.isFinite(value) || value === 0) return mostDigits + 1;
  for (let digits = from; digits <= mostDigits; digits++) {
    const power = powers[digits] as number;
    const integer = Math.round(value * power);
    if (Math.abs(integer) > mostInteger) break;
    if (integer / power === value) return digits;
  }
  return mostDigits + 1;
}

// A plane of zeros is omitted; a bit mask marks the present planes.
function writeBits(out: ByteWriter, values: Float64Array, count: number): void {
  if (copy.length < count) copy = new Float64Array(Math.max(count, copy.length * 2));
  copy.set(values.subarray(0, count));
  const words = new Uint32Array(copy.buffer, 0, count * 2);
  let lowBits = 0;
  let highBits = 0;
  for (let at = count * 2 - 1; at >= 2; at -= 2) {
    const high = (words[at] as number) ^ (words[at - 2] as number);
    const low = (words[at - 1] as number) ^ (words[at - 3] as number);
    words[at] = high;
    words[at - 1] = low;
    highBits |= high;
    lowBits |= low;
  }
  const mask = presentBytes(lowBits) | (presentBytes(highBits) << 4);
  out.byte(bits);
  out.byte(mask);
  out.bytes(new Uint8Array(copy.buffer, 0, 8));
  out.reserve(count * 8);
  const { data } = out;
  for (let plane = 0; plane < 8; plane++) {
    if ((mask & (1 << plane)) === 0) continue;
    const shift = (plane & 3) * 8;
    for (let at = 2 + (plane >> 2); at < count * 2; at += 2) data[out.length++] = (words[at] as number) >>> shift;
  }
}

const presentBytes = (word: number): number =>
  (word & 0xff ? 1 : 0) | (word & 0xff00 ? 2 : 0) | (word & 0xff0000 ? 4 : 0) | (word & 0xff000000 ? 8 : 0);

export function readValues(cursor: ByteCursor, into: Float64Array, from: number, count: number): Shape {
  const digits = cursor.byte();
  if (digits === bits) {
    readBits(cursor, into, from, count);
    return shapes.any;
  }
  if (digits > mostDigits) throw new RangeError('unknown value encoding');
  const exceptional = cursor.varint();
  const start = cursor.at;
  for (let i = 0; i < exceptional; i++) {
    cursor.varint();
    cursor.at += 8;
  }
  const isRising = readIntegers(cursor, into, from, count);
  if (digits > 0) {
    const power = powers[digits] as number;
    for (let at = from; at < from + count; at++) into[at] = (into[at] as number) / power;
  }
  if (exceptional === 0) return isRising ? shapes.rising : shapes.numbers;
  restore(cursor.data, start, exceptional, into, from);
  return shapes.any;
}

function restore(data: Uint8Array, start: number, exceptional: number, into: Float64Array, from: number): void {
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  const cursor = new ByteCursor(data, start);
  let at = from - 1;
  for (let i = 0; i < exceptional; i++) {
    at += cursor.varint() + 1;
    bytes.set(data.subarray(cursor.at, cursor.at + 8), at * 8);
    cursor.at += 8;
  }
}

function readBits(cursor: ByteCursor, into: Float64Array, from: number, count: number): void {
  const mask = cursor.byte();
  const { data } = cursor;
  const words = new Uint32Array(into.buffer, into.byteOffset + from * 8, count * 2);
  words.fill(0);
  new Uint8Array(words.buffer, words.byteOffset, 8).set(data.subarray(cursor.at, cursor.at + 8));
  cursor.at += 8;
  for (let plane = 0; plane < 8; plane++) {
    if ((mask & (1 << plane)) === 0) continue;
    const shift = (plane & 3) * 8;
    let source = cursor.at;
    cursor.at += count - 1;
    if (cursor.at > data.length) throw new RangeError('the bytes end too early');
    for (let at = 2 + (plane >> 2); at < count * 2; at += 2)
      words[at] = (words[at] as number) | ((data[source++] as number) << shift);
  }
  for (let at = 2; at < count * 2; at++) words[at] = (words[at] as number) ^ (words[at - 2] as number);
}
