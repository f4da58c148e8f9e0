// A collection: documents that are stored with their embeddings, so that they can be searched by meaning.
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

const defaultChunks = { chunk_size: 512, chunk_overlap: 64 };

export const labels = map(text({ max: 1024 }), { description: 'Labels of the user', default: {} });

export const collection = resource({
  name: 'collection',
  plural: 'collections',
  root: 'inference/',
  dialect: regional,
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  lifecycle: { replies: { create: 201 }, pace: 0 },
  rights: { create: inferencePrivilege },
  actions: 'inference.collection',
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
                chunk_size: integer({ min: 128, max: 8192, default: defaultChunks.chunk_size }),
                chunk_overlap: integer({ min: 50, max: 4096, default: defaultChunks.chunk_overlap }),
              },
              { default: defaultChunks },
            ),
          },
          { default: { name: 'fixed_size', config: defaultChunks } },
        ),
      },
      {
        immutable: true,
        description:
          'How documents are cut into chunks, in tokens; without it, text beyond the limit of the model is dropped',
        default: { enabled: true, strategy: { name: 'fixed_size', config: defaultChunks } },
      },
    ),
    embedding: shape(
      { model: text({ default: embeddingModel, oneOf: [embeddingModel] }) },
      { immutable: true, default: { model: embeddingModel } },
    ),
    engine: shape(
      { db_type: text({ default: 'pgvector', oneOf: ['chromadb', 'pgvector'] }) },
      { immutable: true, deprecated: true, description: 'Has no effect', default: { db_type: 'pgvector' } },
    ),
    documentsCount: integer({ derived: true }),
    totalTokens: integer({ derived: true }),
  },
  shown: { columns: ['name', 'documentsCount'] },
  sample: { properties: (_near, unique) => ({ name: unique }), change: { description: 'changed' } },
  rules(draft, report) {
    const { chunk_size: size, chunk_overlap: overlap } = (draft.values.chunking as unknown as Chunking | null)?.strategy
      ?.config ?? { chunk_size: 0, chunk_overlap: -1 };
    if (overlap >= size) report('chunking', 'The overlap must be smaller than the chunk');
  },
  async decide(draft, { store }) {
    if (draft.way !== 'remove' || !draft.before) return;
    // The counters of documents are part of their rows.
    const revision = await countIn(store, draft.before, 'revision');
    if (revision !== 0) draft.extraWrites.push(countWrite(draft.before, 'revision', -revision));
  },
  derive: async (row, _values, { store }) => ({
    documentsCount: await countIn(store, row, 'documents'),
    totalTokens: await countIn(store, row, 'tokens'),
  }),
});

export const mostChunks = 50_000; // of one collection: its vectors take 200 MB while it is searched

// The counters of a collection; the revision grows with each change of its documents.
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
