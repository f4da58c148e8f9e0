// The routes of documents: batches or single ones, their chunks, and searches by meaning.

import { Fault, type Problem } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { namedId } from '../../core/regional.ts';
import type { Resource } from '../../core/resource.ts';
import { report } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { wholeNumber } from '../../surface/core-dialect/query.ts';
import { always, propertiesSchema, textSchema, wholeSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { findRegional } from '../../surface/regional-dialect/find.ts';
import { pageParameters } from '../../surface/regional-dialect/list.ts';
import type { InferenceLimits } from '../limits.ts';
import { isPlainText } from '../openai/fields.ts';
import { collection } from './collection.ts';
import {
  demandNone,
  documentProperties,
  type SentDocument,
  sentDocument,
  shownChunk,
  shownDocument,
  textIn,
} from './document.ts';
import type { Documents } from './documents.ts';

const bodyLimit = 8 * 1024 * 1024;
const maxSent = 100; // documents per call
const defaultMatches = 3;
const maxMatches = 100;
const longestQuery = 100_000;

export function documentRoutes(machinery: Machinery, documents: Documents, limits: InferenceLimits): Route[] {
  const find = (verb: 'get' | 'change') => async (x: Exchange) => {
    await findRegional(machinery, x, [], collection as Resource, verb);
    limits.takeRequest(x);
  };
  const above = (x: Exchange): Row => x.rows[0] as Row;
  const documentOf = (x: Exchange): Promise<Row> => documents.get(above(x), x.params[1] ?? '');
  const reads = { method: 'GET', resolve: find('get') };
  const changes = { resolve: find('change') };
  const all = '/collections/{collectionId}/documents';
  const one = `${all}/{documentId}`;
  return [
    {
      ...reads,
      path: all,
      operation: 'document_list',
      summary: 'List the documents of a collection, without their content',
      parameters: pageParameters,
      replySchema: listOf(shownSchema),
      async call(x) {
        const offset = wholeNumber(x, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
        const limit = wholeNumber(x, 'limit', 100, 0, 1000);
        const rows = await documents.list(above(x), offset, limit);
        return listed(
          x,
          rows.map((row) => shownDocument(x.base, above(x), row, null)),
          { offset, limit },
        );
      },
    },
    {
      ...changes,
      method: 'PUT',
      path: all,
      operation: 'document_put_all',
      summary: 'Add documents; they replace documents with the same ids or names',
      takesBody: true,
      bodyLimit,
      bodySchema: manySchema,
      replySchema: listOf(shownSchema),
      async call(x) {
        const rows = await documents.put(x, above(x), sentDocuments(x.body));
        return listed(
          x,
          rows.map((row) => shownDocument(x.base, above(x), row, null)),
        );
      },
    },
    {
      ...changes,
      method: 'DELETE',
      path: all,
      operation: 'document_remove_all',
      summary: 'Delete all documents of a collection',
      replyStatus: 204,
      async call(x) {
        await documents.removeAll(x, above(x));
        return { status: 204 };
      },
    },
    {
      ...reads,
      path: one,
      operation: 'document_get',
      summary: 'Read a document with its content',
      replySchema: shownSchema,
      call: async (x) => json(200, shownDocument(x.base, above(x), await documentOf(x))),
    },
    {
      ...changes,
      method: 'PUT',
      path: one,
      operation: 'document_put',
      summary: 'Replace a document, or create it under that id',
      takesBody: true,
      bodyLimit,
      bodySchema: sentSchema,
      replySchema: shownSchema,
      async call(x) {
        const problems: Problem[] = [];
        const sent = sentDocument(x.body, '(root)', problems);
        demandNone(problems);
        const id = x.params[1] ?? '';
        if (!isUuid(id)) throw missingResource({ name: 'document' }, id);
        if (sent?.id !== undefined && sent.id !== id) throw refused('.id', 'The id must equal the id in the path');
        const [row] = await documents.put(x, above(x), [{ ...(sent as SentDocument), id }]);
        return json(200, shownDocument(x.base, above(x), row as Row));
      },
    },
    {
      ...changes,
      method: 'DELETE',
      path: one,
      operation: 'document_remove',
      summary: 'Delete a document',
      replyStatus: 204,
      async call(x) {
        await documents.remove(x, above(x), x.params[1] ?? '');
        return { status: 204 };
      },
    },
    {
      ...reads,
      path: `${one}/chunks`,
      operation: 'document_chunks',
      summary: 'List the chunks of a document',
      replySchema: listOf({ type: 'object' }),
      async call(x) {
        const row = await documentOf(x);
        const text = textIn(row);
        const chunks = await documents.chunks(above(x), row);
        return listed(
          x,
          chunks.map((chunk) => shownChunk(row, text, chunk)),
        );
      },
    },
    {
      ...reads,
      method: 'POST',
      path: '/collections/{collectionId}/query',
      operation: 'collection_query',
      summary: 'Find the parts of documents whose meaning is nearest to a question',
      takesBody: true,
      auditOnce: 'hour',
      bodySchema: always(
        { query: { type: 'string', minLength: 1, maxLength: longestQuery, examples: ['How long is a vacation?'] } },
        limitSchema,
      ),
      replySchema: always({ id: textSchema, type: { const: 'query' }, properties: { type: 'object' } }),
      async call(x) {
        const { query, limit } = queryOf(x.body);
        const found = await documents.find(x, above(x), query, limit);
        const matches = found.map(({ document, content, score }) => ({
          document: shownDocument(x.base, above(x), document, Buffer.from(content).toString('base64')),
          score,
        }));
        return json(200, { id: x.id, type: 'query', href: x.base + x.path, metadata: {}, properties: { matches } });
      },
    },
  ];
}

function sentDocuments(body: Json | undefined): SentDocument[] {
  const problems: Problem[] = [];
  if (!isObject(body)) throw refused('', 'An object is expected');
  const { items } = body;
  if (!Array.isArray(items)) throw refused('.items', 'A list is expected');
  if (items.length > maxSent) throw refused('.items', `Expected at most ${maxSent} elements, got ${items.length}`);
  const seen = new Set<string>();
  const sent = items.map((item, index) => {
    const at = `(root).items.[${index}]`;
    const one = sentDocument(item, at, problems);
    for (const mark of one ? [`name ${one.document.name}`, ...(one.id ? [`id ${one.id}`] : [])] : []) {
      if (seen.has(mark)) report(problems, at, 'The same document occurs twice', '100');
      seen.add(mark);
    }
    return one;
  });
  demandNone(problems);
  return sent as SentDocument[];
}

function queryOf(body: Json | undefined): { query: string; limit: number } {
  if (!isObject(body)) throw refused('', 'An object is expected');
  const { query, limit = defaultMatches } = body;
  if (typeof query !== 'string' || query === '') throw refused('.query', 'A text is expected');
  if (query.length > longestQuery || !isPlainText(query))
    throw refused('.query', `Expected at most ${longestQuery} characters of well-formed Unicode without NUL`);
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > maxMatches)
    throw refused('.limit', `Expected a whole number from 1 to ${maxMatches}`);
  return { query, limit };
}

const refused = (at: string, message: string): Fault =>
  new Fault('refused', `[(root)${at}] ${message}`, { code: '100' });

function listed(x: Exchange, items: object[], page: object = {}): Reply {
  const href = x.base + x.path;
  const id = namedId('collection', x.path, x.who.contract);
  return json(200, { id, type: 'collection', href, items, ...page });
}

const limitSchema: Values = { limit: { type: 'integer', minimum: 1, maximum: maxMatches } };
const shownSchema = always({
  id: textSchema,
  type: { const: 'document' },
  href: textSchema,
  metadata: { type: 'object' },
  properties: propertiesSchema(documentProperties, 'read'),
});
const sentSchema: Values = {
  type: 'object',
  required: ['properties'],
  properties: {
    id: { type: ['string', 'null'], description: 'Of a document that is replaced' },
    properties: propertiesSchema(documentProperties, 'create'),
  },
};
const manySchema: Values = {
  type: 'object',
  required: ['items'],
  properties: {
    items: { type: 'array', maxItems: maxSent, items: sentSchema },
  },
};
const listOf = (items: Values): Values =>
  always(
    { id: textSchema, type: { const: 'collection' }, href: textSchema, items: { type: 'array', items } },
    { offset: wholeSchema, limit: wholeSchema },
  );
