// The query parameters of core collections: depth, offset, limit, orderBy and filter.<property>. Unknown ones are
// ignored, because clients add theirs to every call; a filter by a field that no resource has is refused.
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { stampsOf } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Exchange, Parameter } from '../http/exchange.ts';
import { fieldNames } from './known-fields.ts';

export interface ListQuery {
  offset: number;
  limit: number;
  orderBy: string | undefined;
  filters: [property: string, words: string[]][];
}

export const usualLimit = 1000;
const mostLimit = 10_000;

// Called by every call of the core dialect before anything is changed, so it checks `pretty` as well.
export function depthOf(x: Exchange): number {
  if (x.query === '') return 0;
  truth(x, 'pretty');
  return wholeNumber(x, 'depth', 0, 0, 10);
}

// True or false in any case: the Python client writes True.
export function truth(x: Exchange, name: string): boolean {
  const text = x.query === '' ? null : x.search.get(name);
  if (text === null || text === '') return false;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw new Fault('refused', `[(query).${name}] Expected true or false, got '${text.slice(0, 40)}'`);
}

export function listQuery(x: Exchange): ListQuery {
  const query: ListQuery = { offset: 0, limit: usualLimit, orderBy: undefined, filters: [] };
  if (x.query === '') return query;
  truth(x, 'upgradeNeeded'); // clients send it to the list of servers
  query.offset = wholeNumber(x, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  query.limit = wholeNumber(x, 'limit', usualLimit, 0, mostLimit);
  query.limit = Math.min(query.limit, wholeNumber(x, 'maxResults', mostLimit, 0, Number.MAX_SAFE_INTEGER));
  const filters = filtersOf(x);
  const orderBy = x.search.get('orderBy') || x.search.get('order-by') || undefined;
  const requested = filters.map(([name]) => ({ key: `filter.${name}`, name }));
  if (orderBy !== undefined) requested.push({ key: 'orderBy', name: orderBy });
  if (requested.length === 0) return query;
  const names = fieldNames(x, requested);
  query.filters = filters.map(([name, words], at) => [names[at] ?? name, words]);
  if (orderBy !== undefined) query.orderBy = names.at(-1);
  return query;
}

export function filtersOf(x: Exchange): ListQuery['filters'] {
  const filters = new Map<string, Set<string>>();
  for (const [key, value] of x.search) {
    if (!key.startsWith('filter.')) continue;
    const words = filters.get(key.slice(7)) ?? new Set();
    filters.set(key.slice(7), words);
    for (const word of value.toLowerCase().split(',')) words.add(word);
    if (words.size > mostWords)
      throw new Fault('refused', `[(query).${key.slice(0, 60)}] A filter has at most ${mostWords} words`);
  }
  return [...filters].map(([name, words]) => [name, [...words]]);
}

const mostWords = 100; // each is looked for in every row

export function wholeNumber(x: Exchange, name: string, fallback: number, min: number, max: number): number {
  const text = x.search.get(name);
  if (text === null || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    const bound = max < Number.MAX_SAFE_INTEGER || value > max ? `from ${min} to ${max}` : `of at least ${min}`;
    throw new Fault('refused', `[(query).${name}] Expected a whole number ${bound}, got '${text.slice(0, 40)}'`);
  }
  return value;
}

export const isPlain = (query: ListQuery): boolean => query.filters.length === 0 && query.orderBy === undefined;

// Contains, in any case; a list matches if one of its elements does. A property of other lists filters nothing.
export function matches(row: Fields, filters: ListQuery['filters']): boolean {
  return filters.every(([property, words]) => {
    const value = fieldOf(row, property);
    return value === undefined || containsAny(value, words);
  });
}

function containsAny(value: Json, words: readonly string[]): boolean {
  if (value === null) return false;
  if (Array.isArray(value)) return value.some((item) => containsAny(item, words));
  const text = (isObject(value) ? JSON.stringify(value) : String(value)).toLowerCase();
  return words.some((word) => text.includes(word));
}

export interface Fields {
  properties: Values;
  metadata: Values;
}

export const fieldsOf = (row: Row, values: Values, state: string, derived: Values = {}): Fields => ({
  properties: { ...values, ...derived },
  metadata: { ...stampsOf(row), state },
});

export const fieldOf = (row: Fields, property: string): Json | undefined =>
  Object.hasOwn(row.properties, property)
    ? row.properties[property]
    : Object.hasOwn(row.metadata, property)
      ? row.metadata[property]
      : undefined;

export function compareFields(a: Fields, b: Fields, property: string): number {
  const left = fieldOf(a, property) ?? '';
  const right = fieldOf(b, property) ?? '';
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const x = String(left);
  const y = String(right);
  return x < y ? -1 : x > y ? 1 : 0;
}

const number = (minimum: number, maximum?: number): Json => ({ type: 'integer', minimum, ...(maximum && { maximum }) });

export const depthParameter: Parameter = {
  name: 'depth',
  in: 'query',
  description: 'How much nested content is inlined.',
  schema: number(0, 10),
};

export const listParameters: Parameter[] = [
  depthParameter,
  { name: 'offset', in: 'query', description: 'The first element of the page.', schema: number(0) },
  {
    name: 'limit',
    in: 'query',
    description: 'The maximum number of elements of a page; 1000 by default.',
    schema: number(0, mostLimit),
  },
  {
    name: 'orderBy',
    in: 'query',
    description: 'A property or metadata field to sort by, ascending.',
    schema: { type: 'string' },
  },
  {
    name: 'filter.name',
    in: 'query',
    description:
      'Returns elements whose property contains this text, ignoring case. Any property or metadata field: ' +
      '`filter.<name>`; a field that only other collections have is ignored.',
    schema: { type: 'string' },
  },
];
