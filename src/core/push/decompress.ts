// Decompresses a body. The result never exceeds `mostBytes`, whatever the body claims.
import * as zlib from 'node:zlib';
import { CompressionError } from '../compression/compression-error.ts';
import { uncompress } from '../compression/snappy.ts';
import { isFramed, uncompressFrames } from '../compression/snappy-frames.ts';
import { type PushCoding, UnreadablePush } from './push-body.ts';

// The result may be in memory that the next call overwrites.
export function decompress(body: Uint8Array, coding: PushCoding, mostBytes: number): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (coding === 'snappy') return unsnapped(bytes, mostBytes);
  if (coding !== 'identity') return unzipped(bytes, coding, mostBytes);
  if (bytes.length > mostBytes) throw tooLarge(mostBytes);
  return bytes;
}

function unsnapped(bytes: Buffer, mostBytes: number): Buffer {
  try {
    return isFramed(bytes) ? uncompressFrames(bytes, mostBytes) : uncompress(bytes, mostBytes);
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    throw error.tooLarge ? tooLarge(mostBytes) : new UnreadablePush(error.message);
  }
}

function unzipped(bytes: Buffer, coding: 'gzip' | 'zstd' | 'deflate', mostBytes: number): Buffer {
  const options = { maxOutputLength: Math.max(1, mostBytes) };
  try {
    if (coding === 'gzip') return zlib.gunzipSync(bytes, options);
    if (coding === 'deflate')
      return hasZlibHeader(bytes) ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options);
    return zlib.zstdDecompressSync(bytes, { ...options, params: zstdParameters(mostBytes) });
  } catch (error) {
    if (tooLargeCodes.includes(codeOf(error))) throw tooLarge(mostBytes);
    throw new UnreadablePush(`the body is not valid ${coding}`);
  }
}

const tooLargeCodes: unknown[] = ['ERR_BUFFER_TOO_LARGE', 'ZSTD_error_frameParameter_windowTooLarge'];

// A frame declares the window that its decoder needs, up to 2 GB. No window larger than the text is needed; but senders
// that do not know their length declare 8 MiB, which every decoder should accept.
function zstdParameters(mostBytes: number): Record<number, number> {
  const bits = Math.ceil(Math.log2(Math.max(mostBytes, 1)));
  return { [zlib.constants.ZSTD_d_windowLogMax]: Math.min(Math.max(bits, 23), 27) };
}

// Both formats, with and without a zlib header, are called deflate.
const hasZlibHeader = (bytes: Buffer): boolean =>
  bytes.length >= 2 && ((bytes[0] as number) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const tooLarge = (mostBytes: number): UnreadablePush =>
  new UnreadablePush(`the body is larger than ${mostBytes} bytes`, true);
