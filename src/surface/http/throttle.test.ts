// Buckets that refill.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Throttle } from './throttle.ts';

test('[CORE-24] a bucket allows its burst, refills by the minute and returns when to try again', () => {
  let now = 0;
  const throttle = new Throttle(60, 3, () => now);
  assert.deepEqual([throttle.take('a'), throttle.take('a'), throttle.take('a')], [2, 1, 0]);
  assert.equal(throttle.take('a'), -1);
  assert.equal(throttle.take('b'), 2);
  now = 1000;
  assert.equal(throttle.take('a'), 0);
  assert.equal(throttle.take('a'), -1);
  now = 3_600_000;
  assert.equal(throttle.left('a'), 3);
});

test('several are taken together or not at all', () => {
  let now = 0;
  const throttle = new Throttle(60, 5, () => now);
  assert.equal(throttle.take('a', 3), 2);
  assert.equal(throttle.take('a', 4), -2);
  assert.equal(throttle.left('a'), 2);
  now = 2000;
  assert.equal(throttle.take('a', 4), 0);
});

test('very many keys do not fill the memory', () => {
  const throttle = new Throttle(60, 3, () => 0);
  for (let key = 0; key < 50_000; key++) throttle.take(key);
  assert.equal(throttle.take(49_999), 1);
});
