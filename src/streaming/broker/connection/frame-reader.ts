// Splits the bytes of a connection into frames. It never allocates memory for a length that a client only claims:
// chunks are collected as they arrive and joined when the frame is complete.
import { MalformedError } from '../wire/reader.ts';

const prefixBytes = 4;

export class FrameReader {
  readonly #mostBytes: number;
  #chunks: Buffer[] = [];
  #buffered = 0;
  #length = -1; // of the frame that is being read; -1 while its prefix is not complete

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get buffered(): number {
    return this.#buffered;
  }

  // The length of the frame that is being read; undefined while its prefix is incomplete.
  get length(): number | undefined {
    return this.#length < 0 ? undefined : this.#length;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
  }

  // Returns the next complete frame without its length.
  next(): Buffer | undefined {
    if (this.#length < 0) {
      if (this.#buffered < prefixBytes) return undefined;
      this.#length = this.#take(prefixBytes).readInt32BE(0);
      if (this.#length < 0 || this.#length > this.#mostBytes)
        throw new MalformedError(`a request of ${this.#length} bytes; ${this.#mostBytes} are allowed`);
    }
    if (this.#buffered < this.#length) return undefined;
    const frame = this.#take(this.#length);
    this.#length = -1;
    return frame;
  }

  #take(length: number): Buffer {
    this.#buffered -= length;
    const first = this.#chunks[0] ?? Buffer.alloc(0);
    if (first.length > length) {
      this.#chunks[0] = first.subarray(length);
      return first.subarray(0, length);
    }
    const parts: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const chunk = this.#chunks[0] as Buffer;
      if (chunk.length > left) {
        parts.push(chunk.subarray(0, left));
        this.#chunks[0] = chunk.subarray(left);
        break;
      }
      parts.push(chunk);
      left -= chunk.length;
      this.#chunks.shift();
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length);
  }
}
