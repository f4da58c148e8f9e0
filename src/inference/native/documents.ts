// What can be done with the documents of a collection. Each change is one write set: the document, its chunks with
// their vectors, what the collection counts, and the audit entry.
import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { pathOf } from '../../core/resource.ts';
import { changedBy, madeBy } from '../../core/stamps.ts';
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { withEntry } from '../../surface/change.ts';
import type { Exchange } from '../../surface/http/exchange.ts';
import { missing } from '../../surface/regional-dialect/find.ts';
import type { Inference } from '../inference.ts';
import { type Chunk, chunksOf } from './chunks.ts';
import { countWrite, documentsPlace, valuesOf } from './collection.ts';
import {
  type ChunkValues,
  chunkId,
  chunkKind,
  countsIn,
  type DocumentCounts,
  document,
  documentKind,
  hiddenOf,
  idByName,
  type SentDocument,
} from './document.ts';
import { packed } from './packed-vector.ts';
import { VectorIndexes } from './vector-index.ts';

const textsAtOnce = 64; // that are embedded by one order

interface Embedded {
  sent: SentDocument;
  chunks: Chunk[];
  vectors: Float32Array[];
}

export interface Found {
  document: Row;
  content: string; // the part that matches
  score: number;
}

export class Documents {
  readonly #store: Store;
  readonly #inference: Inference;
  readonly #now: () => number;
  readonly #indexes: VectorIndexes;

  constructor(store: Store, inference: Inference, now: () => number) {
    this.#store = store;
    this.#inference = inference;
    this.#now = now;
    this.#indexes = new VectorIndexes(store);
  }

  async get(above: Row, id: string): Promise<Row> {
    const row = isUuid(id) ? await this.#store.get(above.contract, documentsPlace(above), id) : undefined;
    if (!row) throw missing();
    return row;
  }

  list(above: Row, offset: number, limit: number): Promise<Row[]> {
    return this.#store.range({ contract: above.contract, place: documentsPlace(above), offset, limit });
  }

  async chunks(above: Row, document: Row): Promise<Row[]> {
    return this.#store.children(above.contract, chunksPlace(above, document.id));
  }

