// Slices of the event loop's time, and their budget.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortInSlices, TimeSlice } from './time-slice.ts';

function setUp(budgetMs: number) {
  let [nowMs, processorMs, others] = [0, 0, 0];
  const slice = new TimeSlice({ budgetMs, clocks: { nowMs: () => nowMs, processorMs: () => processorMs } });
  // Whether others had the event loop.
  const pauseAfter = async (passedMs: number, usedMs: number): Promise<boolean> => {
    nowMs += passedMs;
    processorMs += usedMs;
    const before = others;
    setImmediate(() => others++);
    await slice.pause();
    return others > before;
  };
  return pauseAfter;
}

test('others have the event loop between slices, not within one', async () => {
  const pauseAfter = setUp(1000);
  assert.equal(await pauseAfter(9, 9), false);
  assert.equal(await pauseAfter(1, 1), true);
  assert.equal(await pauseAfter(9, 9), false);
});

test('work without a budget is not limited, and the length of a slice can be set', async () => {
  let nowMs = 0;
  const slice = new TimeSlice({ ms: 0.25, clocks: { nowMs: () => nowMs, processorMs: () => nowMs } });
  for (let count = 0; count < 3; count++) {
    nowMs += 0.2;
    assert.equal(slice.isDue, false);
    nowMs += 100_000;
    assert.equal(slice.isDue, true);
    await slice.rest();
  }
});

test('all slices together have a budget, and the processor time of other programs does not count', async () => {
  const pauseAfter = setUp(40);
  for (let count = 0; count < 4; count++) assert.equal(await pauseAfter(100_000, 10), true);
  await assert.rejects(pauseAfter(10, 10), /takes too long to check/);
});

test('the time of the processor is that of this thread', async () => {
  const slice = new TimeSlice({ budgetMs: 15 });
  const begin = process.threadCpuUsage().user;
  while (process.threadCpuUsage().user - begin < 20_000);
  await assert.rejects(slice.pause(), /takes too long to check/);
});

test('a list that is sorted in slices is sorted as at once, and equal items keep their order', async () => {
  for (const length of [0, 1, 999, 1000, 1001, 7777]) {
    const items = Array.from({ length }, (_, at) => ({ at, key: (at * 7919) % 101 }));
    const wanted = items.toSorted((a, b) => a.key - b.key);
    await sortInSlices(items, (a, b) => a.key - b.key, new TimeSlice());
    assert.deepEqual(items, wanted, String(length));
  }
});
