// The clock that never goes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from './clock.ts';

test('the clock never goes back, even when the machine’s does', () => {
  let machine = 1000;
  const clock = createClock(0, () => machine);
  assert.equal(clock.now(), 1000);
  machine = 400;
  assert.equal(clock.now(), 1000);
  machine = 1001;
  assert.equal(clock.now(), 1001);
});

test('moving it leaves real time alone', () => {
  const clock = createClock(500, () => 1000);
  assert.equal(clock.now(), 1500);
  clock.advance(250);
  assert.deepEqual([clock.now(), clock.real(), clock.offset()], [1750, 1000, 750]);
});
