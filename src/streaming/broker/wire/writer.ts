// Writes the primitive types of the Kafka protocol into a list of chunks. Large byte strings, such as record batches,
// become separate chunks without being copied.
import { setInt64 } from './reader.ts';

const smallChunk = 1024;

export class Writer {
  #chunks: Buffer[] = [];
  #buffer: Buffer = Buffer.allocUnsafe(smallChunk);
  #start = 0; // of the bytes that are not in #chunks yet
  #at = 0;
  #length = 0; // of #chunks

  get length(): number {
    return this.#length + this.#at - this.#start;
  }

  int8(value: number): void {
    const at = this.#reserve(1);
    this.#buffer.writeInt8(value, at);
  }

  int16(value: number): void {
    const at = this.#reserve(2);
    this.#buffer.writeInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.#reserve(4);
    this.#buffer.writeInt32BE(value, at);
  }

  int64(value: number): void {
    const at = this.#reserve(8);
    setInt64(this.#buffer, value, at);
  }

  float64(value: number): void {
    const at = this.#reserve(8);
    this.#buffer.writeDoubleBE(value, at);
  }

  uuid(value: string): void {
    const at = this.#reserve(16);
    this.#buffer.write(value, at, 'hex');
  }

  unsignedVarint(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#byte((rest % 128) | 128);
    this.#byte(rest);
  }

  #byte(value: number): void {
    const at = this.#reserve(1);
    this.#buffer[at] = value;
  }

  varint(value: number): void {
    this.unsignedVarint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  text(value: string, length: number): void {
    const at = this.#reserve(length);
    this.#buffer.write(value, at, 'utf8');
  }

  // The bytes must not change until they are sent.
  bytes(value: Buffer): void {
    if (value.length < smallChunk) {
      const at = this.#reserve(value.length);
      value.copy(this.#buffer, at);
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

  // May replace #buffer, so call it before #buffer is read.
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
