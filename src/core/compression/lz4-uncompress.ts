// Decompression of LZ4 frames, which node:zlib does not have: literals, and copies of what was already written. Bytes
// that end too early throw RangeError.
import { CompressionError, tooLarge } from './compression-error.ts';

const shortCopy = 64; // bytes, for which a call takes longer than a loop

class Expansion {
  #buffer: Buffer;
  #length = 0;
  readonly #most: number;

  constructor(expected: number, most: number) {
    this.#most = most;
    this.#buffer = Buffer.allocUnsafe(Math.min(Math.max(expected, 64), 1 << 20, most));
  }

  literal(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.#buffer, this.#length);
    this.#length += bytes.length;
  }

  // The source may overlap the target: a short pattern is repeated in steps that grow with the repetition.
  copy(distance: number, length: number): void {
    if (distance <= 0 || distance > this.#length) throw new CompressionError('a copy from before the beginning');
    this.#reserve(length);
    const from = this.#length - distance;
    if (length <= shortCopy) {
      const buffer = this.#buffer;
      let to = this.#length;
      for (let at = from; at < from + length; at++) buffer[to++] = buffer[at] as number;
      this.#length = to;
      return;
    }
    for (let end = this.#length + length; this.#length < end; ) {
      const step = Math.min(this.#length - from, end - this.#length);
      this.#buffer.copyWithin(this.#length, from, from + step);
      this.#length += step;
    }
  }

  result(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed > this.#most) throw tooLarge(this.#most);
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.min(Math.max(needed, this.#buffer.length * 2), this.#most));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

export function uncompressLz4(bytes: Buffer, most: number): Buffer {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== 0x184d2204) throw new CompressionError('not an LZ4 frame');
  const flags = bytes.readUInt8(4);
  const hasBlockChecksum = (flags & 16) !== 0;
  let at = 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0);
  const expansion = new Expansion(bytes.length * 4, most);
  for (;;) {
    const word = bytes.readUInt32LE(at);
    const length = word & 0x7fffffff;
    at += 4;
    if (word === 0) return expansion.result();
    if (at + length > bytes.length) throw new CompressionError('a block is cut short');
    const block = bytes.subarray(at, at + length);
    if (word & 0x80000000) expansion.literal(block);
    else expandLz4Block(block, expansion);
    at += length + (hasBlockChecksum ? 4 : 0);
  }
}

function expandLz4Block(block: Buffer, expansion: Expansion): void {
  let at = 0;
  const extended = (start: number): number => {
    let length = start;
    if (start !== 15) return length;
    for (;;) {
      const byte = block.readUInt8(at++);
      length += byte;
      if (byte !== 255) return length;
    }
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = extended(token >> 4);
    if (at + literals > block.length) throw new CompressionError('a literal is cut short');
    expansion.literal(block.subarray(at, at + literals));
    at += literals;
    if (at >= block.length) return; // the last sequence has no copy
    const distance = block.readUInt16LE(at);
    at += 2;
    expansion.copy(distance, extended(token & 15) + 4);
  }
}
