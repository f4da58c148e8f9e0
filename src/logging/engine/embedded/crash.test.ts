// A process that is killed while it appends.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { answersUntilKilled, assertSyncedAnswers } from '../../../testing/numbered-answers.ts';
import { chanceOf, isFull } from '../../../testing/seed.ts';
import type { LogReader } from '../engine.ts';
import { openedIn } from './testing.ts';
import { type AppenderOptions, linesOfJob, numberedJob } from './testing-appender.ts';

const appender = fileURLToPath(new URL('./testing-appender.ts', import.meta.url));

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'logs-crash-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// The numbers of the chunks that are there: each whole, and once.
async function numbersIn(reader: LogReader): Promise<Set<number>> {
  const counts = new Map<number, number>();
  const all = { tenant: 'tenant', matchers: [], fromNs: 0n, toNs: 2n ** 62n, direction: 'forward' } as const;
  for await (const piece of reader.select(all))
    for (const { lines } of piece)
      for (const line of lines) {
        const number = Number(/^chunk=(\d+) /.exec(line)?.[1]);
        counts.set(number, (counts.get(number) ?? 0) + 1);
      }
  for (const [number, count] of counts) assert.equal(count, linesOfJob, `chunk ${number} is there in part or doubled`);
  return new Set(counts.keys());
}

describe('[LOG-04] what was confirmed is kept, once', () => {
  it('by a process that is killed again and again while it appends', async (t) => {
    const chance = chanceOf(t);
    const folder = folderFor(t);
    const confirmed: number[] = [];
    for (let round = 0; round < (isFull ? 40 : 5); round++) {
      const arenaBytes = chance.one([10_000, 200_000, 100_000_000]);
      const options: AppenderOptions = { folder, from: round * 100_000, most: 100_000, arenaBytes, lanes: 4 };
      const args = [appender, 'append', JSON.stringify(options)];
      const numbers = await answersUntilKilled(args, 20 + chance.below(300));
      confirmed.push(...numbers);
      const { writer, reader, close } = await openedIn(folder);
      const there = await numbersIn(reader);
      assert.deepEqual(
        confirmed.filter((number) => !there.has(number)),
        [],
      );
      // Whoever got no answer sends the chunk again.
      const { repeatedChunks: before = 0 } = await writer.figures();
      await writer.append(numbers.slice(-5).map(numberedJob));
      const { repeatedChunks = 0 } = await writer.figures();
      assert.equal(repeatedChunks - before, Math.min(5, numbers.length));
      await numbersIn(reader);
      await close();
    }
  });
});

describe('[LOG-04] what was confirmed is synced', () => {
  it('between each append and its answer stands a sync that ended well', (t) => {
    const folder = folderFor(t);
    const options: AppenderOptions = { folder: join(folder, 'data'), from: 1, most: 6, arenaBytes: 20_000, lanes: 1 };
    assertSyncedAnswers(t, [appender, 'append', JSON.stringify(options)], join(folder, 'calls'), 6);
  });
});
