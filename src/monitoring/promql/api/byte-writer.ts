// Writes answers as bytes. Large results are mostly numbers, which are written without creating strings where possible.
import { failing } from '../query-error.ts';
import { valueNumber } from './number-format.ts';

const zero = 48;
const minus = 45;
const point = 46;
const longestNumber = 26;
const fractionDigits = 6;
const fractionScale = 1e6;
const smallest = 1 << 14;
const largestGuess = 1 << 29;
const encoder = new TextEncoder();

export class ByteWriter {
  #bytes: Uint8Array;
  #at = 0;
  readonly #most: number;

  // It fails with more than `most` bytes.
  constructor(expected = 0, most: number = Number.POSITIVE_INFINITY) {
    // Unused memory costs nothing, copying on growth does.
    this.#bytes = new Uint8Array(Math.max(smallest, Math.min(expected, most, largestGuess)));
    this.#most = most;
  }

  // Returns the bytes in a separate buffer that can be transferred to another thread.
  finish(): Uint8Array {
    const isFull = this.#at > 0.5 * this.#bytes.length;
    if (isFull && this.#at > smallest) return this.#bytes.subarray(0, this.#at);
    return new Uint8Array((this.#bytes.buffer as ArrayBuffer).transfer(this.#at));
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  json(value: unknown): void {
    this.text(JSON.stringify(value));
  }

  number(value: number): void {
    this.reserve(longestNumber);
    this.#at = writeNumber(this.#bytes, this.#at, value);
  }

  // For each step with a value: the head of the step, the value, and the end of a point, separated by commas. All heads
  // are in one array.
  points(values: Float64Array, present: Uint8Array, heads: Uint8Array, ends: Int32Array): void {
    this.reserve(heads.length + values.length * (longestNumber + 3));
    const bytes = this.#bytes;
    let at = this.#at;
    let previous = Number.NaN;
    let from = 0; // the position of the previous number, which often equals the next one
    let to = 0;
    let isFirst = true;
    for (let step = 0; step < values.length; step++) {
      if (present[step] === 0) continue;
      if (!isFirst) bytes[at++] = 44;
      isFirst = false;
      const end = ends[step] as number;
      for (let head = step === 0 ? 0 : (ends[step - 1] as number); head < end; head++)
        bytes[at++] = heads[head] as number;
      const value = values[step] as number;
      if (value === previous && value !== 0) {
        const copied = at;
        for (let each = from; each < to; each++) bytes[at++] = bytes[each] as number;
        from = copied;
      } else {
        from = at;
        at = writeNumber(bytes, at, value);
      }
      to = at;
      previous = value;
      bytes[at++] = 34;
      bytes[at++] = 93;
    }
    this.#at = at;
  }

  reserve(length: number): void {
    if (this.#at > this.#most)
      throw failing(`the result has more than ${this.#most / 2 ** 20} MB: select fewer series or steps`);
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    const grown = Math.max(needed, Math.min(2 * this.#bytes.length, this.#bytes.length + (1 << 27)));
    this.#bytes = new Uint8Array((this.#bytes.buffer as ArrayBuffer).transfer(grown));
  }
}

function writeNumber(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  const size = Math.abs(value);
  if (size < 1e15 && size >= 1e-3) {
    const isNegative = value < 0;
    if (size === Math.floor(size)) {
      if (isNegative) bytes[at++] = minus;
      return writeWhole(bytes, at, size);
    }
    // With at most 15 digits, no shorter text gives the same number.
    const scaled = Math.round(size * fractionScale);
    if (scaled / fractionScale === size && scaled < 1e15) {
      if (isNegative) bytes[at++] = minus;
      return writeFraction(bytes, at, scaled);
    }
  }
  const text = valueNumber(value);
  for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
  return at;
}

const billion = 1_000_000_000;
const powers = Float64Array.from({ length: 10 }, (_, exponent) => 10 ** exponent);

function writeWhole(bytes: Uint8Array, start: number, value: number): number {
  if (value < billion) return writeSmall(bytes, start, value, 1);
  const high = Math.floor(value / billion);
  const at = writeSmall(bytes, start, high, 1);
  return writeSmall(bytes, at, value - high * billion, 9);
}

function writeSmall(bytes: Uint8Array, start: number, value: number, least: number): number {
  let length = least;
  while (length < 9 && value >= (powers[length] as number)) length++;
  let rest = value | 0;
  for (let at = start + length - 1; at >= start; at--) {
    const tenth = (rest / 10) | 0;
    bytes[at] = zero + rest - tenth * 10;
    rest = tenth;
  }
  return start + length;
}

function writeFraction(bytes: Uint8Array, start: number, scaled: number): number {
  const whole = Math.floor(scaled / fractionScale);
  let at = writeWhole(bytes, start, whole);
  bytes[at++] = point;
  at = writeSmall(bytes, at, scaled - whole * fractionScale, fractionDigits);
  while (bytes[at - 1] === zero) at--;
  return at;
}
