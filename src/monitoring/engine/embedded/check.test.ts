// Damage that the check of metrics finds, and files of earlier versions.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { newTenant, selectionOf, textOf } from '../contract/pushes.ts';
import { checkFolder, checkMetrics } from './check.ts';
import { openedIn } from './testing.ts';

const tenant = newTenant();

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-check-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Stopped normally, or as kill -9 leaves it.
async function filled(t: TestContext, how: 'stopped' | 'killed'): Promise<string> {
  const folder = folderFor(t);
  const engine = await openedIn(folder);
  const pushes = [1, 2, 3].map((at) => `# HELP orders What was ordered\norders{step="${at}"} ${at}\n`);
  for (const text of pushes) await engine.writer.append([textOf(tenant, text)]);
  const copy = folderFor(t);
  if (how === 'killed') cpSync(folder, copy, { recursive: true });
  await engine.close();
  return how === 'killed' ? copy : folder;
}

async function valuesIn(folder: string, onDamage = (message: string): void => assert.fail(message)): Promise<number[]> {
  const engine = await openedIn(folder, { onDamage });
  try {
    return (await engine.reader.select(selectionOf(tenant))).flatMap(({ values }) => [...values]).sort();
  } finally {
    await engine.close();
  }
}

function change(folder: string, sql: string): void {
  using db = new DatabaseSync(join(folder, 'metrics.db'));
  db.exec(sql);
}

test('[GEN-06] a changed column of any row is found', async (t) => {
  const folder = await filled(t, 'stopped');
  assert.deepEqual((await checkMetrics({ folder, isRunning: false })).damage, []);
  const file = join(folder, 'metrics.db');
  const whole = readFileSync(file);
  for (const [table, changed] of [
    ['tenant', "name = 'another'"],
    ['tenant', 'next = next + 1'],
    ['tenant', 'epoch = 7'],
    ['tenant', "account = 'another'"],
    ['series', "labels = x'00'"],
    ['metric', "help = 'What was sold'"],
    ['mark', 'value = value + 1'],
    ['block', 't1 = t1 + 1'],
    ['block', 'payload = zeroblob(length(payload))'],
    ['block', 'checksum = NULL'],
  ] as const) {
    change(folder, `UPDATE ${table} SET ${changed}`);
    const { damage } = checkFolder({ folder, isRunning: false });
    assert.match(damage.join(), new RegExp(`metrics\\.db: the row of table ${table} with`), changed);
    writeFileSync(file, whole);
  }
});

test('[GEN-06] a missing or damaged write-ahead log is found, and reported when it is read', async (t) => {
  for (const [damage, pattern, left] of [
    [(path: string) => rmSync(path), /ahead-1\.log is missing/, []],
    [
      (path: string) => writeFileSync(path, readFileSync(path).with(50, 0)),
      /ahead-1\.log is damaged at byte 0/,
      [2, 3],
    ],
  ] as const) {
    const folder = await filled(t, 'killed');
    assert.deepEqual(checkFolder({ folder, isRunning: false }).damage, []);
    damage(join(folder, 'ahead-1.log'));
    assert.match(checkFolder({ folder, isRunning: false }).damage.join(), pattern);
    const reported: string[] = [];
    assert.deepEqual(await valuesIn(folder, (message) => reported.push(message)), left);
    assert.match(reported.join(), pattern);
    const kept = checkFolder({ folder, isRunning: false }).damage.join();
    assert.match(kept, left.length === 0 ? /^$/ : /ahead-1\.log\.damaged-0 is a copy of a damaged log/);
  }
  const whole = await filled(t, 'killed');
  assert.deepEqual(await valuesIn(whole), [1, 2, 3]);
});

test('[GEN-06] a file of an earlier version is opened; its rows are not checked, new ones are', async (t) => {
  const folder = await filled(t, 'stopped');
  const tables = ['tenant', 'series', 'metric', 'mark', 'block'];
  change(
    folder,
    `${tables.map((table) => `ALTER TABLE ${table} DROP COLUMN checksum;`).join('')}PRAGMA user_version=2`,
  );
  const before = checkFolder({ folder, isRunning: false });
  assert.deepEqual(before.damage, []);
  assert.match(before.notes.join(), /written by an earlier version, without checksums: the next start adds them/);
  assert.deepEqual(await valuesIn(folder), [1, 2, 3]);
  const after = checkFolder({ folder, isRunning: false });
  assert.deepEqual(after.damage, []);
  assert.match(after.notes.join(), /^1 blocks of metrics were written by an earlier version/);

  const engine = await openedIn(folder);
  await engine.writer.append([textOf(tenant, 'orders{step="4"} 4\n')]);
  await engine.close();
  change(folder, 'UPDATE block SET t0 = t0 - 1 WHERE id = 2');
  assert.match(checkFolder({ folder, isRunning: false }).damage.join(), /table block/);
  change(folder, "UPDATE series SET labels = x'00' WHERE id = 1");
  assert.match(checkFolder({ folder, isRunning: false }).damage.join(), /table series with tenant "1", id "1"/);
});
