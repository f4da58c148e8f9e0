// A process that is killed while it pushes, and a thread that pushes while another one reads.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { answersUntilKilled, assertSyncedAnswers } from '../../../testing/numbered-answers.ts';
import { chanceOf, isFull } from '../../../testing/seed.ts';
import { matcherTest } from '../../promql/matcher-test.ts';
import type { HeadMessage } from './head/head.ts';
import { type EmbeddedReader, openReader } from './reader.ts';
import { openedIn } from './testing.ts';
import { pushedEveryMs, pushedFrom, seriesOfPush } from './testing-pusher.ts';

const pusher = new URL('./testing-pusher.ts', import.meta.url);

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-crash-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Returns the numbers of the stored pushes, each complete.
async function numbersIn(reader: EmbeddedReader): Promise<Set<number>> {
  const all = { tenant: 'tenant', matchers: [], fromMs: 0, toMs: 1e15 };
  const found = await reader.select(all);
  const [first] = found;
  for (const { times, values } of found) {
    assert.equal(values.length, first?.values.length, 'a push is incomplete');
    for (const [at, value] of values.entries()) {
      assert.equal(value, first?.values[at], 'a push is incomplete');
      assert.equal(times[at], pushedFrom + value * pushedEveryMs);
    }
  }
  if (first) assert.equal(found.length, seriesOfPush);
  return new Set(first?.values);
}

describe('[METRIC-03] acknowledged pushes are stored', () => {
  it('by a process that is killed repeatedly while it pushes', async (t) => {
    const chance = chanceOf(t);
    const folder = folderFor(t);
    const answered: number[] = [];
    for (let round = 0; round < (isFull ? 40 : 5); round++) {
      const arenaSamples = chance.one([200, 2000, 100_000]);
      const options = { folder, from: round * 100_000, most: 100_000, arenaSamples, lanes: 4 };
      const args = [fileURLToPath(pusher), 'push', JSON.stringify(options)];
      const numbers = await answersUntilKilled(args, 20 + chance.below(400));
      answered.push(...numbers);
      const { reader, close } = await openedIn(folder);
      const there = await numbersIn(reader);
      assert.deepEqual(
        answered.filter((number) => !there.has(number)),
        [],
      );
      await close();
    }
  });
});

describe('[METRIC-03] acknowledged pushes are synced', () => {
  it('a successful sync precedes the answer to each push', (t) => {
    const folder = folderFor(t);
    const options = { folder: join(folder, 'data'), from: 0, most: 40, arenaSamples: 300, lanes: 1 };
    assertSyncedAnswers(t, [fileURLToPath(pusher), 'push', JSON.stringify(options)], join(folder, 'calls'), 40);
  });
});

describe('a pushing and a reading thread', () => {
  it('agree: all pushes acknowledged before a query are in its answer', async (t) => {
    const folder = folderFor(t);
    const most = isFull ? 20_000 : 1500;
    const options = { folder, from: 0, most, arenaSamples: 1000, lanes: 4 };
    const worker = new Worker(pusher, { workerData: { pusher: options } });
    t.after(() => worker.terminate());
    let answered: number[] = [];
    let isDone = false;
    let reader: EmbeddedReader | undefined;
    const heads: HeadMessage[] = [];
    worker.on('message', (message: { head?: HeadMessage; answered?: number; done?: boolean }) => {
      if (message.head) reader ? reader.head(message.head) : heads.push(message.head);
      if (message.answered !== undefined) answered.push(message.answered);
      if (message.done) isDone = true;
    });
    worker.on('error', (error) => {
      throw error;
    });
    reader = await openReader({ folder, matcherTest });
    for (const head of heads) reader.head(head);
    let questions = 0;
    while (!isDone || answered.length > 0) {
      // not a wait: it reads
      const before = answered;
      answered = [];
      const there = await numbersIn(reader);
      assert.deepEqual(
        before.filter((number) => !there.has(number)),
        [],
      );
      questions++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal((await numbersIn(reader)).size, most);
    t.diagnostic(`${questions} queries during ${most} pushes`);
    await reader.close();
  });
});
