// The embedded engine beyond the contract suite: its files, restarts, merging, removal, and a full disk.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Fault } from '../../../base/fault.ts';
import {
  generous,
  type PushedSeries,
  pushedSeriesOf,
  pushOf,
  type Sample,
  selectionOf,
  textOf,
} from '../contract/pushes.ts';
import { type Opened, openedIn } from './testing.ts';
import type { WriterOptions } from './writer.ts';

const dayMs = 86_400_000;
const start = 19_000 * dayMs;
const everything = { ...generous, oldestMs: 0, newestMs: 1e15 };
const always = (tenant: string) => ({ ...selectionOf(tenant), fromMs: 0, toMs: 1e15 });

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function opened(t: TestContext, folder: string, more: Partial<WriterOptions> = {}): Promise<Opened> {
  const engine = await openedIn(folder, more);
  t.after(() => engine.close());
  return engine;
}

const series = (at: number): Record<string, string> => ({ __name__: 'm', number: String(at) });

function scrape(step: number, count: number, everyMs = 15_000): PushedSeries[] {
  return Array.from({ length: count }, (_, at): PushedSeries => [series(at), [start + step * everyMs, step * at]]);
}

async function scraped({ writer }: Opened, steps: number, count: number, from = 0, everyMs = 15_000): Promise<void> {
  for (let step = from; step < from + steps; step++)
    await writer.append([pushOf('t', scrape(step, count, everyMs), everything)]);
}

async function tidied({ writer }: Opened): Promise<void> {
  while (await writer.tidy());
}

function queryNumber(folder: string, query: string): number {
  using db = new DatabaseSync(join(folder, 'metrics.db'), { readOnly: true });
  return Number(Object.values(db.prepare(query).get() ?? {})[0]);
}

const blocksIn = (folder: string): number => queryNumber(folder, 'SELECT count(*) FROM block');
const pagesIn = (folder: string): number => queryNumber(folder, 'PRAGMA page_count');

const lengths = async ({ reader }: Opened): Promise<number[]> =>
  (await reader.select(always('t'))).map(({ times }) => times.length);

describe('the files of the embedded engine', () => {
  it('after a clean stop there is one, and no pushes are left to replay', async (t) => {
    const folder = folderFor(t);
    const engine = await openedIn(folder);
    await scraped(engine, 10, 3);
    assert.ok(readdirSync(folder).some((name) => name.startsWith('ahead-')));
    await engine.close();
    assert.deepEqual(readdirSync(folder), ['metrics.db']);
    assert.deepEqual(await lengths(await opened(t, folder)), [10, 10, 10]);
  });

  it('every commit of the file is synced', async (t) => {
    const { writer } = await opened(t, folderFor(t));
    assert.equal((await writer.figures()).synchronous, 2);
  });

  it('a foreign, a broken and a truncated file are reported as such', async (t) => {
    const folder = folderFor(t);
    const file = join(folder, 'metrics.db');
    const refused = async (pattern: RegExp): Promise<void> =>
      assert.rejects(openedIn(folder), (error: Fault) => {
        assert.equal(error.kind, 'unavailable');
        assert.match(error.message, pattern);
        assert.match(error.message, /metrics\.db/);
        assert.ok(!error.message.includes(folder), 'clients do not see the path of the files');
        return true;
      });
    writeFileSync(file, 'this is a letter to my aunt, and by no means a database'.repeat(10));
    await refused(/not a database/);
    rmSync(file);
    {
      using db = new DatabaseSync(file);
      db.exec('CREATE TABLE x (y)');
    }
    await refused(/belongs to another program/);
    rmSync(file);
    const engine = await openedIn(folder);
    await scraped(engine, 1, 3);
    await engine.close();
    truncateSync(file, statSync(file).size - 5000);
    await refused(/damaged/);
  });

  it('a closed engine reports it', async (t) => {
    const engine = await openedIn(folderFor(t));
    await engine.close();
    const isClosed = (error: Fault): boolean => error.kind === 'unavailable' && /closed/.test(error.message);
    await assert.rejects(engine.writer.append([pushOf('t', scrape(0, 1), everything)]), isClosed);
    await assert.rejects(engine.writer.tidy(), isClosed);
    await assert.rejects(engine.reader.select(always('t')), isClosed);
    await engine.close();
  });
});

