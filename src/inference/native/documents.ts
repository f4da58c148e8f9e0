// The operations on the documents of a collection. Each change is one write set: the document, its chunks with their
// vectors, the collection's counters, and the audit entry.

import { Fault } from '../../base/fault.ts';
import { isUuid, uuid } from '../../base/ids.ts';
import { missingResource, missingRow } from '../../core/missing-resource.ts';
import {
  type Bounds,
  noReservations,
  releaseWrites,
  reservationsOf,
  reserveWrites,
} from '../../core/operation/reservations.ts';
import { pathOf } from '../../core/resource.ts';
import { changedBy, madeBy } from '../../core/stamps.ts';
import { type Row, rowOf, type Write, type WriteSet } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { withEntry } from '../../surface/change.ts';
import type { Exchange } from '../../surface/http/exchange.ts';
import type { Inference } from '../inference.ts';
import { type EmbeddedChunk, type EmbeddingJob, embedTexts } from './chunk-embedding.ts';
import { counterOf, countWrite, documentsPlace, mostChunks, valuesOf } from './collection.ts';
import {
  type ChunkValues,
  chunkId,
  chunkKind,
  type Document,
  type DocumentCounts,
  document,
  documentKind,
  hiddenOf,
  idByName,
  nameClaim,
  reservationsFor,
  type SentDocument,
  textIn,
} from './document.ts';
import { packed } from './packed-vector.ts';
import { Renewals } from './renewals.ts';
import { VectorIndexes } from './vector-index.ts';

