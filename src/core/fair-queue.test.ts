// Groups take turns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

test('groups take turns, each in its own order, and those that may not are passed over', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
  const take = (...groups: string[]) => queue.take((group) => groups.includes(group));
  assert.equal(take('a', 'b', 'c'), 'a1');
  assert.equal(take('a', 'c'), 'c1');
  assert.equal(take('a', 'b', 'c'), 'b1');
  assert.equal(take('c'), undefined);
  assert.equal(queue.remove('a', 'a2'), true);
  assert.equal(queue.remove('a', 'a2'), false);
  assert.deepEqual([queue.size, queue.sizeOf('a'), queue.sizeOf('c')], [2, 1, 0]);
  assert.deepEqual([take('a', 'b', 'c'), take('a', 'b', 'c'), take('a', 'b', 'c')], ['a3', 'b2', undefined]);
});
