// Snappy's framing format, which the OpenTelemetry collector sends for `compression: snappy`: chunks of at most 64 KiB
// of text, each with a checksum. No block of the plain format begins with the same bytes.
import { crc32c } from '../../base/crc32c.ts';
import { CompressionError, tooLarge } from './compression-error.ts';
import { uncompress } from './snappy.ts';

const identifier = Buffer.from('ff060000734e61507059', 'hex');
const mostChunkBytes = 0x10000;
const compressed = 0;
const plain = 1;
const firstSkippable = 0x80;

export const isFramed = (body: Buffer): boolean => body.subarray(0, identifier.length).equals(identifier);

export function uncompressFrames(body: Buffer, mostBytes: number): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < body.length; ) {
    if (at + 4 > body.length) throw cutOff();
    const kind = body[at] as number;
    const from = at + 4;
    at = from + body.readUIntLE(at + 1, 3);
    if (at > body.length) throw cutOff();
    if (kind >= firstSkippable) continue;
    if (kind !== compressed && kind !== plain)
      throw new CompressionError(`the Snappy stream has a chunk of kind ${kind}`);
    if (from + 4 > at) throw cutOff();
    const text = textOf(kind, body.subarray(from + 4, at));
    if (masked(text) !== body.readUInt32LE(from))
      throw new CompressionError('a checksum of the Snappy stream is wrong');
    length += text.length;
    if (length > mostBytes) throw tooLarge(mostBytes);
    parts.push(text);
  }
  return Buffer.concat(parts, length);
}

// Copied, since the decompressed text is in reused memory.
const textOf = (kind: number, chunk: Buffer): Buffer =>
  kind === plain ? chunk : Buffer.from(uncompress(chunk, mostChunkBytes));

const cutOff = (): CompressionError => new CompressionError('the Snappy stream is cut off');

// The format masks its checksums, so that data with checksums inside can be checksummed.
function masked(bytes: Uint8Array): number {
  const sum = crc32c(bytes);
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}
