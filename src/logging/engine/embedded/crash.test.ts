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

// Returns the numbers of the stored chunks, each complete and once.
async function numbersIn(reader: LogReader): Promise<Set<number>> {
  const counts = new Map<number, number>();
  const all = { tenant: 'tenant', matchers: [], fromNs: 0n, toNs: 2n ** 62n, direction: 'forward' } as const;
  for await (const piece of reader.select(all))
    for (const { lines } of piece)
      for (const line of lines) {
        const number = Number(/^chunk=(\d+) /.exec(line)?.[1]);
        counts.set(number, (counts.get(number) ?? 0) + 1);
      }
  for (const [number, count] of counts)
    assert.equal(count, linesOfJob, `chunk ${number} is stored incompletely or twice`);
  return new Set(counts.keys());
}

describe('[LOG-04] confirmed lines are stored once', () => {
  it('by a process that is killed repeatedly while it appends', async (t) => {
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
      // A sender without an answer sends the chunk again.
      const { repeatedChunks: before = 0 } = await writer.figures();
      await writer.append(numbers.slice(-5).map(numberedJob));
      const { repeatedChunks = 0 } = await writer.figures();
      assert.equal(repeatedChunks - before, Math.min(5, numbers.length));
      await numbersIn(reader);
      await close();
    }
  });
});

describe('[LOG-04] confirmed lines are synced', () => {
  it('a successful sync precedes the answer to each append', (t) => {
    const folder = folderFor(t);
    const options: AppenderOptions = { folder: join(folder, 'data'), from: 1, most: 6, arenaBytes: 20_000, lanes: 1 };
    assertSyncedAnswers(t, [appender, 'append', JSON.stringify(options)], join(folder, 'calls'), 6);
  });
});
