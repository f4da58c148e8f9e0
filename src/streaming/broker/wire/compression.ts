// Compression with the two codecs that node:zlib does not have: Snappy in the framing of Java's library, and LZ4
// frames. Both list literals and copies from what was already written; repetitions are found greedily, by a hash of
// four bytes.

const wordBytes = 4;

// Calls back for each copy, with the literals before it. Returns where the literals behind the last copy begin.
function findCopies(
  block: Buffer,
  untouched: number, // so many bytes at the end stay literals
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

// Bytes that are written one behind the other into a buffer that is large enough.
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

function* blocksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const snappyBlockBytes = 32 * 1024;
const snappyHeader = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);

export function compressSnappy(bytes: Buffer): Buffer {
  const parts: Buffer[] = [snappyHeader];
  for (const block of blocksOf(bytes, snappyBlockBytes)) {
    const compressed = snappyBlock(block);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(compressed.length);
    parts.push(length, compressed);
  }
  return Buffer.concat(parts);
}

function snappyBlock(block: Buffer): Buffer {
  const output = new Output(32 + block.length + Math.ceil(block.length / 6));
  let left = block.length;
  for (; left > 127; left >>>= 7) output.byte((left & 127) | 128);
  output.byte(left);
  const literal = (bytes: Buffer): void => {
    const length = bytes.length - 1;
    if (length < 0) return;
    if (length < 60) output.byte(length << 2);
    else if (length < 256) {
      output.byte(60 << 2);
      output.byte(length);
    } else {
      output.byte(61 << 2);
      output.short(length);
    }
    output.bytes(bytes);
  };
  const rest = findCopies(block, 0, (literals, distance, length) => {
    literal(literals);
    for (let open = length; open > 0; open -= 64) {
      output.byte(((Math.min(open, 64) - 1) << 2) | 2);
      output.short(distance);
    }
  });
  literal(block.subarray(rest));
  return output.result();
}

const lz4BlockBytes = 64 * 1024;
// Version 1, independent blocks of at most 64 KB, no checksums; the last byte is the checksum of the two before it.
const lz4Header = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
const lz4End = Buffer.alloc(4);
const lz4Untouched = 12; // the format wants no copy so near to the end

export function compressLz4(bytes: Buffer): Buffer {
  const parts: Buffer[] = [lz4Header];
  for (const block of blocksOf(bytes, lz4BlockBytes)) {
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
