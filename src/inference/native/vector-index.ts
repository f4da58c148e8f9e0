// The vectors of a collection in memory, for questions. They are read from the state with the first question and kept
// until a document changes; a few collections are kept at a time.
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { countIn, documentsPlace } from './collection.ts';
import { type ChunkValues, chunkKind } from './document.ts';
import { unpack } from './packed-vector.ts';

const mostVectors = 50_000; // kept of all collections together: 200 MB

export interface Asked {
  vector: Float32Array;
  madeBy: string; // the model
}

export interface Match {
  documentId: string;
  from: number;
  to: number;
  score: number;
}

// Either the chunks that are nearest to what is asked, nearest first, or the documents whose vectors another model
// made: the two can't be compared.
export type Nearest = { matches: Match[]; others?: undefined } | { others: string[]; matches?: undefined };

interface Index {
  revision: number;
  dimensions: number;
  chunks: { documentId: string; from: number; to: number }[];
  vectors: Float32Array; // one behind the other
  makers: Map<string, Set<string>>; // the documents by the model that made their vectors
}

export class VectorIndexes {
  readonly #store: Store;
  readonly #kept = new Map<string, Index>(); // by collection, the one that was asked last at the end

  constructor(store: Store) {
    this.#store = store;
  }

  async nearest(collection: Row, { vector, madeBy }: Asked, most: number): Promise<Nearest> {
    const { chunks, vectors, makers } = await this.#indexOf(collection, vector.length);
    const others = new Set([...makers].flatMap(([maker, documents]) => (maker === madeBy ? [] : [...documents])));
    if (others.size > 0) return { others: [...others] };
    const scores = chunks.map(({ documentId, from, to }, index): Match => {
      let score = 0;
      const start = index * vector.length;
      for (let at = 0; at < vector.length; at++) score += (vector[at] as number) * (vectors[start + at] as number);
      return { documentId, from, to, score };
    });
    return { matches: scores.sort((a, b) => b.score - a.score).slice(0, most) };
  }

  async #indexOf(collection: Row, dimensions: number): Promise<Index> {
    const { id } = collection;
    const revision = await countIn(this.#store, collection, 'revision');
    const known = this.#kept.get(id);
    this.#kept.delete(id);
    const isCurrent = known?.revision === revision && known.dimensions === dimensions;
    const index = isCurrent ? known : await this.#read(collection, revision, dimensions);
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

  async #read(collection: Row, revision: number, dimensions: number): Promise<Index> {
    const rows: Row[] = [];
    const below = `${documentsPlace(collection)}/`;
    for await (const page of this.#store.pages({ contract: collection.contract, below }))
      for (const row of page) if (row.kind === chunkKind) rows.push(row);
    const vectors = new Float32Array(rows.length * dimensions);
    const makers: Index['makers'] = new Map();
    const chunks = rows.map((row, index) => {
      const { from, to, vector, madeBy } = JSON.parse(row.body) as ChunkValues;
      unpack(vector, vectors.subarray(index * dimensions, (index + 1) * dimensions));
      const documentId = row.place.split('/').at(-2) as string;
      const documents = makers.get(madeBy) ?? new Set();
      makers.set(madeBy, documents.add(documentId));
      return { documentId, from, to };
    });
    return { revision, dimensions, chunks, vectors, makers };
  }
}
