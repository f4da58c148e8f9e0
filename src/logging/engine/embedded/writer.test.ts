// The embedded engine beyond the contract suite: truncated and damaged files, filters, merging, and removed files.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { machineTime } from '../../../base/clock.ts';
import { RecordLog } from '../../../core/record-log/record-log.ts';
import type { LogBench } from '../contract/case.ts';
import { found, jobOf, newTenant, type PushedLine, texts } from '../contract/lines.ts';
import { checkSegments } from './check.ts';
import { type OpenedEngine, openedIn } from './testing.ts';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'logs-writer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const settled = (engine: OpenedEngine): LogBench => ({ ...engine, settle: async () => {} });
const filesOf = (folder: string, form: RegExp): string[] =>
  readdirSync(folder)
    .filter((name) => form.test(name))
    .sort();
const shop = { app: 'shop' };
const sealing = { sealAfterMs: -1 };

test('[LOG-04] the rest of an interrupted write is truncated, and the lines before it are kept', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const first = await openedIn(folder);
  await first.writer.append([jobOf(tenant, [[shop, [1, 'whole']]], 'a')]);
  await first.writer.append([jobOf(tenant, [[shop, [2, 'torn']]], 'b')]);
  await first.close();
  const [name = ''] = filesOf(folder, /^ahead/);
  truncateSync(join(folder, name), readFileSync(join(folder, name)).length - 25); // 20 bytes follow the last record
  const second = await openedIn(folder);
  assert.deepEqual(texts(await found(settled(second), tenant)), ['whole']);
  await second.writer.append([jobOf(tenant, [[shop, [1, 'whole']]], 'a'), jobOf(tenant, [[shop, [2, 'torn']]], 'b')]);
  await second.close();
  const third = await openedIn(folder);
  assert.deepEqual(texts(await found(settled(third), tenant)), ['whole', 'torn']);
  await third.close();
});

test('[LOG-04] damage within the write-ahead log loses one record, is reported, and a copy is kept', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const first = await openedIn(folder);
  for (const n of [1, 2, 3]) await first.writer.append([jobOf(tenant, [[shop, [n, `line ${n}`]]])]);
  await first.close();
  assert.deepEqual((await checkSegments(folder)).damage, []);
  const [name = ''] = filesOf(folder, /^ahead/);
  const bytes = readFileSync(join(folder, name));
  bytes[bytes.indexOf('line 2')] = 0;
  writeFileSync(join(folder, name), bytes);
  assert.match((await checkSegments(folder)).damage.join(), /is damaged at byte \d+: \d+ bytes of lines are lost$/);
  const messages: string[] = [];
  const again = await openedIn(folder, { ...sealing, onDamage: (message) => messages.push(message) });
  assert.match(
    messages.join(),
    /ahead-\d+\.log is damaged at byte \d+: \d+ bytes are lost \(see ahead-\d+\.log\.damaged-\d+\)$/,
  );
  assert.deepEqual(texts(await found(settled(again), tenant)), ['line 1', 'line 3']);
  await again.writer.tidy(); // seals the lines and removes the log
  await again.close();
  const [copy = ''] = filesOf(folder, /damaged/);
  assert.deepEqual(readFileSync(join(folder, copy)), bytes);
  assert.match((await checkSegments(folder)).damage.join(), /damaged-\d+ is a copy of a damaged log/);
  const last = await openedIn(folder);
  assert.deepEqual(texts(await found(settled(last), tenant)), ['line 1', 'line 3']);
  await last.close();
});

test('[LOG-04] a chunk is known after its lines were sealed and the region was restarted', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const job = jobOf(tenant, [[shop, [1, 'once']]], 'chunk');
  const first = await openedIn(folder, sealing);
  await first.writer.append([job]);
  await first.writer.tidy();
  await first.close();
  const second = await openedIn(folder);
  await second.writer.append([job]);
  assert.equal((await second.writer.figures()).repeatedChunks, 1);
  assert.equal((await second.reader.stats({ tenant, matchers: [], fromNs: 0n, toNs: 2n ** 62n })).entries, 1);
  await second.close();
});

test('a damaged block is reported with its time and not returned; others are', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const engine = await openedIn(folder, sealing);
  const lines = Array.from({ length: 500 }, (_, n): PushedLine => [n / 100, `line ${n} ${'y'.repeat(n % 50)}`]);
  await engine.writer.append([jobOf(tenant, [[shop, ...lines]])]);
  await engine.writer.tidy();
  await engine.writer.append([jobOf(tenant, [[{ app: 'mail' }, [1, 'fine']]])]);
  const [name = ''] = filesOf(folder, /^segment/);
  const bytes = readFileSync(join(folder, name));
  bytes[200] = (bytes[200] as number) ^ 1;
  writeFileSync(join(folder, name), bytes);
  await assert.rejects(found(settled(engine), tenant), {
    kind: 'unavailable',
    message: /block of the logs is damaged .*20\d\d-/,
  });
  const mail = [{ name: 'app', operator: '=', value: 'mail' } as const];
  assert.deepEqual(texts(await found(settled(engine), tenant, { matchers: mail })), ['fine']);
  await engine.close();
});

