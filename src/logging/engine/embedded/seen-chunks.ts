// The chunks that were appended lately: a sender that got no answer sends a chunk again, perhaps to a region that was
// restarted meanwhile. They are kept with the write-ahead log, and beyond it in a file that is written with the blocks.
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
