// Writes the primitive types of the Kafka protocol into a list of chunks. Large byte strings, which are record
// batches, become chunks of their own without being copied.
import { setInt64 } from './reader.ts';

const smallChunk = 1024;

export class Writer {
  #chunks: Buffer[] = [];
  #buffer: Buffer = Buffer.allocUnsafe(smallChunk);
  #start = 0; // of what is not in #chunks yet
  #at = 0;
  #length = 0; // of #chunks

  get length(): number {
    return this.#length + this.#at - this.#start;
  }

  int8(value: number): void {
    this.#buffer.writeInt8(value, this.#reserve(1));
  }

  int16(value: number): void {
    this.#buffer.writeInt16BE(value, this.#reserve(2));
  }

  int32(value: number): void {
    this.#buffer.writeInt32BE(value, this.#reserve(4));
  }

  int64(value: number): void {
    setInt64(this.#buffer, value, this.#reserve(8));
  }

  float64(value: number): void {
    this.#buffer.writeDoubleBE(value, this.#reserve(8));
  }

  uuid(value: string): void {
    this.#buffer.write(value, this.#reserve(16), 'hex');
  }

  unsignedVarint(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#buffer[this.#reserve(1)] = (rest % 128) | 128;
    this.#buffer[this.#reserve(1)] = rest;
  }

  varint(value: number): void {
    this.unsignedVarint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  text(value: string, length: number): void {
    this.#buffer.write(value, this.#reserve(length), 'utf8');
  }

  // The bytes must not change until what is written has been sent.
  bytes(value: Buffer): void {
    if (value.length < smallChunk) {
      value.copy(this.#buffer, this.#reserve(value.length));
      return;
    }
    this.#cut();
    this.#chunks.push(value);
    this.#length += value.length;
  }

  append(other: Writer): void {
    for (const chunk of other.finish()) this.bytes(chunk);
  }

  finish(): Buffer[] {
    this.#cut();
    return this.#chunks;
  }

  #cut(): void {
    if (this.#at === this.#start) return;
    this.#chunks.push(this.#buffer.subarray(this.#start, this.#at));
    this.#length += this.#at - this.#start;
    this.#start = this.#at;
  }

  #reserve(length: number): number {
    if (this.#at + length > this.#buffer.length) {
      this.#cut();
      this.#buffer = Buffer.allocUnsafe(Math.max(length, Math.min(this.#buffer.length * 2, 65_536)));
      this.#at = 0;
      this.#start = 0;
    }
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
