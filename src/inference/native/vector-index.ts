// The vectors of a collection in memory, for questions. They are read from the state with the first question and kept
// until a document changes; a few collections are kept at a time.
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { countIn, documentsPlace } from './collection.ts';
import { type ChunkValues, chunkKind } from './document.ts';
import { unpack } from './packed-vector.ts';

export const dimensions = 1024;
const mostVectors = 50_000; // kept of all collections together: 200 MB

export interface Match {
  documentId: string;
  from: number;
  to: number;
  score: number;
}

interface Index {
  revision: number;
  chunks: { documentId: string; from: number; to: number }[];
  vectors: Float32Array; // one behind the other
}

export class VectorIndexes {
  readonly #store: Store;
  readonly #kept = new Map<string, Index>(); // by collection, the one that was asked last at the end

  constructor(store: Store) {
    this.#store = store;
  }

  // The chunks that are nearest to the vector, nearest first.
  async nearest(collection: Row, asked: Float32Array, most: number): Promise<Match[]> {
    const { chunks, vectors } = await this.#indexOf(collection);
    const scores = chunks.map(({ documentId, from, to }, index): Match => {
      let score = 0;
      const start = index * dimensions;
      for (let at = 0; at < dimensions; at++) score += (asked[at] as number) * (vectors[start + at] as number);
      return { documentId, from, to, score };
    });
    return scores.sort((a, b) => b.score - a.score).slice(0, most);
  }

  async #indexOf(collection: Row): Promise<Index> {
    const { id } = collection;
    const revision = await countIn(this.#store, collection, 'revision');
    const known = this.#kept.get(id);
    this.#kept.delete(id);
    const index = known?.revision === revision ? known : await this.#read(collection, revision);
    this.#kept.set(id, index);
    for (const [oldest] of this.#kept) {
      if (this.#size() <= mostVectors || this.#kept.size === 1) break;
      this.#kept.delete(oldest);
    }
    return index;
  }

  #size(): number {
    return [...this.#kept.values()].reduce((sum, { chunks }) => sum + chunks.length, 0);
  }

  async #read(collection: Row, revision: number): Promise<Index> {
    const rows: Row[] = [];
    const below = `${documentsPlace(collection)}/`;
    for await (const page of this.#store.pages({ contract: collection.contract, below }))
      for (const row of page) if (row.kind === chunkKind) rows.push(row);
    const vectors = new Float32Array(rows.length * dimensions);
    const chunks = rows.map((row, index) => {
      const { from, to, vector } = JSON.parse(row.body) as ChunkValues;
      unpack(vector, vectors.subarray(index * dimensions, (index + 1) * dimensions));
      return { documentId: row.place.split('/').at(-2) as string, from, to };
    });
    return { revision, chunks, vectors };
  }
}