describe('arenas and blocks', () => {
  it('pushes are answered during a flush, and all samples are readable before, during and after it', async (t) => {
    const folder = folderFor(t);
    const engine = await opened(t, folder, { arenaSamples: 1 << 14 });
    let most = 0;
    for (let step = 0; step < 60; step++) {
      await engine.writer.append([pushOf('t', scrape(step, 1000), everything)]);
      most = Math.max(most, (await engine.writer.figures()).arenas ?? 0);
      if (step % 10 === 0) assert.ok((await lengths(engine)).every((length) => length === step + 1));
    }
    assert.ok(most > 1, 'no push met a full arena');
    assert.ok(((await engine.writer.figures()).flushes ?? 0) >= 2);
    assert.ok((await lengths(engine)).every((length) => length === 60));
  });

  it('a push that is larger than an arena is stored completely', async (t) => {
    const folder = folderFor(t);
    const engine = await openedIn(folder, { arenaSamples: 100 });
    const samples = Array.from({ length: 5000 }, (_, at): Sample => [start + at * 1000, at]);
    await engine.writer.append([pushOf('t', [[series(0), ...samples]], everything)]);
    await engine.writer.append([pushOf('t', scrape(0, 3000), everything)]);
    assert.equal((await lengths(engine)).length, 3000);
    await engine.close();
    const again = await opened(t, folder, { arenaSamples: 100 });
    const [first] = await again.reader.select({ ...always('t'), matchers: [{ name: 'number', op: '=', value: '0' }] });
    assert.deepEqual(first && pushedSeriesOf(first), [series(0), ...samples]);
  });

  it('old samples in memory are flushed by the background work', async (t) => {
    const folder = folderFor(t);
    let now = start;
    const engine = await opened(t, folder, { now: () => now });
    await scraped(engine, 5, 3);
    await tidied(engine);
    assert.equal(blocksIn(folder), 0);
    now += 2 * 3_600_000;
    await tidied(engine);
    assert.equal(blocksIn(folder), 1);
    assert.equal((await engine.writer.figures()).headSamples, 0);
    assert.deepEqual(await lengths(engine), [5, 5, 5]);
  });

  it('small blocks are merged to large ones, each day separately, and then stay unchanged', async (t) => {
    const folder = folderFor(t);
    let now = start;
    const engine = await opened(t, folder, { now: () => now, sealAfterMs: 0 });
    for (let hour = 0; hour < 36; hour++) {
      await scraped(engine, 1, 200, hour, 3_600_000);
      await engine.writer.tidy();
    }
    await tidied(engine);
    const during = blocksIn(folder);
    assert.ok(during < 36, `${during} blocks`);
    now += 3 * dayMs;
    await tidied(engine);
    assert.equal(blocksIn(folder), 4); // two bands of 200 series, two days
    const { merges } = await engine.writer.figures();
    await tidied(engine);
    assert.equal((await engine.writer.figures()).merges, merges);
    assert.ok((await lengths(engine)).every((length) => length === 36));
  });

  it('no sample of an interrupted flush counts twice', async (t) => {
    const folder = folderFor(t);
    const engine = await openedIn(folder);
    await scraped(engine, 50, 3);
    await engine.close();
    {
      // As if the process had ended between the first blocks and the end of the flush.
      using db = new DatabaseSync(join(folder, 'metrics.db'));
      db.exec("UPDATE mark SET value = value - 1 WHERE name = 'flushed'");
    }
    const again = await openedIn(folder);
    assert.equal(blocksIn(folder), 0);
    await again.close();
  });
});

