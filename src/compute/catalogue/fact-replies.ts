// Responses for read-only entries of the catalogue in the core dialect: without paging and without a creator.

import { hash } from 'node:crypto';
import type { Values } from '../../base/json.ts';
import { missingResource } from '../../core/missing-resource.ts';
import {
  compareFields,
  depthOf,
  listParameters,
  listQuery,
  matches,
  wholeNumber,
} from '../../surface/core-dialect/query.ts';
import { entityTag } from '../../surface/entity-tag.ts';
import { type Exchange, json, type Parameter, type Reply } from '../../surface/http/exchange.ts';
import { type Catalogue, catalogue } from './catalogue.ts';

export interface Fact {
  id: string;
  type: string;
  path: string; // /images/…, what its href ends with
  metadata: Values;
  properties: Values;
}

const since = '2026-01-01T00:00:00Z';

// `by` is the creator that clients see.
export function factOf(type: string, path: string, id: string, by: string, properties: Values): Fact {
  const metadata = {
    etag: hash('md5', `${path} ${JSON.stringify(properties)}`),
    createdDate: since,
    createdBy: by,
    createdByUserId: '[UNKNOWN]',
    lastModifiedDate: since,
    lastModifiedBy: by,
    lastModifiedByUserId: '[UNKNOWN]',
    state: 'AVAILABLE',
  };
  return { id, type, path, metadata, properties };
}

// Rendered once for each loaded catalogue.
export function ofCatalogue<T>(make: (from: Catalogue) => T): () => T {
  let from: Catalogue | undefined;
  let made: T;
  return () => {
    if (from !== catalogue) made = make(catalogue);
    from = catalogue;
    return made;
  };
}

export function missingFact(name: string, id: string | undefined): never {
  throw missingResource({ name }, id ?? '');
}

export function factReply(x: Exchange, fact: Fact): Reply {
  depthOf(x);
  const text = JSON.stringify(shown(x, fact, 0));
  return json(200, text, entityTag(x, text));
}

// `maxResults` limits before the filters apply: that is how the platform does it.
export function factsReply(x: Exchange, facts: readonly Fact[], path: string): Reply {
  const { filters, orderBy } = listQuery(x);
  const most = wholeNumber(x, 'maxResults', facts.length, 0, Number.MAX_SAFE_INTEGER);
  const found = facts.slice(0, most).filter((one) => matches(one, filters));
  if (orderBy !== undefined) found.sort((a, b) => compareFields(a, b, orderBy));
  const depth = depthOf(x);
  const items = found.map((one) => shown(x, one, depth - 1));
  return json(200, { id: path.slice(1), type: 'collection', href: x.base + path, items });
}

function shown(x: Exchange, { id, type, path, metadata, properties }: Fact, depth: number): object {
  const head = { id, type, href: x.base + path };
  return depth < 0 ? head : { ...head, metadata, properties };
}

export const factsParameters: Parameter[] = [
  ...listParameters.filter(({ name }) => name !== 'offset' && name !== 'limit'),
  {
    name: 'maxResults',
    in: 'query',
    description: 'Maximum number of elements to examine. Filters apply afterwards',
    schema: { type: 'integer', minimum: 0 },
  },
];