  // Adds them, or puts them in the place of those with the same ids or names. All of them, or none.
  async put(x: Exchange, above: Row, sent: readonly SentDocument[]): Promise<Row[]> {
    const embedded = await this.#embed(x, above, sent);
    return this.#change(x, above, 'put', async (current) => {
      const writes: Write[] = [];
      const rows: Row[] = [];
      const added = { documents: 0, tokens: 0 };
      for (const one of embedded) {
        const { row, before } = await this.#putWrites(x, current, one, writes);
        rows.push(row);
        added.documents += before ? 0 : 1;
        added.tokens += countsIn(row).tokens - (before ? countsIn(before).tokens : 0);
      }
      writes.push(countWrite(current, 'documents', added.documents), countWrite(current, 'tokens', added.tokens));
      return { writes, value: rows, paths: rows.map(pathOf) };
    });
  }

  async remove(x: Exchange, above: Row, id: string): Promise<void> {
    await this.#change(x, above, 'delete', async (current) => {
      const row = await this.get(current, id);
      const writes = [...(await this.#removal(current, row)), countWrite(current, 'documents', -1)];
      writes.push(countWrite(current, 'tokens', -countsIn(row).tokens));
      return { writes, value: undefined, paths: [pathOf(row)] };
    });
  }

  async removeAll(x: Exchange, above: Row): Promise<void> {
    for (;;) {
      const [first, ...others] = await this.list(above, 0, 100);
      if (!first) return;
      for (const { id } of [first, ...others])
        await this.remove(x, above, id).catch((error: unknown) => {
          if (!(error instanceof Fault && error.kind === 'missing')) throw error; // somebody else removed it
        });
    }
  }

  // The parts of documents that are nearest in meaning.
  async find(x: Exchange, above: Row, query: string, most: number): Promise<Found[]> {
    const { vectors } = await this.#inference.embed(above.contract, this.#modelOf(above), [query], x.signal);
    const found: Found[] = [];
    for (const match of await this.#indexes.nearest(above, vectors[0] as Float32Array, most)) {
      const document = await this.#store.get(above.contract, documentsPlace(above), match.documentId);
      if (!document) continue; // removed since
      const { content } = JSON.parse(document.body) as { content: string };
      const text = Buffer.from(content, 'base64').toString('utf8').slice(match.from, match.to);
      found.push({ document, content: text, score: match.score });
    }
    return found;
  }

  #modelOf(above: Row) {
    const { model: id } = valuesOf(above).embedding;
    const model = this.#inference.models.find(id);
    if (!model) throw new Fault('unavailable', `The embedding model ${id} is not there any more.`);
    return model;
  }

  async #embed(x: Exchange, above: Row, sent: readonly SentDocument[]): Promise<Embedded[]> {
    const { chunking } = valuesOf(above);
    const cut = sent.map((one) => ({ sent: one, chunks: one.text === '' ? [] : chunksOf(one.text, chunking) }));
    const texts = cut.flatMap(({ sent: { text }, chunks }) => chunks.map(({ from, to }) => text.slice(from, to)));
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += textsAtOnce) {
      const some = texts.slice(at, at + textsAtOnce);
      vectors.push(...(await this.#inference.embed(above.contract, this.#modelOf(above), some, x.signal)).vectors);
    }
    return cut.map((one) => ({ ...one, vectors: vectors.splice(0, one.chunks.length) }));
  }

  // As long as the collection stands as it was found, or else again.
  async #change<T>(
    x: Exchange,
    above: Row,
    act: string,
    decide: (current: Row) => Promise<{ writes: Write[]; value: T; paths: string[] }>,
  ): Promise<T> {
    return this.#store.change(async () => {
      const current = await this.#store.at(above.contract, pathOf(above));
      if (!current || current.state === 'DELETING') throw missing();
      const { writes, value, paths } = await decide(current);
      const targets = paths.map((path) => ({ kind: documentKind, path, action: `${document.actions}.${act}` }));
      const { contract, place, id, version } = current;
      const guard: Write = { op: 'guard', table: 'resource', key: { contract, place, id }, version };
      const all = [guard, ...writes, countWrite(current, 'revision', 1)];
      return { writes: withEntry(x, { writes: all, targets }, this.#now()), value };
    }, `documents ${above.id}`);
  }

  async #putWrites(x: Exchange, above: Row, { sent, chunks, vectors }: Embedded, writes: Write[]) {
    const { contract } = above;
    const place = documentsPlace(above);
    const id = sent.id ?? idByName(above, sent.document.name);
    const before = await this.#store.get(contract, place, id);
    if (before) writes.push(...(await this.#chunkRemovals(above, id)));
    const counts: DocumentCounts = {
      tokens: chunks.reduce((sum, { tokens }) => sum + tokens, 0),
      chunks: chunks.length,
    };
    const now = this.#now();
    const fresh = { body: JSON.stringify(sent.document), hidden: hiddenOf(above, counts) };
    const { user } = x.who;
    const row = before
      ? { ...before, ...fresh, meta: changedBy(before.meta, x.who, now) }
      : rowOf({
          contract,
          place,
          id,
          kind: documentKind,
          state: 'AVAILABLE',
          time: now,
          owner: user,
          meta: madeBy(x.who, user),
          ...fresh,
        });
    writes.push({ op: before ? 'update' : 'insert', table: 'resource', row });
    for (const [index, chunk] of chunks.entries()) {
      const values: ChunkValues = { ...chunk, vector: packed(vectors[index] as Float32Array) };
      const key = { contract, place: chunksPlace(above, id), id: chunkId(index) };
      const body = JSON.stringify(values);
      writes.push({
        op: 'insert',
        table: 'resource',
        row: rowOf({ ...key, kind: chunkKind, state: 'AVAILABLE', time: now, body }),
      });
    }
    return { row, before };
  }

  async #removal(above: Row, { contract, place, id, version }: Row): Promise<Write[]> {
    const removal: Write = { op: 'remove', table: 'resource', key: { contract, place, id }, version };
    return [...(await this.#chunkRemovals(above, id)), removal];
  }

  async #chunkRemovals(above: Row, documentId: string): Promise<Write[]> {
    const { contract } = above;
    const place = chunksPlace(above, documentId);
    const rows = await this.#store.children(contract, place);
    return rows.map(({ id }) => ({ op: 'remove', table: 'resource', key: { contract, place, id } }));
  }
}

const chunksPlace = (above: Row, documentId: string): string => `${documentsPlace(above)}/${documentId}/chunks`;