describe('damage', () => {
  it('of a block is reported to its readers, others are served, and background work continues', async (t) => {
    const folder = folderFor(t);
    let now = start;
    const engine = await opened(t, folder, { now: () => now, sealAfterMs: 0 });
    for (let step = 0; step < 3; step++) {
      await scraped(engine, 1, 300, step);
      await tidied(engine);
    }
    {
      using db = new DatabaseSync(join(folder, 'metrics.db'));
      db.exec("UPDATE block SET payload = x'0102030405' WHERE id = 1");
    }
    const one = (value: string) => ({ ...always('t'), matchers: [{ name: 'number', op: '=', value } as const] });
    const isDamage = (error: Fault): boolean => error.kind === 'unavailable' && /damaged/.test(error.message);
    await assert.rejects(engine.reader.select(one('0')), isDamage);
    assert.equal((await engine.reader.select(one('299'))).length, 1);
    now += 3 * dayMs;
    await tidied(engine);
    assert.ok(((await engine.writer.figures()).damagedBlocks ?? 0) > 0);
    assert.equal((await engine.reader.select(one('299')))[0]?.times.length, 3);
    await scraped(engine, 1, 300, 9);
  });

  it('more samples than a query may have are refused before they are read', async (t) => {
    const engine = await opened(t, folderFor(t), { sealAfterMs: 0 });
    await scraped(engine, 10, 20);
    await tidied(engine);
    assert.equal((await engine.reader.select({ ...always('t'), mostSamples: 200 })).length, 20);
    await assert.rejects(
      engine.reader.select({ ...always('t'), mostSamples: 199 }),
      (error: Fault) => error.kind === 'refused' && /199/.test(error.message),
    );
  });
});

describe('what is forgotten', () => {
  it('old days are removed, then series without samples, whose slots are free for others', async (t) => {
    const folder = folderFor(t);
    let now = start;
    const engine = await opened(t, folder, { now: () => now, sealAfterMs: 0 });
    const push = async (numbers: number[], timeMs: number): Promise<(string | number | undefined)[]> => {
      const pushes = numbers.map((number): PushedSeries => [series(number), [timeMs, number]]);
      const [outcome] = await engine.writer.append([pushOf('t', pushes, { ...everything, series: 3 })]);
      await tidied(engine);
      return [outcome?.samples, outcome?.fault?.kind];
    };
    assert.deepEqual(await push([1, 2, 3], start), [3, undefined]);
    now += 10 * dayMs;
    assert.deepEqual(await push([3], now), [1, undefined]);
    assert.deepEqual(await push([4], now), [0, 'limit']);
    await engine.writer.prune('t', now - 5 * dayMs);
    assert.deepEqual((await engine.reader.select(always('t'))).map(pushedSeriesOf), [[series(3), [now, 3]]]);
    assert.deepEqual(await engine.reader.values('number', [always('t')]), ['3']);
    assert.deepEqual(await push([4, 1], now), [2, undefined]);
    assert.deepEqual(await engine.reader.values('number', [always('t')]), ['1', '3', '4']);
    assert.deepEqual(await push([5], now), [0, 'limit']);
  });

  it('a series that is only in memory is not removed', async (t) => {
    const folder = folderFor(t);
    let now = start;
    const engine = await opened(t, folder, { now: () => now, sealAfterMs: 3_600_000 });
    await scraped(engine, 1, 2);
    now += dayMs;
    await tidied(engine);
    await engine.writer.append([pushOf('t', [[series(0), [now, 7]]], everything)]);
    await engine.writer.prune('t', now - 1000);
    assert.deepEqual((await engine.reader.select(always('t'))).map(pushedSeriesOf), [[series(0), [now, 7]]]);
  });

  it('no row of a dropped tenant is left, and its space is freed', async (t) => {
    const folder = folderFor(t);
    const engine = await opened(t, folder, { arenaSamples: 1 << 14, sealAfterMs: 0 });
    const noise = (at: number): number => Math.sin(at * 12.9898) * 43_758.5453;
    for (let step = 0; step < 120; step++) {
      const pushes = Array.from({ length: 2000 }, (_, at): PushedSeries => {
        return [series(at), [start + step * 1000, noise(step * 2000 + at)]];
      });
      await engine.writer.append([pushOf('t', pushes, everything)]);
    }
    await engine.writer.append([textOf('t', '# TYPE x counter\nx 1\n')]);
    await tidied(engine);
    const before = pagesIn(folder);
    await engine.writer.drop('t');
    await tidied(engine);
    await engine.close();
    const after = pagesIn(folder);
    assert.ok(after < before / 2, `${before} pages became ${after}`);
    using db = new DatabaseSync(join(folder, 'metrics.db'), { readOnly: true });
    for (const table of ['tenant', 'series', 'metric', 'block'])
      assert.equal(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count, 0, table);
  });

  it('a dropped tenant does not return when its pushes are replayed', async (t) => {
    const folder = folderFor(t);
    const engine = await openedIn(folder);
    await scraped(engine, 3, 2);
    await engine.writer.append([pushOf('other', scrape(0, 1), everything)]);
    await engine.writer.drop('t');
    execFileSync('cp', ['-r', '--', folder, `${folder}.copy`]);
    t.after(() => rmSync(`${folder}.copy`, { recursive: true, force: true }));
    await engine.close();
    const again = await opened(t, `${folder}.copy`);
    assert.deepEqual(await lengths(again), []);
    assert.equal((await again.reader.select(always('other'))).length, 1);
  });
});

