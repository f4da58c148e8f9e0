// The list of log files: which of them count, which are missing, and what the check reports.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { found, jobOf, newTenant, texts } from '../contract/lines.ts';
import { packJob } from '../packed-job.ts';
import { checkSegments } from './check.ts';
import { earlierLog, openedIn } from './testing.ts';

const shop = { app: 'shop' };
const aheadIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.startsWith('ahead-'));

async function filled(t: TestContext, isSealed: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'logs-check-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tenant = newTenant();
  const engine = await openedIn(folder, { sealAfterMs: -1 });
  await engine.writer.append([jobOf(tenant, [[shop, [1, 'kept']]], 'chunk')]);
  const [before = ''] = aheadIn(folder);
  const copy = join(tmpdir(), `${tenant}.copy`);
  t.after(() => rmSync(copy, { force: true }));
  copyFileSync(join(folder, before), copy);
  if (isSealed) await engine.writer.tidy();
  await engine.close();
  return { folder, tenant, before, copy };
}

test('[LOG-04] a write-ahead log that was sealed but not removed before a crash is not read again', async (t) => {
  const { folder, tenant, before, copy } = await filled(t, true);
  assert.ok(!aheadIn(folder).includes(before));
  copyFileSync(copy, join(folder, before));
  const engine = await openedIn(folder);
  assert.deepEqual(texts(await found({ ...engine, settle: async () => {} }, tenant)), ['kept']);
  await engine.close();
});

test('[LOG-04] a missing write-ahead log, list or list of chunks is damage', async (t) => {
  for (const [isSealed, name] of [
    [false, 'ahead-1.log'],
    [false, 'manifest.json'],
    [true, 'manifest.json'],
    [true, 'chunks.json'],
    [true, 'segment-3.blocks'],
  ] as const) {
    const { folder } = await filled(t, isSealed);
    assert.deepEqual((await checkSegments(folder)).damage, []);
    rmSync(join(folder, name));
    const { damage } = await checkSegments(folder);
    assert.equal(damage.length, 1, name);
    assert.match(String(damage), new RegExp(`^${join(folder, name)} is missing`));
  }
});

test('[LOG-04] a wrong byte anywhere in the list of files or of chunks is damage', async (t) => {
  const { folder } = await filled(t, true);
  for (const name of ['manifest.json', 'chunks.json']) {
    const bytes = readFileSync(join(folder, name));
    for (let at = 0; at < bytes.length; at++) {
      writeFileSync(join(folder, name), bytes.with(at, (bytes[at] as number) ^ 1));
      const { damage } = await checkSegments(folder);
      assert.match(damage.join(), new RegExp(`${name} is damaged`), `byte ${at}`);
    }
    writeFileSync(join(folder, name), bytes);
  }
});

test('[LOG-04] folders of earlier versions are opened, whose lists have no logs or logs without seeds', async (t) => {
  for (const logs of ['', ',"logs":[1]']) {
    const folder = mkdtempSync(join(tmpdir(), 'logs-check-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const tenant = newTenant();
    writeFileSync(join(folder, 'manifest.json'), `{"format":1,"next":2,"segments":[]${logs}}`);
    const job = packJob(jobOf(tenant, [[shop, [1, 'kept']]], 'chunk'));
    writeFileSync(join(folder, 'ahead-1.log'), earlierLog(1, [{ job }]));
    assert.deepEqual((await checkSegments(folder)).damage, []);
    for (let start = 1; start <= 3; start++) {
      const engine = await openedIn(folder, { sealAfterMs: start === 2 ? -1 : 60_000 });
      assert.deepEqual(texts(await found({ ...engine, settle: async () => {} }, tenant)), ['kept'], `start ${start}`);
      if (start === 2) await engine.writer.tidy();
      await engine.close();
      assert.deepEqual((await checkSegments(folder)).damage, []);
    }
    assert.ok(!aheadIn(folder).includes('ahead-1.log'));
  }
});
