// Pages are the same bytes while nothing changes, and never old ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOf } from '../core/state/engine.ts';
import { openWorkbench } from '../core/testing.ts';
import { PageCache } from './page-cache.ts';

const page = (word: string) => word.padEnd(5000, '.');

test('a page is drawn once until something of its contract changes', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const { store } = bench;
  const cache = new PageCache(store);
  let drawn = 0;
  const get = async () => {
    const text = await cache.get(await store.epochOf(1), 'key', async () => page(`page ${++drawn}`));
    return text.toString().slice(0, 6);
  };
  assert.deepEqual([await get(), await get()], ['page 1', 'page 1']);
  await store.must([{ op: 'insert', table: 'resource', row: rowOf({ contract: 2, place: 'widgets', id: 'a' }) }]);
  assert.equal(await get(), 'page 1');
  await store.must([{ op: 'insert', table: 'resource', row: rowOf({ contract: 1, place: 'widgets', id: 'a' }) }]);
  assert.deepEqual([await get(), await get()], ['page 2', 'page 2']);
  await store.must([{ op: 'insert', table: 'journal', row: rowOf({ contract: 1, place: 'widgets/a', id: 'r' }) }]);
  assert.equal(await get(), 'page 3');
  await store.must([{ op: 'insert', table: 'resource', row: rowOf({ contract: 0, place: 'um/contracts', id: '9' }) }]);
  assert.equal(await get(), 'page 4', 'what users may see may have changed');
});

test('a page that was overtaken while it was drawn is not kept', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const { store } = bench;
  const cache = new PageCache(store);
  await cache.get(await store.epochOf(1), 'key', async () => {
    await store.must([{ op: 'insert', table: 'resource', row: rowOf({ contract: 1, place: 'widgets', id: 'b' }) }]);
    return page('old');
  });
  assert.match((await cache.get(await store.epochOf(1), 'key', async () => page('new'))).toString(), /^new/);
});

test('memory is bounded, the oldest go first', async () => {
  await using bench = await openWorkbench([], () => undefined);
  const cache = new PageCache(bench.store);
  const draw = (key: number, made: () => void) =>
    cache.get(0, String(key), async () => {
      made();
      return 'x'.repeat(1_000_000);
    });
  for (let key = 0; key < 30; key++) await draw(key, () => undefined);
  let again = 0;
  for (const key of [0, 29]) await draw(key, () => again++);
  assert.equal(again, 1);
});
