// Reads blocks from segments. A search opens each file once; its content never changes.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readAt, segmentName } from '../segment.ts';
import { type BlockEntry, blockBytes, bodyBytes, damagedBlock, type EncodedBlock } from './block.ts';
import { mayContain } from './gram-filter.ts';

export class BlockFiles {
  readonly #folder: string;
  readonly #handles = new Map<number, number>();
  #filter = Buffer.alloc(0); // holds one filter after the other

  constructor(folder: string) {
    this.#folder = folder;
  }

  // False: none of the block's lines contains all needles.
  mayContain(entry: BlockEntry, needles: readonly Buffer[]): boolean {
    const size = entry.sizes[3];
    if (size === 0 || needles.length === 0) return true;
    if (this.#filter.length < size) this.#filter = Buffer.allocUnsafeSlow(size);
    const filter = readAt(this.#handleOf(entry.segment), entry.at + bodyBytes(entry), size, this.#filter);
    if (filter.length !== size || crc32(filter) !== entry.sums[1]) throw damagedBlock(entry);
    return needles.every((needle) => mayContain(filter, needle));
  }

  bodyOf(entry: BlockEntry): Buffer {
    return readAt(this.#handleOf(entry.segment), entry.at, bodyBytes(entry));
  }

  // Copies the block unchanged: damage stays, and is reported when the block is read.
  copyOf(entry: BlockEntry): EncodedBlock {
    const bytes = readAt(this.#handleOf(entry.segment), entry.at, blockBytes(entry));
    if (bytes.length < blockBytes(entry)) throw damagedBlock(entry);
    return { entry, parts: [bytes] };
  }

  close(): void {
    for (const handle of this.#handles.values()) closeSync(handle);
    this.#handles.clear();
  }

  #handleOf(segment: number): number {
    const known = this.#handles.get(segment);
    if (known !== undefined) return known;
    const handle = openSync(join(this.#folder, segmentName(segment)), 'r');
    this.#handles.set(segment, handle);
    return handle;
  }
}
