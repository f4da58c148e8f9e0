// Appends small blobs to the active segment through a record log: blobs that arrive during a sync share the next one. A
// full segment gets no more blobs, and is closed when its pending blobs are durable.
import { randomHex } from '../../../base/ids.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { RecordLog } from '../../../core/record-log/record-log.ts';
import { type BlobRecord, blobFraming, recordBytes } from './record.ts';
import { handleOf, Segment } from './segment.ts';

export interface SegmentWriterOptions {
  folder: string;
  segmentBytes: number; // the size at which a segment is full
  now(): number;
  active?: Segment | undefined; // left by an earlier process
  onSegment(segment: Segment): void;
}

interface Active {
  segment: Segment;
  log: RecordLog<BlobRecord>;
  bytes: number; // including pending blobs
  ready: Promise<void>; // the name of the file is durable
}

export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  readonly #open = new Set<Active>(); // including segments that are being closed
  #active: Active | undefined;
  #left: Segment | undefined;
  #closing: Promise<unknown> = Promise.resolve();
  #closedCommits = 0;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#left = options.active;
  }

  get commits(): number {
    return this.#open.values().reduce((sum, { log }) => sum + log.commits, this.#closedCommits);
  }

  // Resolves with the handle when the bytes are durable.
  async append(body: Buffer): Promise<string> {
    this.#active ??= this.#begin();
    const active = this.#active;
    const { segment, log, ready } = active;
    const atMs = this.#options.now();
    const written = log.append([{ body, atMs }]);
    segment.newestMs = Math.max(segment.newestMs, atMs);
    active.bytes += recordBytes(body.length);
    if (active.bytes >= this.#options.segmentBytes) this.#leave(active);
    const [[offset = 0]] = await Promise.all([written, ready]);
    segment.bytes = log.bytes;
    return handleOf({ segment: segment.name, offset, size: body.length });
  }

  isActive(segment: Segment): boolean {
    return segment === this.#left || this.#open.values().some((one) => one.segment === segment);
  }

  // Closes the active segment: the next blob begins a new one.
  async seal(): Promise<void> {
    this.#left = undefined;
    if (this.#active) this.#leave(this.#active);
    await this.#closing;
  }

  close(): Promise<void> {
    return this.seal();
  }

  #begin(): Active {
    const { folder, onSegment } = this.#options;
    const left = this.#left;
    const segment = left ?? new Segment(folder, randomHex(8), 0, 0);
    const { path, bytes } = segment;
    const log = new RecordLog({ path, framing: blobFraming, ...(left && { continueAt: bytes }) });
    this.#left = undefined;
    const ready = syncFolder(folder).then(() => {
      if (!left) onSegment(segment);
    });
    const active: Active = { segment, log, bytes, ready };
    this.#open.add(active);
    ready.catch(() => this.#leave(active));
    return active;
  }

  #leave(active: Active): void {
    if (this.#active === active) this.#active = undefined;
    const closed = active.log.settled().then(() => {
      if (!this.#open.delete(active)) return;
      this.#closedCommits += active.log.commits;
      active.segment.bytes = active.log.bytes;
      active.log.release();
    });
    this.#closing = Promise.allSettled([this.#closing, closed]);
  }
}
