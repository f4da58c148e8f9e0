// Snappy in the framing of Java's library, which Kafka's clients use: a header and blocks, each with its length. A few
// clients send a bare block.
import { compress, uncompressBlocks } from '../../../core/compression/snappy.ts';

const blockBytes = 32 * 1024;
const magic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const header = Buffer.from([...magic, 0, 0, 0, 1, 0, 0, 0, 1]);

export function compressSnappy(bytes: Buffer): Buffer {
  const parts: Buffer[] = [header];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const compressed = compress(bytes.subarray(at, at + blockBytes));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(compressed.length);
    parts.push(length, compressed);
  }
  return Buffer.concat(parts);
}

export function expandSnappy(bytes: Buffer, most: number): Buffer {
  if (!bytes.subarray(0, magic.length).equals(magic)) return uncompressBlocks([bytes], most);
  const blocks: Buffer[] = [];
  for (let at = header.length; at < bytes.length; ) {
    const from = at + 4;
    at = from + bytes.readUInt32BE(at);
    if (at > bytes.length) throw new RangeError('a block is truncated');
    blocks.push(bytes.subarray(from, at));
  }
  return uncompressBlocks(blocks, most);
}
