// The recently appended chunks: a sender without an answer sends a chunk again, perhaps after a restart of the region.
// They are stored in the write-ahead log, and later in a file that is written with the blocks.
import { createHash } from 'node:crypto';

const mostChunks = 50_000;
const mostNameLength = 64;

export class SeenChunks {
  readonly #chunks: Set<string>; // the oldest first

  constructor(chunks: Iterable<string> = []) {
    this.#chunks = new Set(chunks);
  }

  has(chunk: string): boolean {
    return this.#chunks.has(chunk);
  }

  add(chunk: string): void {
    this.#chunks.add(chunk);
    if (this.#chunks.size > mostChunks) this.#chunks.delete(this.#chunks.values().next().value as string);
  }

  toJSON(): string[] {
    return [...this.#chunks];
  }
}

export function chunkName(tenant: string, chunk: string): string {
  const name = `${tenant} ${chunk}`;
  if (name.length <= 2 * mostNameLength) return name;
  return `${tenant} sha256 ${createHash('sha256').update(chunk).digest('base64')}`;
}
