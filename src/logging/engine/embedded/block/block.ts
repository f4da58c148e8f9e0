// A block: lines of one stream within a day, compressed by zstd, with a checksum. Its times, its lines and their
// metadata are compressed separately, so that a search without a match in the lines skips the rest.
import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';
import { Fault } from '../../../../base/fault.ts';
import { type LineColumns, separator, type TextColumn } from '../../packed-job.ts';
import { buildFilter } from './gram-filter.ts';
import { decodeTimes, encodeTimes } from './times.ts';

// The index entry of a block.
export interface BlockEntry {
  segment: number; // the number of its file
  at: number; // the position in the file
  sizes: [times: number, lines: number, metadata: number, filter: number]; // in this order
  sums: [body: number, filter: number]; // checksums
  count: number;
  lineBytes: number; // without separators
  metadataBytes: number; // with separators
  minNs: bigint;
  maxNs: bigint;
}

export interface EncodedBlock {
  entry: BlockEntry; // its position is not known yet
  parts: Buffer[];
}

const level = 1;
const smallBytes = 32 * 1024; // smaller data is compressed synchronously, without a thread

const compressLarge = promisify<Buffer, object, Buffer>(zstdCompress);
const decompressLarge = promisify<Buffer, object, Buffer>(zstdDecompress);

// The lines are in order; see sorted-lines.ts.
export async function encodeBlock({ count, times, lines, metadata }: LineColumns): Promise<EncodedBlock> {
  const filter = buildFilter(lines.bytes);
  const parts = await Promise.all(
    [encodeTimes(times.subarray(0, count)), lines.bytes, metadata?.bytes ?? nothing].map(compress),
  );
  return {
    parts: [...parts, filter],
    entry: {
      segment: 0,
      at: 0,
      sizes: [...parts, filter].map(({ length }) => length) as BlockEntry['sizes'],
      sums: [parts.reduce((sum, part) => crc32(part, sum), 0), crc32(filter)],
      count,
      lineBytes: lines.bytes.length - count,
      metadataBytes: metadata?.bytes.length ?? 0,
      minNs: times[0] as bigint,
      maxNs: times[count - 1] as bigint,
    },
  };
}

const nothing = Buffer.alloc(0);

async function compress(bytes: Buffer): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  const options = { chunkSize: bytes.length + 1024, params: { [constants.ZSTD_c_compressionLevel]: level } };
  return bytes.length <= smallBytes ? zstdCompressSync(bytes, options) : compressLarge(bytes, options);
}

export const bodyBytes = ({ sizes: [times, lines, metadata] }: BlockEntry): number => times + lines + metadata;
// The size in the memory of a search: lines and metadata, with separators.
export const rawBytes = ({ lineBytes, count, metadataBytes }: BlockEntry): number => lineBytes + count + metadataBytes;
export const blockBytes = (entry: BlockEntry): number => bodyBytes(entry) + entry.sizes[3];

// Decodes the requested parts of a block; damage is reported, never returned.
export class BlockBody {
  readonly #entry: BlockEntry;
  readonly #body: Buffer;

  constructor(entry: BlockEntry, body: Buffer) {
    if (body.length !== bodyBytes(entry) || crc32(body) !== entry.sums[0]) throw damagedBlock(entry);
    this.#entry = entry;
    this.#body = body;
  }

  // The bytes of all lines, with separators.
  lines(): Promise<Buffer> {
    const { sizes, lineBytes, count } = this.#entry;
    return this.#decompress(sizes[0], sizes[1], lineBytes + count);
  }

  async times(): Promise<BigInt64Array> {
    const { sizes, count } = this.#entry;
    const bytes = await this.#decompress(0, sizes[0], 9 + 8 * count);
    try {
      return decodeTimes(bytes, count);
    } catch (error) {
      throw damagedBlock(this.#entry, error);
    }
  }

  async metadata(): Promise<TextColumn | undefined> {
    const { sizes, metadataBytes, count } = this.#entry;
    if (metadataBytes === 0) return undefined;
    return splitTexts(await this.#decompress(sizes[0] + sizes[1], sizes[2], metadataBytes), count);
  }

  async columns(): Promise<LineColumns> {
    const [times, bytes, metadata] = await Promise.all([this.times(), this.lines(), this.metadata()]);
    const { count } = this.#entry;
    return { count, times, lines: splitTexts(bytes, count), ...(metadata && { metadata }) };
  }

  async #decompress(at: number, size: number, most: number): Promise<Buffer> {
    try {
      return await decompressLarge(this.#body.subarray(at, at + size), { chunkSize: most + 64, maxOutputLength: most });
    } catch (error) {
      throw damagedBlock(this.#entry, error);
    }
  }
}

export function splitTexts(bytes: Buffer, count: number): TextColumn {
  const ends = new Uint32Array(count);
  let next = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === separator) ends[next++] = at;
  return { ends, bytes };
}

export function damagedBlock({ segment, at, minNs, maxNs }: BlockEntry, cause?: unknown): Fault {
  const [from, to] = [minNs, maxNs].map((time) => new Date(Number(time / 1_000_000n)).toISOString());
  const message = `A block of the logs is damaged (file ${segment} at ${at}, lines from ${from} to ${to}).`;
  return new Fault('unavailable', message, { cause });
}
