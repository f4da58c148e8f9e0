// The reader knows some facts about values without reading them, because blocks store their shape.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type SeriesData, stale } from '../../series.ts';
import { leaseBuffers } from '../buffer-pool.ts';
import { generous, pushOf, selectionOf } from '../contract/pushes.ts';
import { openedIn } from './testing.ts';

const dayMs = 86_400_000;
const start = 19_000 * dayMs;
const count = 40;
const limits = { ...generous, oldestMs: 0, newestMs: 1e15 };
const selection = { ...selectionOf('t'), fromMs: 0, toMs: 1e15 };

// Irregular values.
const counter = (at: number): number => (at === 0 ? 0 : counter(at - 1) + ((at * at * 31) % 97));

// Reads the values back from two blocks, each with half of them.
async function readBack(t: TestContext, number: (at: number) => number): Promise<SeriesData> {
  const folder = mkdtempSync(join(tmpdir(), 'gathering-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  let now = start;
  const engine = await openedIn(folder, { now: () => now, sealAfterMs: 0 });
  t.after(() => engine.close());
  for (let at = 0; at < count; at++) {
    const timeMs = start + Math.floor((2 * at) / count) * dayMs + at * 15_000;
    await engine.writer.append([pushOf('t', [[{ __name__: 'm' }, [timeMs, number(at)]]], limits)]);
    if ((at + 1) % (count / 2) !== 0) continue;
    now = timeMs + dayMs;
    while (await engine.writer.tidy());
  }
  const [found] = await engine.reader.select(selection);
  assert.ok(found);
  assert.deepEqual(
    [...found.values],
    Array.from({ length: count }, (_, at) => number(at)),
  );
  return found;
}

test('a counter rises, from block to block', async (t) => {
  const { numbersUpTo, risingUpTo } = await readBack(t, counter);
  assert.deepEqual([numbersUpTo, risingUpTo], [count, count]);
});

test('a counter that restarted between two blocks rises up to there', async (t) => {
  const { numbersUpTo, risingUpTo } = await readBack(t, (at) => counter(at % (count / 2)));
  assert.deepEqual([numbersUpTo, risingUpTo], [count, count / 2]);
});

test('rising and falling decimals are numbers', async (t) => {
  const { numbersUpTo, risingUpTo } = await readBack(t, (at) => ((at * 7) % 10) / 10);
  assert.deepEqual([numbersUpTo, risingUpTo], [count, 0]);
});

test('nothing is known about values with a stale marker', async (t) => {
  const { numbersUpTo, risingUpTo } = await readBack(t, (at) => (at === count / 2 - 1 ? stale : at));
  assert.deepEqual([numbersUpTo, risingUpTo], [0, 0]);
});

test('memory is reused after its lease, not before', () => {
  const first = leaseBuffers();
  first.reserve(100);
  const taken = first.take(60);
  const other = leaseBuffers();
  other.reserve(100);
  assert.notEqual(other.take(60).buffer, taken.buffer);
  assert.equal(first.take(40).buffer, taken.buffer);
  assert.notEqual(first.take(1).buffer, taken.buffer, 'other memory is used if it does not fit');
  first[Symbol.dispose]();
  const next = leaseBuffers();
  next.reserve(80);
  assert.equal(next.take(80).buffer, taken.buffer);
});
