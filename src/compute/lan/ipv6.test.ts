// The /56 of datacenters: each once, from one /48 at a time, until the range is used up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../core/store.ts';
import { Prefixes } from './ipv6.ts';

function prefixesFrom(first: number): { prefixes: Prefixes; taken: () => number } {
  let number = first;
  const store = { must: async () => [String(number++).padStart(12, '0')] } as unknown as Store;
  return { prefixes: new Prefixes(store), taken: () => number - first };
}

test('a /48 is taken for each 256 datacenters, also for concurrent creations', async () => {
  const { prefixes, taken } = prefixesFrom(1);
  const blocks = await Promise.all(Array.from({ length: 1000 }, () => prefixes.next()));
  assert.equal(new Set(blocks).size, 1000);
  assert.equal(taken(), 4);
  assert.deepEqual(blocks.slice(0, 2), ['2001:db8:1::/56', '2001:db8:1:100::/56']);
  assert.equal(await prefixes.next(), '2001:db8:4:e800::/56');
});

test('when the range is used up, datacenters get none', async () => {
  const { prefixes } = prefixesFrom(0xffff);
  const blocks = await Promise.all(Array.from({ length: 256 }, () => prefixes.next()));
  assert.equal(blocks.at(-1), '2001:db8:ffff:ff00::/56');
  assert.equal(await prefixes.next(), null);
  assert.equal(await prefixes.next(), null);
});
