// Filters of lists: what matches, and that many words can't keep the others waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../http/exchange.ts';
import { filtersOf, matches } from './query.ts';

const filters = (query: string) => filtersOf({ search: new URLSearchParams(query) } as Exchange);
const row = (properties: object) => ({ properties, metadata: {} }) as Parameters<typeof matches>[0];

test('a filter matches what contains one of its words, in any case', () => {
  const parsed = filters('filter.name=Web,db&filter.name=db&depth=1');
  assert.deepEqual(parsed, [['name', ['web', 'db']]]);
  for (const name of ['my WEB', 'db', ['x', 'Db1'], { a: 'web' }]) assert.ok(matches(row({ name }), parsed));
  for (const name of ['other', null, [], 1]) assert.ok(!matches(row({ name }), parsed));
  assert.ok(matches(row({}), parsed), 'a property of other lists');
  assert.ok(matches(row({ size: 10 }), filters('filter.size=1')));
});

test('a filter of very many words is refused', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(',');
  assert.equal(filters(`filter.body=${words(100)}`)[0]?.[1].length, 100);
  assert.throws(() => filters(`filter.body=${words(101)}`), /filter\.body\] A filter has at most 100 words/);
  assert.throws(() => filters(`filter.body=${words(60)}&filter.body=x${words(60)}y,${words(99)}`), /at most 100/);
});
