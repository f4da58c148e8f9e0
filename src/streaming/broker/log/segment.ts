// One file of a partition's log, named by its first offset, with its index. Only the last segment of a log is appended
// to. Files are opened when needed and closed when they are idle.
import { type FileHandle, open, rename, rm, stat, truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { IsFrozen } from '../../../base/copy-tree.ts';
import { type BatchHeader, batchHeaderAt, batchHeaderBytes, batchSizeAt, hasRightCrc } from '../wire/record-batch.ts';
import { SparseIndex } from './sparse-index.ts';

export interface ScannedBatch {
  header: BatchHeader;
  position: number;
  bytes: Buffer; // the whole batch
}

const scanBytes = 1024 * 1024;
export const largestBatch = 128 * 1024 * 1024; // a longer one in a file is damage

// All files of a log are final, except the last one, which is still appended to.
export const isFrozenLogSegment: IsFrozen = ({ path, names }) =>
  /^\d{20}\.log$/.test(basename(path)) && names.some((name) => name.endsWith('.log') && name > basename(path));

export class Segment {
  readonly baseOffset: number;
  readonly path: string;
  readonly index = new SparseIndex();
  size = 0;
  synced = 0;
  maxTimestamp = -1;
  createdMs: number; // when its first batch was written
  aheadMs = 0; // how far the region's clock was ahead of the clients' (the machine's) at the time of writing
  isDeleted = false;
  #handle: Promise<FileHandle> | undefined;
  #lastUsedMs = 0;

  constructor(folder: string, baseOffset: number, createdMs: number) {
    this.baseOffset = baseOffset;
    this.createdMs = createdMs;
    this.path = join(folder, `${String(baseOffset).padStart(20, '0')}.log`);
  }

  get indexPath(): string {
    return `${this.path.slice(0, -4)}.index`;
  }

  async handle(nowMs = 0): Promise<FileHandle> {
    this.#lastUsedMs = Math.max(nowMs, this.#lastUsedMs);
    if (!this.#handle && this.isDeleted) throw new Error(`${this.path} was replaced or deleted`);
    this.#handle ??= this.#open();
    return this.#handle;
  }

  // A failure is not cached: the next access tries again.
  #open(): Promise<FileHandle> {
    const opening = open(this.path, 'a+');
    opening.catch(() => {
      if (this.#handle === opening) this.#handle = undefined;
    });
    return opening;
  }

  // Records a batch that was written at the end.
  noteBatch(header: { baseOffset: number; maxTimestamp: number }, position: number): void {
    if (header.maxTimestamp > this.maxTimestamp) this.maxTimestamp = header.maxTimestamp;
    this.index.add(header.baseOffset, position, this.maxTimestamp);
  }

  async read(position: number, length: number, nowMs: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(length);
    const handle = await this.handle(nowMs);
    const { bytesRead } = await handle.read(buffer, 0, length, position);
    return bytesRead === length ? buffer : buffer.subarray(0, bytesRead);
  }

  // Yields batches from a position on, until the end or the first incomplete one. `checked`: stops at a wrong CRC, too.
  async *scan(from: number, checked: boolean): AsyncGenerator<ScannedBatch> {
    for (let position = from; position < this.size; ) {
      let chunk = await this.read(position, Math.min(scanBytes, this.size - position), 0);
      const first = batchSizeAt(chunk, 0);
      if (first > chunk.length && first <= Math.min(largestBatch, this.size - position))
        chunk = await this.read(position, first, 0);
      let at = 0;
      for (;;) {
        const size = batchSizeAt(chunk, at);
        if (size < batchHeaderBytes || at + size > chunk.length) break;
        const header = batchHeaderAt(chunk, at);
        if (header.magic !== 2 || header.lastOffset < header.baseOffset) return;
        if (checked && !hasRightCrc(chunk, at, size)) return;
        yield { header, position: position + at, bytes: chunk.subarray(at, at + size) };
        at += size;
      }
      if (at === 0) return;
      position += at;
    }
  }

  async sync(): Promise<void> {
    const end = this.size;
    if (end === this.synced) return;
    await (await this.handle()).datasync();
    this.synced = Math.max(this.synced, end);
    await this.index.save(this.indexPath, this.synced);
  }

  // A sealed segment is not scanned when it is opened again.
  async seal(nextOffset: number): Promise<void> {
    await this.sync();
    const end = { offset: nextOffset, position: this.size, maxTimestamp: this.maxTimestamp };
    await this.index.save(this.indexPath, this.size, end);
  }

  // Checks the file against its index, scans the part that the index does not cover, and truncates a torn end.
  async recover(): Promise<{ nextOffset: number; wasCut: boolean }> {
    this.size = (await stat(this.path)).size;
    const last = await this.index.load(this.indexPath);
    if (last && last.position === this.size) {
      this.maxTimestamp = last.maxTimestamp;
      this.synced = this.size;
      this.index.dropEnd();
      return { nextOffset: last.offset, wasCut: false };
    }
    const start = last && (await this.#hasBatchAt(last.position, last.offset)) ? last : undefined;
    if (!start) this.index.clear();
    this.maxTimestamp = start?.maxTimestamp ?? -1;
    let end = start?.position ?? 0;
    let next = start?.offset ?? this.baseOffset;
    for await (const { header, position } of this.scan(end, true)) {
      if (header.baseOffset < next) break;
      this.noteBatch(header, position);
      end = position + header.size;
      next = header.lastOffset + 1;
    }
    const wasCut = end < this.size;
    if (wasCut) await truncate(this.path, end);
    this.size = end;
    if (!start) await rm(this.indexPath, { force: true });
    return { nextOffset: next, wasCut };
  }

  async #hasBatchAt(position: number, offset: number): Promise<boolean> {
    if (position + batchHeaderBytes > this.size) return false;
    const chunk = await this.read(position, batchHeaderBytes, 0);
    return batchHeaderAt(chunk, 0).baseOffset === offset;
  }

  async closeIdle(beforeMs: number): Promise<void> {
    if (this.#handle && this.#lastUsedMs < beforeMs) await this.close();
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await (await handle)?.close();
  }

  // Readers that have the file open continue. The index is deleted first: an index without its segment would be used
  // for a later one.
  async delete(): Promise<void> {
    this.isDeleted = true;
    await rm(this.indexPath, { force: true });
    await rm(this.path, { force: true });
    await this.close();
  }

  // Replaces this file by a compacted one.
  async replaceBy(path: string): Promise<void> {
    await rm(this.indexPath, { force: true });
    await rename(path, this.path);
  }
}