test('a segment with a damaged directory is reported when it is opened, and the others are served', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const engine = await openedIn(folder, sealing);
  for (const n of [1, 2]) {
    await engine.writer.append([jobOf(tenant, [[shop, [n, `segment ${n}`]]])]);
    await engine.writer.tidy();
  }
  await engine.close();
  const [name = ''] = filesOf(folder, /^segment/);
  truncateSync(join(folder, name), readFileSync(join(folder, name)).length - 1);
  const messages: string[] = [];
  const again = await openedIn(folder, { onDamage: (message) => messages.push(message) });
  assert.equal(messages.length, 1);
  assert.deepEqual(texts(await found(settled(again), tenant)), ['segment 2']);
  await again.close();
});

test('[LOG-06] a search for a rare word reads only blocks that contain it', async (t) => {
  const engine = await openedIn(folderFor(t), sealing);
  const tenant = newTenant();
  for (let block = 0; block < 10; block++) {
    const word = block === 6 ? 'needleword' : 'plain';
    const lines = Array.from(
      { length: 400 },
      (_, n): PushedLine => [block * 10 + n / 100, `level=info n=${n * 7919} ${word}`],
    );
    await engine.writer.append([jobOf(tenant, [[shop, ...lines]])]);
    await engine.writer.tidy();
  }
  while (await engine.writer.tidy());
  const { blocks = 0 } = await engine.writer.figures();
  assert.equal((await found(settled(engine), tenant, { contains: ['dlewor'] })).length, 400);
  const { readBlocks, skippedBlocks } = await engine.writer.figures();
  assert.deepEqual({ readBlocks, skippedBlocks }, { readBlocks: 1, skippedBlocks: blocks - 1 });
  await engine.close();
});

test('small blocks are merged; a running search reads to its end, and then the old files are removed', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const engine = await openedIn(folder, sealing);
  const append = async (n: number): Promise<void> => {
    await engine.writer.append([jobOf(tenant, [[shop, [n, `line ${n}`], [n + 0.5, `half ${n}`]]])]);
    while (await engine.writer.tidy());
  };
  for (const n of [0, 1, 2]) await append(n);
  const old = filesOf(folder, /^segment/);
  assert.equal(old.length, 3);
  const all = { tenant, matchers: [], fromNs: 0n, toNs: 2n ** 62n, direction: 'forward' } as const;
  const lines: string[] = [];
  for await (const piece of engine.reader.select(all)) {
    if (lines.length === 0) for (const n of [3, 4, 5, 6]) await append(n);
    const there = filesOf(folder, /^segment/);
    assert.ok(
      old.every((name) => there.includes(name)),
      String(there),
    );
    lines.push(...piece.flatMap((part) => part.lines));
  }
  assert.equal(lines.length, 6);
  const after = filesOf(folder, /^segment/);
  assert.ok(!after.some((name) => old.includes(name)) && after.length < 7, String(after));
  assert.equal((await found(settled(engine), tenant)).length, 14);
  await engine.close();
});

test('[LOG-08] a dropped tenant stays dropped after a restart, and its files are removed', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const first = await openedIn(folder, sealing);
  await first.writer.append([jobOf(tenant, [[shop, [1, 'sealed']]])]);
  await first.writer.tidy();
  await first.writer.append([jobOf(tenant, [[shop, [2, 'in memory']]])]);
  await first.writer.drop(tenant);
  assert.deepEqual(filesOf(folder, /^segment/), []);
  await first.writer.append([jobOf(tenant, [[shop, [3, 'new']]])]);
  await first.close();
  const second = await openedIn(folder);
  assert.deepEqual(texts(await found(settled(second), tenant)), ['new']);
  await second.close();
});

test('[LOG-06] days that are too old are removed as whole blocks, with their files', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const day = 86_400;
  const engine = await openedIn(folder, sealing);
  const lines = Array.from({ length: 40 }, (_, n): PushedLine => [-n * day, `day ${n}`]).reverse();
  await engine.writer.append([jobOf(tenant, [[shop, ...lines]])]);
  const all = { fromNs: 0n, toNs: 2n ** 62n };
  const before = (days: number): bigint => BigInt(machineTime() - days * day * 1000) * 1_000_000n;
  await engine.writer.prune(tenant, [], before(30));
  const kept = texts(await found(settled(engine), tenant, all));
  assert.deepEqual([kept.length, kept.at(-1)], [30, 'day 0']);
  await engine.writer.prune(tenant, [], before(-1));
  assert.deepEqual(filesOf(folder, /^segment/), []);
  await engine.close();
});

