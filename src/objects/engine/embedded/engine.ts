// The embedded blob engine: blobs in files below one folder, which belongs to one process at a time. Each large blob
// has its own file (files.ts), small ones share segment files (segments.ts).
import { mkdir } from 'node:fs/promises';
import { machineTime } from '../../../base/clock.ts';
import { rangeWithin } from '../byte-range.ts';
import type { BlobEngine, ByteRange, FindReferenced, MoveReference, StoredBlob } from '../engine.ts';
import { type BlobFigures, noCounts } from '../figures.ts';
import type { ReadBuffers } from '../read-buffers.ts';
import { compactSegments } from './compaction.ts';
import { blobFault } from './faults.ts';
import { BlobFiles, isFileHandle } from './files.ts';
import { mostSmallBytes } from './record.ts';
import { usualSegmentBytes } from './segment.ts';
import { Segments } from './segments.ts';

export interface EmbeddedOptions {
  folder: string;
  segmentBytes?: number;
  graceMs?: number; // how long a segment stays after its blobs were moved
  now?: () => number; // the machine's time
}

const usualGraceMs = 10 * 60_000;

export async function openEmbeddedBlobs(options: EmbeddedOptions): Promise<BlobEngine> {
  const { folder, segmentBytes = usualSegmentBytes, graceMs = usualGraceMs, now = machineTime } = options;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const files = await BlobFiles.open(folder);
    const segments = await Segments.open({ home: folder, segmentBytes, now });
    return new EmbeddedBlobs(files, segments, { now, graceMs });
  } catch (error) {
    throw blobFault(error);
  }
}

class EmbeddedBlobs implements BlobEngine {
  readonly #files: BlobFiles;
  readonly #segments: Segments;
  readonly #compaction: { now(): number; graceMs: number };
  readonly #counts = { ...noCounts(), movedBlobs: 0 };

  constructor(files: BlobFiles, segments: Segments, compaction: { now(): number; graceMs: number }) {
    this.#files = files;
    this.#segments = segments;
    this.#compaction = compaction;
  }

  async put(body: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    const source = body[Symbol.asyncIterator]();
    try {
      const { pieces, size, isAll } = await takeSmall(source);
      const stored = isAll
        ? { handle: await this.#segments.writer.append(Buffer.concat(pieces)), size }
        : await this.#files.put(resumed(pieces, source));
      this.#counts.puts += 1;
      this.#counts.putBytes += stored.size;
      return stored;
    } catch (error) {
      this.#counts.failedPuts += 1;
      await source.return?.().catch(() => undefined);
      throw blobFault(error);
    }
  }

  async *get(handle: string, range?: ByteRange, buffers?: ReadBuffers): AsyncGenerator<Uint8Array, void> {
    this.#counts.gets += 1;
    try {
      if (isFileHandle(handle)) yield* this.#files.get(handle, range, buffers);
      else {
        const bytes = await this.#segments.read(handle);
        const { offset, length } = rangeWithin(bytes.length, range);
        if (length > 0) yield bytes.subarray(offset, offset + length);
      }
    } catch (error) {
      throw blobFault(error);
    }
  }

  async remove(handles: readonly string[]): Promise<void> {
    const large = handles.filter(isFileHandle);
    for (const handle of handles) if (!isFileHandle(handle)) this.#segments.bury(handle);
    await faulted(this.#files.remove(large));
  }

  async sweep(beforeMs: number, findReferenced: FindReferenced): Promise<number> {
    const ofFiles = await faulted(this.#files.sweep(beforeMs, findReferenced));
    const ofSegments = await faulted(this.#segments.sweep(beforeMs, findReferenced));
    this.#counts.sweptBlobs += ofFiles + ofSegments;
    return ofFiles + ofSegments;
  }

  async compact(beforeMs: number, move: MoveReference): Promise<boolean> {
    const { moved, hasMore } = await faulted(compactSegments(this.#segments, this.#compaction, beforeMs, move));
    this.#counts.movedBlobs += moved;
    return hasMore;
  }

  async figures(): Promise<BlobFigures> {
    const all = this.#segments.all();
    return {
      ...this.#counts,
      groupCommits: this.#segments.writer.commits,
      segments: all.length,
      segmentBytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      deadBytes: all.reduce((sum, { deadBytes }) => sum + deadBytes, 0),
    };
  }

  close(): Promise<void> {
    return this.#segments.close();
  }
}

const faulted = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw blobFault(error);
  });

interface Beginning {
  pieces: Uint8Array[];
  size: number;
  isAll: boolean;
}

// Returns the whole body if it is small; otherwise its first pieces.
async function takeSmall(source: AsyncIterator<Uint8Array>): Promise<Beginning> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (size <= mostSmallBytes) {
    const { done, value } = await source.next();
    if (done) return { pieces, size, isAll: true };
    pieces.push(value);
    size += value.length;
  }
  return { pieces, size, isAll: false };
}

async function* resumed(pieces: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
  yield* { [Symbol.asyncIterator]: () => source };
}
