// The state contract over SQLite, and what only this engine promises: its file, its log, a full disk, a crash.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  globSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { stateContract } from '../contract/contract.ts';
import { holds, isUnavailable, put, row } from '../contract/samples.ts';
import type { Scan, StateEngine, Write } from '../engine.ts';
import { planScan } from '../scan.ts';
import { openSqlite, type SqliteOptions } from './engine.ts';

let time = 1_000_000;
const now = (): number => time;

stateContract('sqlite', (folder) => openSqlite({ folder, now }), {
  pass: async (ms) => {
    time += ms;
  },
});

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function opened(t: TestContext, folder: string, more: Partial<SqliteOptions> = {}): Promise<StateEngine> {
  const state = await openSqlite({ folder, now, ...more });
  t.after(() => state.close());
  return state;
}

const text = (bytes: number): string => 'x'.repeat(bytes);
const inserts = (id: string, body = '{}'): Write => ({
  op: 'insert',
  table: 'resource',
  row: row(1, 'p', id, { body }),
});
const appends: Write = { op: 'append', table: 'activity', row: row(1, 'log', '') };

describe('sqlite: commits', () => {
  it('sets of one turn share one commit and one sync', async (t) => {
    const state = await opened(t, await folderFor(t));
    const before = state.figures();
    await Promise.all(Array.from({ length: 50 }, (_, at) => state.apply([inserts(`r${at}`), appends])));
    const after = state.figures();
    assert.equal((after.commits ?? 0) - (before.commits ?? 0), 1);
    assert.equal((after.syncs ?? 0) - (before.syncs ?? 0), 1);
  });

  it('a very large turn is split over several commits', async (t) => {
    const state = await opened(t, await folderFor(t));
    await Promise.all(Array.from({ length: 1100 }, (_, at) => state.apply([inserts(`r${at}`)])));
    assert.equal(state.figures().commits, 3);
  });

  it('a set that can not be bound is rejected alone and leaves nothing', async (t) => {
    const state = await opened(t, await folderFor(t));
    const broken = { ...row(1, 'p', 'broken'), body: undefined as unknown as string };
    const results = await Promise.allSettled([
      state.apply([{ op: 'append', table: 'activity', row: { ...broken, place: 'log' } }]),
      state.apply([inserts('a'), appends]),
      state.apply([inserts('b'), appends, { op: 'insert', table: 'resource', row: broken }]),
      state.apply([inserts('c'), appends]),
    ]);
    assert.deepEqual(
      results.map((one) => one.status),
      ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(await state.get('resource', 1, 'p', 'b'), undefined);
    assert.ok(await state.get('resource', 1, 'p', 'c'));
    const log = await state.range('activity', { contract: 1, place: 'log', limit: 9 });
    assert.deepEqual(
      log.map((one) => one.id),
      ['000000000001', '000000000002'],
    );
  });

  it('an append passes over a number that was inserted by hand', async (t) => {
    const state = await opened(t, await folderFor(t));
    await put(state, 'activity', row(1, 'log', '000000000001'));
    assert.deepEqual(await holds(state, [appends]), ['000000000002']);
  });

  it('every scan is one seek in key order', async (t) => {
    const folder = await folderFor(t);
    const state = await opened(t, folder);
    await put(state, 'resource', row(1, 'p', 'a'));
    using db = new DatabaseSync(join(folder, 'state.db'));
    const after = { contract: 1, place: 'p', id: 'a' };
    const scans: Omit<Scan, 'limit'>[] = [
      { below: '', after },
      { contract: 1, place: 'p', from: 'a', to: 'c', after },
      { contract: 1, below: 'p' },
      { contract: 1, below: 'p', after },
    ];
    const ways = [...scans, ...scans.map((one) => ({ ...one, reverse: true }))];
    for (const [table, index] of Object.entries({
      link: 'PRIMARY KEY',
      resource: 'INDEX resource_key',
      request: 'INDEX request_key',
    }))
      for (const scan of ways) {
        const plan = planScan({ ...scan, limit: 1 });
        assert.ok(plan);
        const query = `EXPLAIN QUERY PLAN SELECT * FROM ${table} ${plan.where} ORDER BY ${plan.order}`;
        const steps = db.prepare(query).all(...plan.values);
        assert.equal(steps.length, 1, JSON.stringify(steps));
        assert.ok(String(steps[0]?.detail).startsWith(`SEARCH ${table} USING ${index} `), JSON.stringify(steps));
      }
  });
});

async function writeMuch(state: StateEngine, megabytes: number): Promise<number> {
  let left = megabytes * 128;
  let longest = 0;
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      await holds(state, [inserts(`r${left}`, text(8192)), appends]);
      longest = Math.max(longest, state.figures().logBytes ?? 0);
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
  return longest;
}

describe('sqlite: the log', () => {
  const bounds = { softBytes: 200_000, hardBytes: 1_000_000 };

  it('stays bounded under constant writes, and each connection syncs fully', async (t) => {
    const state = await opened(t, await folderFor(t), bounds);
    const longest = await writeMuch(state, 48);
    const figures = state.figures();
    assert.ok(longest < 24_000_000, `${longest} bytes of log`);
    assert.ok((figures.checkpoints ?? 0) > 0 && (figures.restarts ?? 0) > 0, JSON.stringify(figures));
    assert.equal(figures.checkpointFailures, 0);
    assert.equal(figures.synchronous, 2);
    assert.equal(figures.checkpointSynchronous, 2);
    assert.equal((await state.range('resource', { contract: 1, place: 'p', limit: 1e6 })).length, 48 * 128);
  });

  it('is not started if the caller disables it', async (t) => {
    const state = await opened(t, await folderFor(t), { ...bounds, checkpoint: false });
    assert.ok((await writeMuch(state, 4)) > 4_000_000);
    assert.equal(state.figures().checkpoints, 0);
  });

  it('is checkpointed by compiled code in another folder too', async (t) => {
    const folder = await folderFor(t);
    const sources = join(import.meta.dirname, '../../..');
    const paths = ['base/**/*.ts', 'core/*.ts', 'core/state/**/*.ts', 'core/threads/*.ts'].flatMap((pattern) =>
      globSync(pattern, { cwd: sources }),
    );
    for (const path of paths.filter((one) => !one.endsWith('.test.ts'))) {
      const source = readFileSync(join(sources, path), 'utf8');
      const compiled = stripTypeScriptTypes(source).replaceAll(/((?:from |new URL\()'[^']+)\.ts'/g, "$1.js'");
      const target = join(folder, 'dist', path.replace(/ts$/, 'js'));
      await mkdir(dirname(target), { recursive: true });
      writeFileSync(target, compiled);
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const { openSqlite: compiled } = await import(pathToFileURL(join(folder, 'dist/core/state/sqlite/engine.js')).href);
    const engine: StateEngine = await compiled({ folder: join(folder, 'data'), now, ...bounds });
    await writeMuch(engine, 8);
    await engine.close();
    assert.ok((engine.figures().checkpoints ?? 0) > 0, JSON.stringify(engine.figures()));
  });
});

describe('sqlite: trouble', () => {
  it('a full disk refuses changes, serves reads, and recovers by itself', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'state-'));
    if (process.getuid?.() !== 0) return t.skip('mounting a small disk needs root');
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' });
    } catch (error) {
      return t.skip(`no small disk can be mounted: ${String(error)}`);
    } finally {
      // Hooks run in the order they are set: the disk has to go before its folder.
      t.after(() => execFileSync('sh', ['-c', `umount -l ${folder}; rmdir ${folder}`], { stdio: 'ignore' }));
    }
    const state = await opened(t, folder);
    await holds(state, [inserts('kept'), { op: 'count', contract: 1, name: 'n', add: 1 }, appends]);
    const filler = join(folder, 'filler');
    fill(filler);
    const big = (at: number): Write[] => [appends, inserts(`big${at}`, text(200_000)), countOne];
    const refused = await Promise.allSettled([0, 1, 2].map((at) => state.apply(big(at))));
    for (const one of refused) assert.ok(one.status === 'rejected' && isUnavailable(one.reason), JSON.stringify(one));
    await assert.rejects(state.apply(big(3)), /^Error: the disk is full: nothing was changed$/);
    // More than the cache holds: the disk is found full amid the set, not only at its commit.
    const huge = Array.from({ length: 200 }, (_, at) => inserts(`huge${at}`, text(200_000)));
    const shared = await Promise.allSettled([state.apply([appends, ...huge]), state.apply([appends])]);
    for (const one of shared) assert.ok(one.status === 'rejected' && isUnavailable(one.reason), String(one));
    await assert.rejects(state.lease('runner', 'A'.repeat(100_000), 1000), isUnavailable);
    assert.ok(await state.get('resource', 1, 'p', 'kept'));
    assert.equal(await state.get('resource', 1, 'p', 'big0'), undefined);
    assert.deepEqual(await state.counters(1), new Map([['n', 1]]));
    await assert.rejects(Array.fromAsync(state.dump()), {
      kind: 'unavailable',
      message: /^the disk of \S+\/state-\w+ is full: a copy of state\.db is made there while a backup is written/,
    });
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('copy')),
      [],
    );
    rmSync(filler);
    assert.deepEqual(await holds(state, big(0)), ['000000000002']);
    assert.deepEqual(await state.counters(1), new Map([['n', 2]]));
    await state.close();
    const again = await opened(t, folder);
    assert.equal((await again.range('resource', { contract: 1, place: 'p', limit: 9 })).length, 2);
  });

  for (const rest of ['\0'.repeat(300), 'kind\x7fstate\0\0\0', '["kind","state"', '["kind"]'])
    it(`a row that says ${JSON.stringify(rest.slice(0, 20))} is damage too`, async (t) => {
      const folder = await folderFor(t);
      const state = await openSqlite({ folder, now });
      {
        using db = new DatabaseSync(join(folder, 'state.db'));
        db.prepare("INSERT INTO resource VALUES (1, 1, 'p', 'a', 1, 0, ?, 0)").run(rest);
      }
      await assert.rejects(state.get('resource', 1, 'p', 'a'), { kind: 'unavailable', message: /damaged/ });
      await assert.rejects(state.range('resource', { contract: 1, place: 'p', limit: 9 }), { kind: 'unavailable' });
      assert.equal(state.figures().damaged, 1);
      await state.close();
    });

  it('damage that is found while running is unavailable, not a crash; intact rows can be read, nothing is written', async (t) => {
    const folder = await folderFor(t);
    const first = await openSqlite({ folder, now });
    await Promise.all(Array.from({ length: 400 }, (_, at) => holds(first, [inserts(`r${at}`, text(3000))])));
    await put(first, 'request', row(1, 'p', 'a'));
    await first.close();
    const file = join(folder, 'state.db');
    const handle = openSync(file, 'r+');
    // The first pages are the roots of all tables; what follows belongs to the one that was filled.
    for (let at = 4096 * 20; at < statSync(file).size; at += 4096)
      writeSync(handle, Buffer.alloc(4096, 0xee), 0, 4096, at);
    closeSync(handle);
    const state = await opened(t, folder);
    assert.equal(state.figures().damaged, 0);
    await assert.rejects(state.get('resource', 1, 'p', 'r7'), isUnavailable);
    assert.equal(state.figures().damaged, 1);
    await assert.rejects(state.range('resource', { contract: 1, place: 'p', limit: 9 }), isUnavailable);
    await assert.rejects(state.apply([appends]), { kind: 'unavailable', message: /damaged, so changes are refused/ });
    assert.ok(await state.get('request', 1, 'p', 'a'));
  });

  it('kill -9 while sets are applied leaves every acknowledged set whole', async (t) => {
    const folder = await folderFor(t);
    for (let round = 0; round < 3; round++) await crash(folder, round);
  });
});

