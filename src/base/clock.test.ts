// The clock that never goes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock, iso, timeOf } from './clock.ts';

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

test('a moment is read as it was written, and a day that there is not is none', () => {
  const read = (text: string): string => iso(timeOf(text));
  assert.equal(read('2026-02-28'), '2026-02-28T00:00:00.000Z');
  assert.equal(read('2024-02-29T12:30'), '2024-02-29T12:30:00.000Z');
  assert.equal(read('2026-02-28t12:30:01.5z'), '2026-02-28T12:30:01.500Z');
  assert.equal(read('2026-02-28 12:30:01'), '2026-02-28T12:30:01.000Z');
  assert.equal(read('2026-01-01T00:30:00+02:00'), '2025-12-31T22:30:00.000Z');
  for (const wrong of [
    '2026-02-29',
    '2026-11-31T00:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-01T25:00Z',
  ])
    assert.ok(Number.isNaN(timeOf(wrong)), wrong);
  for (const wrong of ['', 'yesterday', '2026', '2026-01-01T', '2026-01-01Z', '20260101', '2026-01-01T10:00:00 Z'])
    assert.ok(Number.isNaN(timeOf(wrong)), wrong);
});
