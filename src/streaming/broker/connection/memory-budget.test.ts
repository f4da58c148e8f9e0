// The memory budget: which connections get memory, which wait for it, and which are closed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { MemoryBudget, type MemoryShare } from './memory-budget.ts';
import { ResponseMemory } from './response-memory.ts';

const megabyte = 1024 * 1024;

function budgetOf(limitBytes: number) {
  const clock = { nowMs: 0 };
  const memory = new MemoryBudget({ limitBytes, stallTimeoutMs: 1_000, now: () => clock.nowMs });
  const closed: string[] = [];
  const share = (name: string): MemoryShare => ({
    bytes: 0,
    awaitedSinceMs: undefined,
    close: () => void closed.push(name),
  });
  return { clock, memory, closed, share };
}

test('a small request overtakes a large one; the largest passes when half of the memory is free', () => {
  const { memory, share } = budgetOf(100);
  const [first, large, small] = [share('first'), share('large'), share('small')];
  assert.ok(memory.tryHold(first, 60));
  assert.equal(memory.tryHold(large, 1_000), false);
  assert.ok(memory.tryHold(small, 40));
  memory.release(first, 60);
  assert.ok(memory.tryHold(large, 1_000));
  assert.deepEqual([memory.heldBytes, memory.leftBytes], [1_040, 0]);
  assert.equal(memory.tryHold(first, 1), false);
});

test('only clients that delay too long are closed, and only when memory is short', () => {
  const { memory, clock, closed, share } = budgetOf(100);
  const [slow, ours, late] = [share('slow'), share('ours'), share('late')];
  for (const one of [slow, ours, late]) memory.hold(one, 30);
  memory.awaitClient(slow, true);
  clock.nowMs = 900;
  memory.awaitClient(slow, true); // repeated: its time continues
  memory.awaitClient(late, true);
  clock.nowMs = 1_000;
  assert.ok(memory.tryHold(ours, 10));
  assert.deepEqual(closed, []);
  assert.equal(memory.tryHold(ours, 10), false);
  assert.deepEqual(closed, ['slow']);
});

test('waiting connections are notified of free memory in order, until they leave', async (t: TestContext) => {
  const { memory, share } = budgetOf(100);
  const holder = share('holder');
  memory.hold(holder, 100);
  const notified: string[] = [];
  const leaves = ['a', 'b'].map((name) => memory.onReleased(() => notified.push(name)));
  t.after(() => leaves.forEach((leave) => void leave()));
  memory.release(holder, 50);
  memory.release(holder, 10);
  await setImmediate();
  assert.deepEqual(notified, ['a', 'b']);
  leaves[0]?.();
  memory.release(holder, 40);
  await setImmediate();
  assert.deepEqual(notified, ['a', 'b', 'b']);
});

test('an answer gets an eighth of the free memory, at least a megabyte, and returns what it does not need', () => {
  const { memory, share } = budgetOf(16 * megabyte);
  const one = share('one');
  const [first, second, third] = [1, 2, 3].map(() => new ResponseMemory(memory, one)) as [
    ResponseMemory,
    ResponseMemory,
    ResponseMemory,
  ];
  assert.equal(first.reserve(8 * megabyte), 2 * megabyte);
  assert.equal(second.reserve(10), 10);
  first.settle(5);
  second.settle(0);
  assert.equal(memory.heldBytes, 5);
  memory.hold(one, 14 * megabyte);
  assert.equal(second.reserve(8 * megabyte), megabyte);
  assert.equal(third.reserve(8 * megabyte), 0);
  for (const one of [first, second, third]) one.settle(0);
  assert.equal(memory.heldBytes, 14 * megabyte);
});
