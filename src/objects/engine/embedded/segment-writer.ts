// Appends small blobs to the active segment. Blobs that arrive during a sync are written together and share the
// next one (group commit). After a write that failed, the segment is cut back and goes on; after a sync that failed
// nobody knows what is on the disk, so the segment gets no more blobs.
import { type FileHandle, open } from 'node:fs/promises';
import { randomHex } from '../../../base/ids.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { writeAll } from './file-access.ts';
import { recordBytes, recordHead } from './record.ts';
import { handleOf, Segment } from './segment.ts';

export interface SegmentWriterOptions {
  folder: string;
  segmentBytes: number; // a segment of this size gets no more blobs
  now(): number;
  active?: Segment | undefined; // left by an earlier process
  onSegment(segment: Segment): void;
}

interface Append {
  body: Uint8Array;
  resolve(handle: string): void;
  reject(error: unknown): void;
}

interface Active {
  segment: Segment;
  file: FileHandle;
}

const mostPerCommit = 500; // two buffers each, and the system takes 1024 in one call

export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  #active: Active | undefined;
  #left: Segment | undefined;
  #queue: Append[] = [];
  #running: Promise<void> | undefined;
  #commits = 0;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#left = options.active;
  }

  get commits(): number {
    return this.#commits;
  }

  // Resolves with the handle when the bytes are durable.
  append(body: Uint8Array): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#queue.push({ body, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  isActive(segment: Segment): boolean {
    return segment === this.#active?.segment || segment === this.#left;
  }

  // The next blob begins a new segment.
  async seal(): Promise<void> {
    while (this.#running) await this.#running; // another run may have begun meanwhile
    this.#left = undefined;
    await this.#leave();
  }

  close(): Promise<void> {
    return this.seal();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, mostPerCommit);
      try {
        const handles = await this.#commit(batch);
        for (const [at, { resolve }] of batch.entries()) resolve(handles[at] as string);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = undefined;
  }

  async #commit(batch: readonly Append[]): Promise<string[]> {
    this.#active ??= await this.#begin();
    const { segment, file } = this.#active;
    const atMs = this.#options.now();
    let end = segment.bytes;
    const handles = batch.map(({ body }) => {
      const handle = handleOf({ segment: segment.name, offset: end, size: body.length });
      end += recordBytes(body.length);
      return handle;
    });
    const pieces = batch.flatMap(({ body }) => [recordHead(body, atMs), body]);
    try {
      await writeAll(file, pieces, segment.bytes);
    } catch (error) {
      await file.truncate(segment.bytes).catch(() => this.#leave());
      throw error;
    }
    try {
      await file.datasync();
    } catch (error) {
      await this.#leave();
      throw error;
    }
    this.#commits += 1;
    segment.bytes = end;
    segment.newestMs = atMs;
    if (end >= this.#options.segmentBytes) await this.#leave();
    return handles;
  }

  async #begin(): Promise<Active> {
    const { folder, onSegment } = this.#options;
    const left = this.#left;
    const segment = left ?? new Segment(folder, randomHex(8), 0, 0);
    const file = await open(segment.path, left ? 'r+' : 'wx', 0o600);
    this.#left = undefined;
    try {
      await syncFolder(folder);
    } catch (error) {
      await file.close();
      this.#left = segment;
      throw error;
    }
    if (!left) onSegment(segment);
    return { segment, file };
  }

  async #leave(): Promise<void> {
    const left = this.#active;
    this.#active = undefined;
    await left?.file.close().catch(() => undefined); // it is synced
  }
}
