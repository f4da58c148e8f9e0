// Compression into LZ4 frames, which node:zlib does not have. Repetitions are found greedily, by a hash of four bytes.

const wordBytes = 4;

// Calls back for each copy, with the literals before it. Returns where the literals behind the last copy begin.
function findCopies(
  block: Buffer,
  untouched: number, // this many bytes at the end stay literals
  emit: (literals: Buffer, distance: number, length: number) => void,
): number {
  const table = new Int32Array(1 << 13).fill(-1);
  const end = block.length - untouched;
  let literalsFrom = 0;
  for (let at = 0; at + wordBytes <= end; ) {
    const word = block.readUInt32LE(at);
    const slot = Math.imul(word, 0x9e3779b1) >>> 19;
    const before = table[slot] as number;
    table[slot] = at;
    if (before < 0 || block.readUInt32LE(before) !== word) {
      at++;
      continue;
    }
    let length = wordBytes;
    while (at + length < end && block[before + length] === block[at + length]) length++;
    emit(block.subarray(literalsFrom, at), at - before, length);
    at += length;
    literalsFrom = at;
  }
  return literalsFrom;
}

// Bytes that are written in sequence into a buffer that is large enough.
class Output {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(most: number) {
    this.#buffer = Buffer.allocUnsafe(most);
  }

  byte(value: number): void {
    this.#at = this.#buffer.writeUInt8(value, this.#at);
  }

  short(value: number): void {
    this.#at = this.#buffer.writeUInt16LE(value, this.#at);
  }

  bytes(bytes: Buffer): void {
    this.#at += bytes.copy(this.#buffer, this.#at);
  }

  result(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }
}

const lz4BlockBytes = 64 * 1024;
// Version 1, independent blocks of at most 64 KB, no checksums; the last byte is the checksum of the two before it.
const lz4Header = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
const lz4End = Buffer.alloc(4);
const lz4Untouched = 12; // the format allows no copy this near to the end

export function compressLz4(bytes: Buffer): Buffer {
  const parts: Buffer[] = [lz4Header];
  for (let at = 0; at < bytes.length; at += lz4BlockBytes) {
    const block = bytes.subarray(at, at + lz4BlockBytes);
    const compressed = lz4Block(block);
    const isSmaller = compressed.length < block.length;
    const length = Buffer.alloc(4);
    length.writeUInt32LE(isSmaller ? compressed.length : (block.length | 0x80000000) >>> 0);
    parts.push(length, isSmaller ? compressed : block);
  }
  return Buffer.concat([...parts, lz4End]);
}

function lz4Block(block: Buffer): Buffer {
  const output = new Output(32 + block.length + Math.ceil(block.length / 255));
  const extended = (length: number): void => {
    if (length < 15) return;
    let left = length - 15;
    for (; left >= 255; left -= 255) output.byte(255);
    output.byte(left);
  };
  const literal = (bytes: Buffer, copied: number): void => {
    output.byte((Math.min(bytes.length, 15) << 4) | Math.min(copied, 15));
    extended(bytes.length);
    output.bytes(bytes);
  };
  const rest = findCopies(block, lz4Untouched, (literals, distance, length) => {
    literal(literals, length - wordBytes);
    output.short(distance);
    extended(length - wordBytes);
  });
  literal(block.subarray(rest), 0);
  return output.result();
}
