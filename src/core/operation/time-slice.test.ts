// Slices of the event loop's time, and their budget.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeSlice } from './time-slice.ts';

const work = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until; );
};

test('others have the event loop between slices, and all slices together have a budget', async () => {
  const slice = new TimeSlice(1000);
  let others = 0;
  setImmediate(() => others++);
  await slice.pause();
  assert.equal(others, 0, 'a short slice goes on');
  work(11);
  await slice.pause();
  assert.equal(others, 1);
  const small = new TimeSlice(15);
  work(16);
  await assert.rejects(small.pause(), /takes too long to decide about/);
});