test('a full disk refuses appends, and none of their lines is stored', async (t) => {
  const engine = await openedIn(folderFor(t));
  const tenant = newTenant();
  await engine.writer.append([jobOf(tenant, [[shop, [1, 'fits']]])]);
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const append = t.mock.method(RecordLog.prototype, 'append', () => Promise.reject(full));
  await assert.rejects(engine.writer.append([jobOf(tenant, [[shop, [2, 'does not']]], 'c')]), {
    kind: 'unavailable',
    message: /the disk is full/,
  });
  append.mock.restore();
  assert.deepEqual(texts(await found(settled(engine), tenant)), ['fits']);
  await engine.writer.append([jobOf(tenant, [[shop, [2, 'does now']]], 'c')]);
  assert.deepEqual(texts(await found(settled(engine), tenant)), ['fits', 'does now']);
  await engine.close();
});

test('the memory of lines before sealing includes their metadata and their number', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const engine = await openedIn(folder, { arenaBytes: 1_000_000 });
  const metadata = { text: 'm'.repeat(50_000) };
  for (let n = 0; n < 100; n++) await engine.writer.append([jobOf(tenant, [[shop, [n, `${n}`, metadata]]])]);
  while (await engine.writer.tidy());
  const logs = filesOf(folder, /^ahead/).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(logs < 3_000_000, `${logs} bytes wait to be sealed`);
  const { blocks = 0 } = await engine.writer.figures();
  assert.ok(blocks >= 4, `${blocks} blocks, none of which may exceed the limit of a search`);
  const all = await found(settled(engine), tenant);
  assert.equal(all.length, 100);
  assert.ok(all.every(({ metadata: own }) => own?.text?.length === 50_000));
  await engine.close();
  const again = await openedIn(folder);
  assert.equal((await found(settled(again), tenant)).length, 100);
  await again.close();
});

const openFilesIn = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((handle) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${handle}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // closed in the meantime
    }
  });

test('an aborted merge closes the files that it read', { skip: !existsSync('/proc/self/fd') }, async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const old = newTenant();
  const engine = await openedIn(folder, sealing);
  await engine.writer.append([jobOf(old, [[shop, [0, 'old']]])]);
  const streams = Array.from({ length: 200 }, (_, n) => ({ app: `${n}` }));
  for (let round = 0; round < 4; round++) {
    const pushes = streams.map((labels): [object, PushedLine] => [labels, [round, `line ${round}`]]);
    await engine.writer.append([jobOf(tenant, pushes as never)]);
    await engine.writer.tidy(); // the last call starts a merge
  }
  assert.ok(
    openFilesIn(folder).some((path) => path.includes('segment-')),
    'a merge is under way',
  );
  await engine.writer.drop(old);
  while (await engine.writer.tidy());
  assert.deepEqual(
    openFilesIn(folder).filter((path) => path.includes('segment-')),
    [],
  );
  assert.equal((await found(settled(engine), tenant)).length, 800);
  await engine.close();
  assert.deepEqual(openFilesIn(folder), []);
});

test('a failed sealing leaves no files behind, and is repeated', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const engine = await openedIn(folder, sealing);
  await engine.writer.append([jobOf(tenant, [[shop, [1, 'kept']]])]);
  const inTheWay = join(folder, 'chunks.json.new');
  mkdirSync(inTheWay);
  for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(engine.writer.tidy());
  assert.deepEqual(filesOf(folder, /^segment/), []);
  assert.deepEqual(texts(await found(settled(engine), tenant)), ['kept']);
  rmdirSync(inTheWay);
  while (await engine.writer.tidy());
  assert.equal(filesOf(folder, /^segment/).length, 1);
  assert.deepEqual(texts(await found(settled(engine), tenant)), ['kept']);
  await engine.close();
});

test('segments without their list do not count as leftovers: nothing is removed', async (t) => {
  const folder = folderFor(t);
  const tenant = newTenant();
  const engine = await openedIn(folder, sealing);
  await engine.writer.append([jobOf(tenant, [[shop, [1, 'kept']]])]);
  await engine.writer.tidy();
  await engine.close();
  const list = join(folder, 'manifest.json');
  const content = readFileSync(list);
  rmSync(list);
  await assert.rejects(openedIn(folder), { kind: 'unavailable', message: /manifest\.json, is missing/ });
  writeFileSync(list, content);
  const again = await openedIn(folder);
  assert.deepEqual(texts(await found(settled(again), tenant)), ['kept']);
  await again.close();
});

test('the labels of the streams of a tenant are bounded, and removed streams make room', async (t) => {
  const engine = await openedIn(folderFor(t));
  const tenant = newTenant();
  const job = (from: number, count: number, of = tenant) =>
    jobOf(
      of,
      Array.from({ length: count }, (_, n) => [{ app: `${from + n} ${'x'.repeat(60_000)}` }, [n, 'line']] as const),
    );
  await engine.writer.append([job(0, 100)]);
  const tooLong = { kind: 'throttled', message: /at most 8388608 characters/ };
  await assert.rejects(engine.writer.append([job(100, 50)]), tooLong);
  await engine.writer.append([job(0, 100), job(0, 100, newTenant()), job(100, 30)]);
  await assert.rejects(engine.writer.append([job(130, 30)]), tooLong);
  await engine.writer.drop(tenant);
  await engine.writer.append([job(100, 130)]);
  await engine.close();
});
