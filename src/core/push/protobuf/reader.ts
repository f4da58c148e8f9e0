// A cursor over protocol buffers, without a schema and without allocations. Nothing is trusted: every value is checked
// against the end of its message, so a truncated or corrupt body is an UnreadablePush and never read beyond its end.

import { UnreadablePush } from '../push-body.ts';
import { stale } from '../stale-marker.ts';

// A tag is the number of a field and, in the lowest three bits, the wire type.
export const varintTag = (field: number): number => field * 8;
export const fixedTag = (field: number): number => field * 8 + 1;
export const bytesTag = (field: number): number => field * 8 + 2;

export class ProtobufReader {
  readonly bytes: Buffer;
  readonly view: DataView;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
  }

  tag(end: number): number {
    const tag = this.varint(end);
    if (tag < 8 || tag > 0xffffffff) throw this.unreadable('has a field without a number');
    return tag;
  }

  // Signed, of 64 bits; exact within 2^53, which is what times, lengths and references need.
  varint(end: number): number {
    const { at } = this;
    if (at < end) {
      const byte = this.bytes[at] as number;
      if (byte < 0x80) {
        this.at = at + 1;
        return byte;
      }
    }
    return this.#longVarint(end);
  }

  // The end of a length-delimited value.
  until(end: number): number {
    const length = this.varint(end);
    const until = this.at + length;
    if (length < 0 || until > end) throw this.unreadable('is cut off');
    return until;
  }

  double(end: number): number {
    const at = this.#take(8, end);
    const value = this.view.getFloat64(at, true);
    return Number.isNaN(value) ? this.#notANumber(at) : value;
  }

  unsigned64(end: number): number {
    const at = this.#take(8, end);
    return this.view.getUint32(at + 4, true) * 0x1_0000_0000 + this.view.getUint32(at, true);
  }

  signed64(end: number): number {
    const at = this.#take(8, end);
    return this.view.getInt32(at + 4, true) * 0x1_0000_0000 + this.view.getUint32(at, true);
  }

  fixed64(end: number): bigint {
    return this.view.getBigUint64(this.#take(8, end), true);
  }

  // Nanoseconds have too many digits for a double: they are divided half by half, and rounded down.
  nanosecondsAsMs(end: number): number {
    const at = this.#take(8, end);
    const high = this.view.getUint32(at + 4, true);
    const low = this.view.getUint32(at, true);
    return high * 4294 + Math.floor((high * 967_296 + low) / 1_000_000); // 2^32 = 4294 * 10^6 + 967296
  }

  skip(tag: number, end: number): void {
    const kind = tag & 7;
    if (kind === 2) this.at = this.until(end);
    else if (kind === 0) this.varint(end);
    else if (kind === 1) this.#take(8, end);
    else if (kind === 5) this.#take(4, end);
    else throw this.unreadable('has a field of an unknown kind');
  }

  unreadable(what: string): UnreadablePush {
    return new UnreadablePush(`the protobuf message ${what} near byte ${this.at}`);
  }

  #take(count: number, end: number): number {
    const { at } = this;
    if (at + count > end) throw this.unreadable('is cut off');
    this.at = at + count;
    return at;
  }

  // Seven bits a byte, in parts of 28 bits so that each stays a small integer; the last part has the sign.
  #longVarint(end: number): number {
    const { bytes } = this;
    let { at } = this;
    let low = 0;
    let middle = 0;
    let high = 0;
    for (let nth = 0; nth < 10; nth++) {
      if (at >= end) throw this.unreadable('is cut off');
      const byte = bytes[at++] as number;
      const bits = byte & 0x7f;
      if (nth < 4) low |= bits << (nth * 7);
      else if (nth < 8) middle |= bits << (nth * 7 - 28);
      else high |= bits << (nth * 7 - 56);
      if (byte < 0x80) {
        this.at = at;
        return (((high << 24) >> 24) * 0x1000_0000 + middle) * 0x1000_0000 + low;
      }
    }
    throw this.unreadable('has a number that does not end');
  }

  // Compared by bits: the signalling stale marker and its quiet form are the same here.
  #notANumber(at: number): number {
    const high = this.view.getUint32(at + 4, true);
    const marked = this.view.getUint32(at, true) === 2 && (high === 0x7ff00000 || high === 0x7ff80000);
    return marked ? stale : Number.NaN;
  }
}
