// A segment file with many small blobs. It only grows, up to a size, and is deleted when all its blobs were removed or
// moved. Dead blobs are known from removals of this process and from sweeps.
import { join } from 'node:path';
import { noSuchBlob } from '../byte-range.ts';
import { recordBytes } from './record.ts';

export interface RecordPlace {
  segment: string; // its name
  offset: number;
  size: number; // of the blob
}

export const usualSegmentBytes = 64 * 1024 * 1024;
const ending = '.segment';

export class Segment {
  readonly name: string;
  readonly path: string;
  bytes: number; // synced bytes; later ones were never acknowledged
  newestMs: number; // when the last blob was put
  isFull = false; // it gets no more blobs
  emptiedMs: number | undefined; // when the last of its blobs was moved
  #deadBytes = 0;
  readonly #dead = new Set<number>(); // offsets

  constructor(folder: string, name: string, bytes: number, newestMs: number) {
    this.name = name;
    this.path = join(folder, name + ending);
    this.bytes = bytes;
    this.newestMs = newestMs;
  }

  // Returns false if the blob is dead already.
  bury({ offset, size }: RecordPlace): boolean {
    if (this.#dead.has(offset)) return false;
    this.#dead.add(offset);
    this.#deadBytes += recordBytes(size);
    return true;
  }

  isDead(offset: number): boolean {
    return this.#dead.has(offset);
  }

  get deadBytes(): number {
    return this.#deadBytes;
  }
}

export const segmentName = (fileName: string): string | undefined =>
  fileName.endsWith(ending) ? fileName.slice(0, -ending.length) : undefined;

export const handleOf = ({ segment, offset, size }: RecordPlace): string => `small.${segment}.${offset}.${size}`;

const form = /^small\.([0-9a-f]+)\.(\d{1,10})\.(\d{1,5})$/;

export function placeOf(handle: string): RecordPlace {
  const [, segment, offset, size] = form.exec(handle) ?? [];
  if (segment === undefined) throw noSuchBlob(handle);
  return { segment, offset: Number(offset), size: Number(size) };
}
