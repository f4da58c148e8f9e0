// Reads the primitive types of the Kafka protocol from one frame. Every length is checked against the rest of the frame
// before memory is allocated, and all arrays of a frame together are limited, because a one-byte element becomes an
// object of a hundred bytes. 64-bit numbers are read as numbers: offsets and times stay below 2^53.

export class MalformedError extends Error {}

// A batch that may be valid, but contains more than the broker decompresses or reads at once.
export class TooLargeError extends MalformedError {}

const mostElements = 50_000; // of a request: a cluster has at most 4,000 partitions

export class Reader {
  readonly buffer: Buffer;
  at: number;
  #end: number;
  #elements = 0;
  readonly #mostElements: number;

  constructor(buffer: Buffer, at = 0, end = buffer.length, most = mostElements) {
    this.buffer = buffer;
    this.at = at;
    this.#end = end;
    this.#mostElements = most;
  }

  get left(): number {
    return this.#end - this.at;
  }

  int8(): number {
    return this.buffer.readInt8(this.#advance(1));
  }

  int16(): number {
    return this.buffer.readInt16BE(this.#advance(2));
  }

  int32(): number {
    return this.buffer.readInt32BE(this.#advance(4));
  }

  int64(): number {
    return int64At(this.buffer, this.#advance(8));
  }

  float64(): number {
    return this.buffer.readDoubleBE(this.#advance(8));
  }

  uuid(): string {
    const at = this.#advance(16);
    return this.buffer.toString('hex', at, at + 16);
  }

  unsignedVarint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      const byte = this.buffer[this.#advance(1)] as number;
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value > 0xffffffff) break;
        return value;
      }
    }
    throw new MalformedError('a varint is too long');
  }

  // Zig-zag encoded, as records use it; up to 64 bits.
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.buffer[this.#advance(1)] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new MalformedError('a varint is too long');
  }

  // A view, not a copy.
  bytes(length: number): Buffer {
    const at = this.#advance(length);
    return this.buffer.subarray(at, at + length);
  }

  text(length: number): string {
    const at = this.#advance(length);
    return this.buffer.toString('utf8', at, at + length);
  }

  skip(length: number): void {
    this.#advance(length);
  }

  // Returns the number of elements of an array, and refuses it if the rest of the frame can't hold them.
  elements(count: number): number {
    this.#elements += count;
    if (count < 0 || count > this.left || this.#elements > this.#mostElements)
      throw new MalformedError(`an array of ${count} elements exceeds the frame`);
    return count;
  }

  #advance(length: number): number {
    const at = this.at;
    if (length < 0 || length > this.#end - at) throw new MalformedError(`${length} bytes at ${at} exceed the frame`);
    this.at = at + length;
    return at;
  }
}

export const int64At = (buffer: Buffer, at: number): number =>
  buffer.readInt32BE(at) * 0x100000000 + buffer.readUInt32BE(at + 4);

// Clients send the largest 64-bit number for "no limit"; as a float it rounds to one more than 64 bits hold.
export function setInt64(buffer: Buffer, value: number, at: number): void {
  const isLargest = value >= 2 ** 63;
  const high = isLargest ? 0x7fffffff : Math.floor(value / 0x100000000);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(isLargest ? 0xffffffff : value - high * 0x100000000, at + 4);
}
