// A collection: documents that are kept with their embeddings, so that they can be asked by meaning.
import { regional } from '../../core/dialect.ts';
import { pathOf, resource } from '../../core/resource.ts';
import { flag, integer, map, shape, text } from '../../core/schema.ts';
import type { Row, Write } from '../../core/state/engine.ts';
import type { Reader } from '../../core/tree.ts';
import { embeddingModel } from '../catalogue.ts';
import { inferencePrivilege } from '../privilege.ts';

export interface CollectionValues {
  name: string;
  chunking: Chunking;
  embedding: { model: string };
}

export interface Chunking {
  enabled: boolean;
  strategy: { config: { chunk_size: number; chunk_overlap: number } };
}

const usualChunks = { chunk_size: 512, chunk_overlap: 64 };

export const labels = map(text({ max: 1024 }), { description: 'Words of your own', default: {} });

export const collection = resource({
  name: 'collection',
  plural: 'collections',
  root: 'inference/',
  dialect: regional,
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  replies: { create: 201 },
  privilege: inferencePrivilege,
  actions: 'inference.collection',
  pace: 0,
  properties: {
    name: text({ required: true, min: 3, max: 256, example: 'handbook' }),
    description: text({ max: 1024 }),
    labels,
    chunking: shape(
      {
        enabled: flag({ default: true }),
        strategy: shape(
          {
            name: text({ oneOf: ['fixed_size'], default: 'fixed_size' }),
            config: shape(
              {
                chunk_size: integer({ min: 128, max: 8192, default: usualChunks.chunk_size }),
                chunk_overlap: integer({ min: 50, max: 4096, default: usualChunks.chunk_overlap }),
              },
              { default: usualChunks },
            ),
          },
          { default: { name: 'fixed_size', config: usualChunks } },
        ),
      },
      {
        immutable: true,
        description: 'How documents are cut, in tokens: what is longer than the model takes is lost without it',
        default: { enabled: true, strategy: { name: 'fixed_size', config: usualChunks } },
      },
    ),
    embedding: shape(
      { model: text({ default: embeddingModel, oneOf: [embeddingModel] }) },
      { immutable: true, default: { model: embeddingModel } },
    ),
    engine: shape(
      { db_type: text({ default: 'pgvector', oneOf: ['chromadb', 'pgvector'] }) },
      { immutable: true, deprecated: true, description: 'Means nothing here', default: { db_type: 'pgvector' } },
    ),
    documentsCount: integer({ derived: true }),
    totalTokens: integer({ derived: true }),
  },
  columns: ['name', 'documentsCount'],
  sample: { properties: (_near, unique) => ({ name: unique }), change: { description: 'changed' } },
  rules(draft, report) {
    const { chunk_size: size, chunk_overlap: overlap } = (draft.values.chunking as unknown as Chunking | null)?.strategy
      ?.config ?? { chunk_size: 0, chunk_overlap: -1 };
    if (overlap >= size) report('chunking', 'The overlap must be smaller than the chunk');
  },
  async decide(draft, { store }) {
    if (draft.way !== 'remove' || !draft.before) return;
    // What is counted of documents goes with their rows.
    const revision = await countIn(store, draft.before, 'revision');
    if (revision !== 0) draft.extraWrites.push(countWrite(draft.before, 'revision', -revision));
  },
  derive: async (row, _values, { store }) => ({
    documentsCount: await countIn(store, row, 'documents'),
    totalTokens: await countIn(store, row, 'tokens'),
  }),
});

export const mostChunks = 50_000; // of one collection: its vectors take 200 MB while it is asked

// What is counted in a collection; the revision grows with each change of its documents.
export type Counter = 'documents' | 'tokens' | 'chunks' | 'revision';

export const counterOf = (row: Row, name: Counter): string => `collection ${name} ${row.id}`;
export const isContentCounter = (name: string): boolean => /^collection (documents|tokens|chunks) /.test(name);
export const countIn = (store: Reader, row: Row, name: Counter): Promise<number> =>
  store.counted(row.contract, counterOf(row, name));
export const countWrite = (row: Row, name: Counter, add: number): Write => ({
  op: 'count',
  contract: row.contract,
  name: counterOf(row, name),
  add,
});

export const documentsPlace = (row: Row): string => `${pathOf(row)}/documents`;
export const valuesOf = (row: Row): CollectionValues => JSON.parse(row.body) as CollectionValues;
