// Documents of a collection: rows below it, and below each a row for each of its chunks, with its vector.

import { iso } from '../../base/clock.ts';
import { Fault, type Problem } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { regional } from '../../core/dialect.ts';
import { hiddenText } from '../../core/operation/operation.ts';
import type { Reservations } from '../../core/operation/reservations.ts';
import { namedId } from '../../core/regional.ts';
import { type Resource, resource } from '../../core/resource.ts';
import { check, type Properties, report, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { regionalStamps } from '../../surface/regional-dialect/envelope.ts';
import { inferencePrivilege } from '../privilege.ts';
import { collection, counterOf, labels } from './collection.ts';

export const documentKind = 'document';
export const chunkKind = 'documentchunk';
const maxBytes = 65_535; // of a document's text
const maxEncoded = Math.ceil(maxBytes / 3) * 4;

export interface Document {
  name: string;
  description: string | null;
  contentType: string;
  content: string; // base64
  labels: Values;
}

export const documentProperties: Properties = {
  name: text({ required: true, min: 1, max: 256, example: 'vacation.txt' }),
  description: text({ max: 1024 }),
  contentType: text({ default: 'text/plain', oneOf: ['text/plain'] }),
  content: text({
    required: true,
    secret: true, // even of refused documents, no word reaches the audit
    max: maxEncoded,
    pattern: /^[A-Za-z0-9+/]*={0,2}$/,
    says: 'Base64 is expected',
    example: Buffer.from('Everybody has thirty days of vacation.').toString('base64'),
    description: `A text of at most ${maxBytes} bytes of UTF-8, in base64`,
  }),
  labels,
};

// Its routes are plain ones (document-routes.ts). It is declared so that its collection deletes it.
export const document = resource({
  name: documentKind,
  plural: 'documents',
  parents: [collection as Resource],
  root: collection.root,
  dialect: regional,
  verbs: [],
  rights: { create: inferencePrivilege },
  actions: 'inference.document',
  lifecycle: { pace: 0 },
  properties: documentProperties,
  shown: { columns: ['name'] },
});

export interface SentDocument {
  id: string | undefined;
  document: Document;
  text: string;
  at: string; // its place in the body
}

// Reads the body of one document, at its place in the whole body.
export function sentDocument(sent: Json | undefined, at: string, problems: Problem[]): SentDocument | undefined {
  if (!isObject(sent)) {
    report(problems, at, 'An object is expected', '100');
    return undefined;
  }
  const known = problems.length;
  for (const key in sent)
    if (!['id', 'type', 'href', 'metadata', 'properties'].includes(key))
      report(problems, `${at}.${key}`, 'Attribute is unknown', '106');
  const { id = null } = sent;
  if (id !== null && id !== '' && (typeof id !== 'string' || !isUuid(id)))
    report(problems, `${at}.id`, 'Expected a UUID', '100');
  const { values } = check(documentProperties, sent.properties, 'create', `${at}.properties`, undefined, problems);
  if (problems.length > known) return undefined;
  const document = values as unknown as Document;
  const decoded = decodedText(document.content);
  if (decoded === undefined) {
    report(problems, `${at}.properties.content`, `Expected a text of at most ${maxBytes} bytes in UTF-8`, '100');
    return undefined;
  }
  return { id: id === null || id === '' ? undefined : String(id), document, text: decoded, at };
}

function decodedText(content: string): string | undefined {
  const bytes = Buffer.from(content, 'base64');
  if (bytes.length > maxBytes) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function demandNone(problems: Problem[]): void {
  if (problems.length > 0) throw new Fault('refused', 'The request body is not acceptable.', { problems });
}

// The id of the first document that had the name in a collection.
export const idByName = (collection: Row, name: string): string => namedId('document', collection.id, name);

export const textIn = (row: Row): string =>
  Buffer.from((JSON.parse(row.body) as Document).content, 'base64').toString('utf8');

// `content` replaces the document's own, to show only a part of it; null: none.
export function shownDocument(base: string, collection: Row, row: Row, content?: string | null): object {
  const { content: whole, ...rest } = JSON.parse(row.body) as Document;
  const shown = content === undefined ? whole : content;
  return {
    id: row.id,
    type: 'document',
    href: `${base}/collections/${collection.id}/documents/${row.id}`,
    metadata: { ...regionalStamps(row), ...countsIn(row) },
    properties: shown === null ? rest : { ...rest, content: shown },
  };
}

export interface DocumentCounts {
  tokens: number;
  chunks: number;
}

const countsIn = (row: Row): DocumentCounts => {
  const { tokens, chunks } = JSON.parse(row.hidden) as DocumentCounts;
  return { tokens, chunks };
};

export const nameClaims = 'documentname';
export const nameClaim = (collection: Row, name: string): string => `${nameClaims} ${collection.id} ${name}`;

// Reserves its unique name in the collection, and counts it. The reservations are part of the row, so they end with it.
export const reservationsFor = (above: Row, name: string, { tokens, chunks }: DocumentCounts): Reservations => ({
  claims: [nameClaim(above, name)],
  counts: {
    [counterOf(above, 'documents')]: 1,
    ...(tokens > 0 && { [counterOf(above, 'tokens')]: tokens }),
    ...(chunks > 0 && { [counterOf(above, 'chunks')]: chunks }),
  },
  links: [],
});

export const hiddenOf = ({ tokens, chunks }: DocumentCounts, reservations: Reservations): string =>
  hiddenText({ tokens, chunks }, reservations);

export interface ChunkValues {
  from: number;
  to: number;
  tokens: number;
  vector: string; // base64 of 16-bit floats, without trailing zeros
  madeBy: string; // the model: vectors of different models are never compared
}

export const chunkId = (index: number): string => String(index).padStart(6, '0');

export const shownChunk = (document: Row, content: string, row: Row): object => {
  const { from, to, tokens } = JSON.parse(row.body) as ChunkValues;
  return {
    id: `${document.id}-${Number(row.id)}`,
    type: 'chunk',
    metadata: { createdDate: iso(row.time) },
    properties: { content: Buffer.from(content.slice(from, to)).toString('base64'), tokens },
  };
};
