// The positions of batches in a segment: one entry for every 32 KB, in memory and in a file next to the segment.
// Entries are written to the file only after the bytes before them are synced, so after a crash everything below the
// last entry is valid. An entry at the very end of the segment means that all of it is.
import { appendFile, readFile } from 'node:fs/promises';
import { int64At, setInt64 } from '../wire/reader.ts';

const intervalBytes = 32 * 1024;
export const entryBytes = 24;

export interface IndexEntry {
  offset: number;
  position: number;
  maxTimestamp: number; // of all batches up to and including this one
}

export class SparseIndex {
  readonly entries: IndexEntry[] = [];
  #saved = 0; // entries that are in the file

  // Must be called for each batch in order.
  add(offset: number, position: number, maxTimestamp: number): void {
    const last = this.entries.at(-1);
    if (last === undefined || position - last.position >= intervalBytes)
      this.entries.push({ offset, position, maxTimestamp });
  }

  // Returns the position at which to start the search for an offset.
  positionOf(offset: number): number {
    return this.entries[this.#lastWhere((entry) => entry.offset <= offset)]?.position ?? 0;
  }

  // Returns the position at which to start the search for the first batch that reaches a time.
  positionOfTime(time: number): number {
    return this.entries[this.#lastWhere((entry) => entry.maxTimestamp < time)]?.position ?? 0;
  }

  // Both properties never decrease from entry to entry.
  #lastWhere(holds: (entry: IndexEntry) => boolean): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.entries[middle] as IndexEntry)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  // Appends entries below a synced position. With `end`, the segment is valid up to there.
  async save(path: string, synced: number, end?: IndexEntry): Promise<void> {
    const fresh = this.entries.slice(this.#saved).filter(({ position }) => position < synced);
    this.#saved += fresh.length;
    const lines = end ? [...fresh, end] : fresh;
    if (lines.length === 0) return;
    const buffer = Buffer.allocUnsafe(lines.length * entryBytes);
    for (const [index, { offset, position, maxTimestamp }] of lines.entries()) {
      setInt64(buffer, offset, index * entryBytes);
      setInt64(buffer, position, index * entryBytes + 8);
      setInt64(buffer, maxTimestamp, index * entryBytes + 16);
    }
    await appendFile(path, buffer);
  }

  // Loads the entries of the file; returns the last one.
  async load(path: string): Promise<IndexEntry | undefined> {
    const buffer = await readFile(path).catch(() => Buffer.alloc(0));
    let last: IndexEntry | undefined;
    for (let at = 0; at + entryBytes <= buffer.length; at += entryBytes) {
      const entry = {
        offset: int64At(buffer, at),
        position: int64At(buffer, at + 8),
        maxTimestamp: int64At(buffer, at + 16),
      };
      if (last && (entry.position < last.position || entry.offset < last.offset)) break;
      last = entry;
      this.entries.push(entry);
    }
    this.#saved = this.entries.length;
    return last;
  }

  // The last loaded entry marks the end of the segment and is not a batch.
  dropEnd(): void {
    this.entries.pop();
    this.#saved = this.entries.length;
  }

  clear(): void {
    this.entries.length = 0;
    this.#saved = 0;
  }
}
