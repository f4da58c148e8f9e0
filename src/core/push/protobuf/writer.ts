// Writes protocol buffers. A nested message is written first and its length inserted before it.
import { isStale } from '../stale-marker.ts';
import { bytesTag, fixedTag, varintTag } from './reader.ts';

export class ProtobufWriter {
  #bytes: Buffer;
  #at = 0;

  constructor(capacity = 4096) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  // The bytes so far; valid until the next write.
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  text(field: number, text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(length + 20);
    this.#varint(bytesTag(field));
    this.#varint(length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(value.length + 20);
    this.#varint(bytesTag(field));
    this.#varint(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  int64(field: number, value: number): void {
    this.#reserve(20);
    this.#varint(varintTag(field));
    this.#varint(value);
  }

  // The stale marker is written with the bits of its signalling NaN, as by Prometheus.
  double(field: number, value: number): void {
    this.#reserve(20);
    this.#varint(fixedTag(field));
    if (isStale(value)) {
      this.#bytes.writeUInt32LE(2, this.#at);
      this.#bytes.writeUInt32LE(0x7ff00000, this.#at + 4);
    } else {
      this.#bytes.writeDoubleLE(value, this.#at);
    }
    this.#at += 8;
  }

  fixed64(field: number, value: bigint): void {
    this.#reserve(20);
    this.#varint(fixedTag(field));
    this.#at = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#at);
  }

  message(field: number, write: () => void): void {
    this.#reserve(20);
    this.#varint(bytesTag(field));
    const from = this.#at;
    write();
    const length = this.#at - from;
    const shift = bytesOf(length);
    this.#reserve(shift);
    this.#bytes.copyWithin(from + shift, from, this.#at);
    this.#at = from;
    this.#varint(length);
    this.#at += length;
  }

  #varint(value: number): void {
    let rest = value;
    if (rest < 0) {
      this.#negative(rest);
      return;
    }
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at++] = rest;
  }

  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#at++] = Number(rest);
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function bytesOf(length: number): number {
  let count = 1;
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) count++;
  return count;
}
