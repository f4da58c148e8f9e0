// Packs small blobs into segment files, so that a million of them need neither a million files nor a million syncs.
import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readAt } from '../../../base/files/file-bytes.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { DamagedBlob, noSuchBlob } from '../byte-range.ts';
import { type FindReferenced, handlesPerCall } from '../engine.ts';
import { isAbsent } from './faults.ts';
import { OpenFiles } from './open-files.ts';
import { isTornEnd, type PlacedRecord, recordAt, recordBytes, scanRecords } from './record.ts';
import { handleOf, placeOf, Segment, segmentName } from './segment.ts';
import { SegmentWriter } from './segment-writer.ts';

const mostOpenFiles = 128;

export interface SegmentsOptions {
  home: string;
  segmentBytes: number;
  now(): number;
}

export class Segments {
  readonly writer: SegmentWriter;
  readonly #segments: Map<string, Segment>; // by name
  readonly #files = new OpenFiles(mostOpenFiles);

  private constructor(segments: Map<string, Segment>, writer: SegmentWriter) {
    this.#segments = segments;
    this.writer = writer;
  }

  static async open({ home, segmentBytes, now }: SegmentsOptions): Promise<Segments> {
    const folder = join(home, 'segments');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(home);
    const segments = await segmentsIn(folder, segmentBytes);
    const writer = new SegmentWriter({
      folder,
      segmentBytes,
      now,
      active: segments.values().find(({ isFull }) => !isFull),
      onSegment: (segment) => segments.set(segment.name, segment),
    });
    return new Segments(segments, writer);
  }

  async read(handle: string): Promise<Buffer> {
    const place = placeOf(handle);
    const path = this.#segments.get(place.segment)?.path;
    if (path === undefined) throw noSuchBlob(handle);
    try {
      const length = recordBytes(place.size);
      const bytes = await this.#files.use(path, (file) => readAt(file.fd, place.offset, length));
      const record = recordAt(bytes, 0);
      if (record?.body.length !== place.size) throw new DamagedBlob(handle);
      return record.body;
    } catch (error) {
      throw isAbsent(error) ? noSuchBlob(handle) : error;
    }
  }

  // Returns false if the blob does not exist or was removed before.
  bury(handle: string): boolean {
    const place = placeOf(handle);
    return this.#segments.get(place.segment)?.bury(place) ?? false;
  }

  async sweep(beforeMs: number, findReferenced: FindReferenced): Promise<number> {
    let buried = 0;
    let handles: string[] = [];
    const judge = async (): Promise<void> => {
      const referenced = await findReferenced(handles);
      for (const handle of handles) if (!referenced.has(handle) && this.bury(handle)) buried++;
      handles = [];
    };
    for (const segment of [...this.#segments.values()]) {
      if (segment.emptiedMs !== undefined) continue;
      for await (const { offset, atMs, body } of this.scan(segment)) {
        if (atMs >= beforeMs || segment.isDead(offset)) continue;
        handles.push(handleOf({ segment: segment.name, offset, size: body.length }));
        if (handles.length === handlesPerCall) await judge();
      }
    }
    if (handles.length > 0) await judge();
    return buried;
  }

  all(): Segment[] {
    return [...this.#segments.values()];
  }

  async *scan(segment: Segment): AsyncGenerator<PlacedRecord, void> {
    const file = await open(segment.path, 'r');
    try {
      yield* scanRecords(file, segment.bytes);
    } finally {
      await file.close();
    }
  }

  async drop(segment: Segment): Promise<void> {
    this.#segments.delete(segment.name);
    await unlink(segment.path);
    await this.#files.forget(segment.path);
  }

  async close(): Promise<void> {
    await this.writer.close();
    await this.#files.close();
  }
}

// Full segments are used unchanged. The last one may end with an incomplete write, which is truncated.
async function segmentsIn(folder: string, segmentBytes: number): Promise<Map<string, Segment>> {
  const segments = new Map<string, Segment>();
  for (const fileName of await readdir(folder)) {
    const name = segmentName(fileName);
    if (name === undefined) continue;
    const { size, mtimeMs } = await stat(join(folder, fileName));
    const segment = new Segment(folder, name, size, mtimeMs);
    segment.isFull = size >= segmentBytes || (await isDamagedAtEnd(segment));
    segments.set(name, segment);
  }
  return segments;
}

// A segment with a damaged last record gets no more blobs: a new blob in its place would get the same handle.
async function isDamagedAtEnd(segment: Segment): Promise<boolean> {
  const file = await open(segment.path, 'r+');
  try {
    let end = 0;
    for await (const { offset, body } of scanRecords(file, segment.bytes)) end = offset + recordBytes(body.length);
    if (end === segment.bytes) return false;
    if (!isTornEnd(await readAt(file.fd, end, segment.bytes - end))) return true;
    await file.truncate(end);
    segment.bytes = end;
    return false;
  } finally {
    await file.close();
  }
}
