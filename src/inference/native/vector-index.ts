// The vectors of a collection in memory, for searches. They are read from the state with the first search and kept
// until a document changes. The cache holds as many vectors as the largest collection has. Collections are read one at
// a time, so that searches in many of them take no more memory than in two.
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { countIn, documentsPlace, mostChunks } from './collection.ts';
import { type ChunkValues, chunkKind } from './document.ts';
import { unpacked } from './packed-vector.ts';

export interface VectorQuery {
  vector: Float32Array;
  madeBy: string; // the model
}

export interface Match {
  documentId: string;
  from: number;
  to: number;
  score: number;
}

// Either the chunks that are nearest to the question, nearest first, or the documents whose vectors another model
// created: the two can't be compared.
export type Nearest = { matches: Match[]; others?: undefined } | { others: string[]; matches?: undefined };

interface Index {
  revision: number;
  chunks: IndexedChunk[];
  makers: Map<string, Set<string>>; // the documents by the model that created their vectors
}

interface IndexedChunk {
  documentId: string;
  from: number;
  to: number;
  vector: Float32Array; // without trailing zeros
}

export class VectorIndexes {
  readonly #store: Store;
  readonly #kept = new Map<string, Index>(); // by collection, the most recently used one at the end

  constructor(store: Store) {
    this.#store = store;
  }

  async nearest(collection: Row, { vector, madeBy }: VectorQuery, most: number): Promise<Nearest> {
    const { chunks, makers } = await this.#indexOf(collection);
    const others = new Set([...makers].flatMap(([maker, documents]) => (maker === madeBy ? [] : [...documents])));
    if (others.size > 0) return { others: [...others] };
    const scores = chunks.map(({ documentId, from, to, vector: other }): Match => {
      let score = 0;
      const end = Math.min(vector.length, other.length);
      for (let at = 0; at < end; at++) score += (vector[at] as number) * (other[at] as number);
      return { documentId, from, to, score };
    });
    return { matches: scores.sort((a, b) => b.score - a.score).slice(0, most) };
  }

  async #indexOf(collection: Row): Promise<Index> {
    const known = await this.#current(collection);
    if (known) return known;
    return this.#store.runExclusive(
      'vector indexes',
      async () => (await this.#current(collection)) ?? this.#load(collection),
    );
  }

  // Undefined: the cached index is outdated or absent.
  async #current(collection: Row): Promise<Index | undefined> {
    const revision = await countIn(this.#store, collection, 'revision');
    const known = this.#kept.get(collection.id);
    this.#kept.delete(collection.id);
    if (known?.revision !== revision) return undefined;
    this.#kept.set(collection.id, known);
    return known;
  }

  async #load(collection: Row): Promise<Index> {
    const index = await this.#read(collection);
    this.#kept.set(collection.id, index);
    for (const [oldest] of this.#kept) {
      if (this.#size() <= mostChunks || this.#kept.size === 1) break;
      this.#kept.delete(oldest);
    }
    return index;
  }

  #size(): number {
    return [...this.#kept.values()].reduce((sum, { chunks }) => sum + chunks.length, 0);
  }

  // The revision is read first, so that a change in the meantime is read with the next search.
  async #read(collection: Row): Promise<Index> {
    const index: Index = {
      revision: await countIn(this.#store, collection, 'revision'),
      chunks: [],
      makers: new Map(),
    };
    const below = `${documentsPlace(collection)}/`;
    for await (const page of this.#store.pages({ contract: collection.contract, below }))
      for (const row of page) if (row.kind === chunkKind) addChunk(index, row);
    return index;
  }
}

function addChunk({ chunks, makers }: Index, { place, body }: Row): void {
  const { from, to, vector, madeBy } = JSON.parse(body) as ChunkValues;
  const documentId = place.split('/').at(-2) as string;
  chunks.push({ documentId, from, to, vector: unpacked(vector) });
  makers.set(madeBy, (makers.get(madeBy) ?? new Set()).add(documentId));
}