describe('memory and disk', () => {
  it('a hundred thousand active series hold less than 80 MB', (t) => {
    const script = fileURLToPath(new URL('./testing-memory.ts', import.meta.url));
    const folder = folderFor(t);
    const { stdout, status, stderr } = spawnSync(process.execPath, ['--expose-gc', script, folder], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const { megabytes, series: count } = JSON.parse(stdout) as { megabytes: number; series: number };
    t.diagnostic(`${megabytes} MB`);
    assert.equal(count, 100_000);
    assert.ok(megabytes < 80, `${megabytes} MB`);
  });

  it('on a full disk pushes are refused completely, and work again with room', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'metrics-disk-'));
    const why = mounted(folder);
    t.after(() => {
      if (why === undefined) execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    });
    if (why !== undefined) return t.skip(`no small disk can be mounted here: ${why}`);
    const engine = await openedIn(join(folder, 'data'), { arenaSamples: 4096 });
    let step = 0;
    const push = async (): Promise<void> => {
      await engine.writer.append([pushOf('t', scrape(step, 500), everything)]);
      step++;
    };
    await push();
    fill(join(folder, 'filler'));
    await assert.rejects(
      async () => {
        for (let tries = 0; tries < 10_000; tries++) await push();
      },
      (error: Fault) => {
        assert.equal(error.kind, 'unavailable');
        assert.match(error.message, /disk is full/);
        return true;
      },
    );
    for (let tries = 0; tries < 5; tries++) await assert.rejects(push(), /disk is full/);
    assert.ok((await lengths(engine)).every((length) => length === step));
    rmSync(join(folder, 'filler'));
    for (let more = 0; more < 20; more++) await push();
    await tidied(engine);
    assert.ok((await lengths(engine)).every((length) => length === step));
    await engine.close();
    const again = await openedIn(join(folder, 'data'));
    assert.deepEqual(
      await lengths(again),
      Array.from({ length: 500 }, () => step),
    );
    await again.close();
  });
});

function mounted(folder: string): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'cumulet-test', folder], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
}

function fill(file: string): void {
  const handle = openSync(file, 'a');
  try {
    for (;;) writeSync(handle, Buffer.alloc(4096));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(handle);
  }
}