const countOne: Write = { op: 'count', contract: 1, name: 'n', add: 1 };

function fill(path: string): void {
  const handle = openSync(path, 'w');
  for (const bytes of [65536, 4096]) {
    try {
      for (;;) if (writeSync(handle, Buffer.alloc(bytes)) === 0) break;
    } catch {
      // Full, as wanted.
    }
  }
  closeSync(handle);
}

// The child notes in a file which sets were acknowledged (a pipe may refuse a write), and is killed amid its work.
const applier = (folder: string, round: number): string => `
  import { openSync, writeSync } from 'node:fs';
  const notes = openSync(${JSON.stringify(join(folder, `acknowledged${round}`))}, 'a');
  const { openSqlite } = await import(${JSON.stringify(new URL('./engine.ts', import.meta.url).href)});
  const bounds = { softBytes: 100_000, hardBytes: 400_000 };
  const state = await openSqlite({ folder: ${JSON.stringify(folder)}, now: () => 1, ...bounds });
  const texts = { kind: '', state: '', owner: '', meta: '', body: 'x'.repeat(700), hidden: '' };
  const row = { contract: 1, version: 1, time: 1, ...texts };
  const one = async (client) => {
    for (let at = 0; ; at++) {
      const id = '${round}-' + client + '-' + at;
      const outcome = await state.apply([
        { op: 'insert', table: 'resource', row: { ...row, place: 'p', id } },
        { op: 'append', table: 'activity', row: { ...row, place: 'log', body: id } },
        { op: 'count', contract: 1, name: 'n', add: 1 },
      ]);
      writeSync(notes, id + ' ' + outcome.appended[0] + '\\n');
      process.stdout.write('.');
    }
  };
  for (let client = 0; client < 8; client++) one(client);
`;

async function crash(folder: string, round: number): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', applier(folder, round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.stdout.on('data', (chunk) => {
    said += chunk.length;
    if (said > 1000 * (round + 1)) child.kill('SIGKILL');
  });
  child.on('close', () => resolve());
  await promise;
  assert.equal(child.signalCode, 'SIGKILL');
  const state = await openSqlite({ folder, now });
  const acknowledged = readFileSync(join(folder, `acknowledged${round}`), 'utf8')
    .split('\n')
    .slice(0, -1);
  assert.ok(acknowledged.length > 500);
  for (const line of acknowledged) {
    const [id = '', number = ''] = line.split(' ');
    assert.ok(await state.get('resource', 1, 'p', id), line);
    assert.equal((await state.get('activity', 1, 'log', number))?.body, id);
  }
  const all = { contract: 1, limit: 1e6 };
  const resources = await state.range('resource', { ...all, place: 'p' });
  const log = await state.range('activity', { ...all, place: 'log' });
  assert.equal(log.length, resources.length);
  assert.equal(log.at(-1)?.id, String(log.length).padStart(12, '0'));
  assert.equal((await state.counters(1)).get('n'), log.length);
  await state.close();
}
