// A segment: an immutable file with blocks of many streams, and at its end their directory with a checksum. A file
// without a complete directory was never finished.
import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { IsFrozen } from '../../../base/copy-tree.ts';
import { writeAll } from '../../../base/files/file-bytes.ts';
import { type BlockEntry, blockBytes, type EncodedBlock } from './block/block.ts';

export interface StreamBlocks {
  tenant: string;
  key: string;
  blocks: BlockEntry[];
}

interface Directory {
  format: 1;
  streams: { tenant: string; key: string; blocks: DirectoryRow[] }[];
}

type DirectoryRow = [
  at: number,
  sizes: BlockEntry['sizes'],
  sums: BlockEntry['sums'],
  count: number,
  lineBytes: number,
  metadataBytes: number,
  minNs: string,
  spanNs: string,
];

const tailBytes = 16; // length and checksum of the directory, mark
const mark = 'cumulogs';

export const segmentName = (number: number): string => `segment-${number}.blocks`;
// A segment is written once.
export const isFrozenLogFile: IsFrozen = ({ path }) => !Number.isNaN(segmentNumber(path));
export const segmentNumber = (name: string): number => Number(/^segment-(\d+)\.blocks$/.exec(name)?.[1] ?? Number.NaN);

export class SegmentWriter {
  readonly number: number;
  readonly #file: FileHandle;
  readonly #streams = new Map<string, StreamBlocks>();
  #at = 0;

  static async create(folder: string, number: number): Promise<SegmentWriter> {
    return new SegmentWriter(number, await open(join(folder, segmentName(number)), 'wx', 0o600));
  }

  private constructor(number: number, file: FileHandle) {
    this.number = number;
    this.#file = file;
  }

  get bytes(): number {
    return this.#at;
  }

  async add(tenant: string, key: string, { entry, parts }: EncodedBlock): Promise<void> {
    const placed: BlockEntry = { ...entry, segment: this.number, at: this.#at };
    await writeAll(this.#file.fd, parts, this.#at);
    this.#at += blockBytes(entry);
    const id = `${tenant} ${key}`;
    const stream = this.#streams.get(id);
    if (stream) stream.blocks.push(placed);
    else this.#streams.set(id, { tenant, key, blocks: [placed] });
  }

  // The file is durable when this resolves, if the folder is synced too.
  async finish(): Promise<StreamBlocks[]> {
    const streams = [...this.#streams.values()];
    const directory: Directory = {
      format: 1,
      streams: streams.map(({ tenant, key, blocks }) => ({ tenant, key, blocks: blocks.map(rowOf) })),
    };
    const bytes = zstdCompressSync(JSON.stringify(directory));
    const tail = Buffer.alloc(tailBytes);
    tail.writeUInt32LE(bytes.length, 0);
    tail.writeUInt32LE(crc32(bytes), 4);
    tail.write(mark, 8, 'latin1');
    await writeAll(this.#file.fd, [bytes, tail], this.#at);
    await this.#file.sync();
    await this.#file.close();
    return streams;
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
  }
}

// Returns the directory of a segment; undefined if it is damaged.
export function readDirectory(folder: string, number: number, size: number): StreamBlocks[] | undefined {
  const handle = openSync(join(folder, segmentName(number)), 'r');
  try {
    const tail = readAt(handle, size - tailBytes, tailBytes);
    const length = tail.readUInt32LE(0);
    if (tail.toString('latin1', 8) !== mark || length > size - tailBytes) return undefined;
    const bytes = readAt(handle, size - tailBytes - length, length);
    if (crc32(bytes) !== tail.readUInt32LE(4)) return undefined;
    const { streams } = JSON.parse(zstdDecompressSync(bytes).toString()) as Directory;
    return streams.map(({ blocks, ...stream }) => ({
      ...stream,
      blocks: blocks.map((row) => entryOf(row, number)),
    }));
  } finally {
    closeSync(handle);
  }
}

// Returns fewer bytes than requested if the file ends before. The bytes lie in `buffer`, if there is one.
export function readAt(handle: number, at: number, length: number, buffer?: Buffer): Buffer {
  const bytes = buffer?.subarray(0, length) ?? Buffer.allocUnsafeSlow(Math.max(0, length));
  let read = 0;
  while (read < bytes.length) {
    const more = readSync(handle, bytes, read, bytes.length - read, at + read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}

const rowOf = (entry: BlockEntry): DirectoryRow => {
  const { at, sizes, sums, count, lineBytes, metadataBytes, minNs, maxNs } = entry;
  return [at, sizes, sums, count, lineBytes, metadataBytes, String(minNs), String(maxNs - minNs)];
};

function entryOf(row: DirectoryRow, segment: number): BlockEntry {
  const [at, sizes, sums, count, lineBytes, metadataBytes, min, span] = row;
  const minNs = BigInt(min);
  return { segment, at, sizes, sums, count, lineBytes, metadataBytes, minNs, maxNs: minNs + BigInt(span) };
}