const maxTries = 3; // of a question while the embedding model changes

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
  readonly #renewals = new Renewals();

  constructor(store: Store, inference: Inference, now: () => number) {
    this.#store = store;
    this.#inference = inference;
    this.#now = now;
    this.#indexes = new VectorIndexes(store);
  }

  async close(): Promise<void> {
    await this.#renewals.close();
  }

  async get(above: Row, id: string): Promise<Row> {
    const row = isUuid(id) ? await this.#store.get(above.contract, documentsPlace(above), id) : undefined;
    if (!row) throw missingResource({ name: 'document' }, id);
    return row;
  }

  list(above: Row, offset: number, limit: number): Promise<Row[]> {
    return this.#store.range({ contract: above.contract, place: documentsPlace(above), offset, limit });
  }

  async chunks(above: Row, document: Row): Promise<Row[]> {
    return this.#store.children(above.contract, chunksPlace(above, document.id));
  }

  // Adds documents, or replaces those with the same ids or names. All of them, or none.
  async put(x: Exchange, above: Row, sent: readonly SentDocument[]): Promise<Row[]> {
    const texts = sent.map(({ text }) => text);
    const chunks = await embedTexts(this.#job(above, x.signal, true), texts);
    return this.#change(above, async (current) => {
      const bounds = boundsOf(current);
      const releases: Write[] = [];
      const writes: Write[] = [];
      const rows: Row[] = [];
      for (const { id, before, sent: one, index } of await this.#placed(current, sent)) {
        const row = this.#rowFor(x, current, id, before, one, chunks[index] as EmbeddedChunk[]);
        const [old, fresh] = [before ? reservationsOf(before) : noReservations(), reservationsOf(row)];
        releases.push(...releaseWrites(row, old, fresh));
        writes.push({ op: before ? 'update' : 'insert', table: 'resource', row });
        writes.push(...reserveWrites(row, old, fresh, bounds));
        writes.push(...(await this.#chunkWrites(current, id, chunks[index] as EmbeddedChunk[])));
        rows.push(row);
      }
      // Releases come first: two documents of one call may swap their names.
      return { writes: this.#audited(x, 'put', rows, [...releases, ...writes]), value: rows };
    });
  }

  async remove(x: Exchange, above: Row, id: string): Promise<void> {
    await this.#change(above, async (current) => {
      const row = await this.get(current, id);
      const { contract, place, version } = row;
      const writes: Write[] = [
        ...(await this.#chunkWrites(current, id, [])),
        { op: 'remove', table: 'resource', key: { contract, place, id }, version },
        ...releaseWrites(row, reservationsOf(row), noReservations()),
      ];
      return { writes: this.#audited(x, 'delete', [row], writes), value: undefined };
    });
  }

  async removeAll(x: Exchange, above: Row): Promise<void> {
    for (;;) {
      const [first, ...others] = await this.list(above, 0, 100);
      if (!first) return;
      for (const { id } of [first, ...others])
        await this.remove(x, above, id).catch((error: unknown) => {
          if (!(error instanceof Fault && error.kind === 'missing')) throw error; // another call removed it
        });
    }
  }

  // The parts of documents that are nearest in meaning. If another model embeds the question than the one that embedded
  // the documents, the documents are embedded again before they are compared.
  async find(x: Exchange, above: Row, query: string, most: number): Promise<Found[]> {
    for (let tries = 0; tries < maxTries; tries++) {
      const model = this.#modelOf(above);
      const { vectors, madeBy } = await this.#inference.embed(above.contract, model, [query], x.signal, tries === 0);
      const vectorQuery = { vector: vectors[0] as Float32Array, madeBy };
      const { matches, others } = await this.#indexes.nearest(above, vectorQuery, most);
      if (matches) return this.#found(above, matches);
      await this.#renewals.run(above.id, others, (id, signal) => this.#renew(above, id, signal));
    }
    throw new Fault('unavailable', 'The embedding model is changing. Ask again later.', { retryAfterS: 5 });
  }

  async #found(above: Row, matches: readonly { documentId: string; from: number; to: number; score: number }[]) {
    const found: Found[] = [];
    for (const { documentId, from, to, score } of matches) {
      const document = await this.#store.get(above.contract, documentsPlace(above), documentId);
      if (document) found.push({ document, content: textIn(document).slice(from, to), score }); // else removed
    }
    return found;
  }

  // No client requested it, so the user is not billed for it and not recorded as the author of the change.
  async #renew(above: Row, id: string, signal: AbortSignal): Promise<void> {
    const row = await this.#store.get(above.contract, documentsPlace(above), id);
    if (!row) return;
    const [chunks = []] = await embedTexts(this.#job(above, signal, false), [textIn(row)]);
    await this.#change(above, async (current) => {
      const now = await this.#store.get(above.contract, documentsPlace(above), id);
      if (now?.version !== row.version) return { writes: [], value: undefined }; // replaced or removed
      const counts = countsOf(chunks);
      const fresh = reservationsFor(current, nameOf(row), counts);
      const old = reservationsOf(row);
      const writes: Write[] = [
        ...releaseWrites(row, old, fresh),
        { op: 'update', table: 'resource', row: { ...row, hidden: hiddenOf(counts, fresh) } },
        ...reserveWrites(row, old, fresh, () => undefined),
        ...(await this.#chunkWrites(current, id, chunks)),
      ];
      return { writes, value: undefined };
    });
  }

  #job(above: Row, signal: AbortSignal, isBilled: boolean): EmbeddingJob {
    const { contract } = above;
    const { chunking } = valuesOf(above);
    return { inference: this.#inference, contract, model: this.#modelOf(above), chunking, signal, isBilled };
  }

  #modelOf(above: Row) {
    const { model: id } = valuesOf(above).embedding;
    const model = this.#inference.models.find(id);
    if (!model) throw new Fault('unavailable', `The embedding model ${id} is not available any more.`);
    return model;
  }

  // Runs again if the collection has changed in the meantime.
  async #change<T>(above: Row, decide: (current: Row) => Promise<{ writes: WriteSet; value: T }>): Promise<T> {
    return this.#store.change(async () => {
      const current = await this.#store.at(above.contract, pathOf(above));
      if (!current || current.state === 'DELETING') throw missingRow(above);
      const { writes, value } = await decide(current);
      const { contract, place, id, version } = current;
      const guard: Write = { op: 'guard', table: 'resource', key: { contract, place, id }, version };
      const refuse = ({ why }: { why: string }): Fault | undefined => (why === 'limit' ? full() : undefined);
      return { writes: [guard, ...writes, countWrite(current, 'revision', 1)], value, refuse };
    }, `documents ${above.id}`);
  }

  #audited(x: Exchange, act: string, rows: readonly Row[], writes: Write[]): WriteSet {
    const action = `${document.actions}.${act}`;
    const targets = rows.map((row) => ({ kind: documentKind, path: pathOf(row), action }));
    return withEntry(x, { writes, targets }, this.#now());
  }

  // The id of each document. A document without an id replaces the one with its name.
  async #placed(above: Row, sent: readonly SentDocument[]) {
    const place = documentsPlace(above);
    const placed: { id: string; before: Row | undefined; sent: SentDocument; index: number }[] = [];
    for (const [index, one] of sent.entries()) {
      const { name } = one.document;
      const holder = (await this.#store.claimed(nameClaim(above, name)))?.path.split('/').at(-1);
      const free = one.id === undefined && holder === undefined ? await this.#freeId(above, name) : '';
      const id = one.id ?? holder ?? free;
      if (placed.some((other) => other.id === id)) throw refused(one, 'The same document occurs twice');
      const givesUp = sent.some((other) => other.id === holder && other.document.name !== name);
      if (holder !== undefined && holder !== id && !givesUp)
        throw refused(one, 'Another document of the collection has this name');
      placed.push({ id, before: await this.#store.get(above.contract, place, id), sent: one, index });
    }
    return placed;
  }

  // A renamed document keeps the id that it got with its first name.
  async #freeId(above: Row, name: string): Promise<string> {
    const id = idByName(above, name);
    const row = await this.#store.get(above.contract, documentsPlace(above), id);
    return row && nameOf(row) !== name ? uuid() : id;
  }

  #rowFor(
    x: Exchange,
    above: Row,
    id: string,
    before: Row | undefined,
    { document: values }: SentDocument,
    chunks: readonly EmbeddedChunk[],
  ): Row {
    const now = this.#now();
    const { user } = x.who;
    const counts = countsOf(chunks);
    const fresh = {
      body: JSON.stringify(values),
      hidden: hiddenOf(counts, reservationsFor(above, values.name, counts)),
    };
    if (before) return { ...before, ...fresh, meta: changedBy(before.meta, x.who, now) };
    const key = { contract: above.contract, place: documentsPlace(above), id };
    const meta = madeBy(x.who, user);
    return rowOf({ ...key, kind: documentKind, state: 'AVAILABLE', time: now, owner: user, meta, ...fresh });
  }

  // Replaces the chunks of a document.
  async #chunkWrites({ contract, ...above }: Row, documentId: string, chunks: readonly EmbeddedChunk[]) {
    const place = chunksPlace({ contract, ...above }, documentId);
    const old = await this.#store.children(contract, place);
    const writes: Write[] = old.map(({ id }) => ({ op: 'remove', table: 'resource', key: { contract, place, id } }));
    for (const [index, { vector, ...chunk }] of chunks.entries()) {
      const values: ChunkValues = { ...chunk, vector: packed(vector) };
      const fresh = { kind: chunkKind, state: 'AVAILABLE', time: this.#now(), body: JSON.stringify(values) };
      const row = rowOf({ contract, place, id: chunkId(index), ...fresh });
      writes.push({ op: 'insert', table: 'resource', row });
    }
    return writes;
  }
}

const chunksPlace = (above: Row, documentId: string): string => `${documentsPlace(above)}/${documentId}/chunks`;
const nameOf = (row: Row): string => (JSON.parse(row.body) as Document).name;

const countsOf = (chunks: readonly EmbeddedChunk[]): DocumentCounts => ({
  tokens: chunks.reduce((sum, { tokens }) => sum + tokens, 0),
  chunks: chunks.length,
});

const boundsOf =
  (collection: Row): Bounds =>
  (counter) =>
    counter === counterOf(collection, 'chunks') ? { name: 'chunks', max: mostChunks } : undefined;

const full = (): Fault =>
  new Fault(
    'refused',
    `A collection has at most ${mostChunks} chunks, and with these documents it would have more. Remove documents, put ` +
      'them into another collection, or create one with larger chunks or less overlap.',
    { code: '100' },
  );

const refused = ({ at }: SentDocument, message: string): Fault =>
  new Fault('refused', `[${at}.properties.name] ${message}`, { code: '100' });
