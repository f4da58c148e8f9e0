// A process that is killed while it appends.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chanceOf, isLong } from '../../../testing/seed.ts';
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
    for (let round = 0; round < (isLong ? 40 : 5); round++) {
      const arenaBytes = chance.one([10_000, 200_000, 100_000_000]);
      const options: AppenderOptions = { folder, from: round * 100_000, most: 100_000, arenaBytes, lanes: 4 };
      const child = spawn(process.execPath, [appender, 'append', JSON.stringify(options)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const enough = 20 + chance.below(300);
      let said = '';
      child.stdout.on('data', (text: Buffer) => {
        said += text;
        if (said.split('\n').length > enough) child.kill('SIGKILL');
      });
      await once(child, 'close');
      assert.equal(child.signalCode, 'SIGKILL');
      const numbers = said.split('\n').slice(0, -1).map(Number);
      assert.ok(numbers.length >= enough);
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
  // kill -9 spares what the system has in memory, so it proves nothing about the disk: here system calls are watched.
  it('between each append and its answer stands a sync that ended well', (t) => {
    if (spawnSync('strace', ['-V']).status !== 0) return t.skip('strace is not installed');
    const folder = folderFor(t);
    const calls = join(folder, 'calls');
    const options: AppenderOptions = { folder: join(folder, 'data'), from: 1, most: 6, arenaBytes: 20_000, lanes: 1 };
    const appending = [process.execPath, appender, 'append', JSON.stringify(options)];
    const { status, stderr } = spawnSync('strace', ['-f', '-o', calls, '-e', 'trace=fdatasync,write', ...appending], {
      encoding: 'utf8',
    });
    if (status !== 0 && /ptrace/.test(stderr)) return t.skip('strace may not watch here');
    assert.equal(status, 0, stderr);
    let [syncs, answers] = [0, 0];
    for (const line of readFileSync(calls, 'utf8').split('\n')) {
      if (/fdatasync(?:\(\d+| resumed>)\)\s+= 0$/.test(line)) syncs++;
      if (!/ write\(1, "\d+\\n"/.test(line)) continue;
      assert.ok(syncs > 0, `answer ${answers} left before its sync`);
      answers++;
      syncs = 0;
    }
    assert.equal(answers, 6);
  });
});
