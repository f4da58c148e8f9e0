// Damage that SQLite does not notice: single bytes of rows.
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { chanceOf, isFull } from '../../../testing/seed.ts';
import { put, row } from '../contract/samples.ts';
import { tables } from '../engine.ts';
import { checkFile } from './check.ts';
import { openSqlite } from './engine.ts';
import { migrations, prepareFile } from './migrations.ts';

const flips = isFull ? 1000 : 30;

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const open = (folder: string) => openSqlite({ folder, now: () => 0 });

// Rows in every table, inserted, changed and appended, some of them longer than a page.
async function fill(folder: string): Promise<number> {
  const state = await open(folder);
  for (const [index, table] of tables.entries())
    for (let at = 0; at < 8; at++) {
      const one = row(1, `place-of-${table}`, `id-${at}`, {
        body: `{"text":"${table} ${'für 東京 '.repeat(at * 60)}"}`,
      });
      await put(state, table, one);
      if (at % 2 === 0) await state.apply([{ op: 'update', table, row: { ...one, state: `changed-${index}` } }]);
    }
  await state.apply([
    { op: 'append', table: 'activity', row: row(1, 'place-of-appends', '', { meta: '{"n":1}' }) },
    { op: 'count', contract: 1, name: 'name-of-counter', add: 5 },
  ]);
  await state.lease('name-of-lease', 'holder-of-lease', 60_000);
  const { rows, damage } = await state.check();
  assert.deepEqual(damage, []);
  await state.close();
  return rows;
}

function flip(file: string, at: number, bit: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.of((readFileSync(file)[at] as number) ^ (1 << bit)), 0, 1, at);
  closeSync(handle);
}

// Where the bytes of rows are: the texts that only rows have, and some bytes around them.
function placesIn(file: string): number[] {
  const bytes = readFileSync(file);
  const marks = ['place-of-', 'changed-', 'id-', '東京', 'name-of-', 'holder-of-', '{"n":1}'].map((text) =>
    Buffer.from(text),
  );
  return marks.flatMap((mark) => {
    const found: number[] = [];
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1))
      for (let one = 0; one < mark.length; one++) found.push(at + one);
    return found;
  });
}

describe('sqlite: damage', () => {
  it('a flipped bit in any row is found', async (t) => {
    const folder = await folderFor(t);
    const file = join(folder, 'state.db');
    const rows = await fill(folder);
    {
      using db = new DatabaseSync(file);
      db.exec('PRAGMA secure_delete=ON; VACUUM'); // else free space has older bytes of rows too
    }
    const chance = chanceOf(t);
    const places = placesIn(file);
    assert.ok(places.length > 1000);
    assert.deepEqual(checkFile(file), { rows, damage: [], notes: [] });
    for (let count = 0; count < flips; count++) {
      const [at, bit] = [places[chance.below(places.length)] as number, chance.below(8)];
      flip(file, at, bit);
      assert.notDeepEqual(checkFile(file).damage, [], `bit ${bit} of byte ${at}`);
      flip(file, at, bit);
    }
    assert.deepEqual(checkFile(file).damage, []);
  });

  it('the row is named, by the check and by a backup', async (t) => {
    const folder = await folderFor(t);
    await fill(folder);
    {
      using db = new DatabaseSync(join(folder, 'state.db'));
      db.exec("UPDATE link SET rest = replace(rest, 'link', 'lint') WHERE id = 'id-3'");
      db.exec("UPDATE usage SET time = 9223372036854775807 WHERE id = 'id-5'");
      db.exec('UPDATE counter SET value = 6');
    }
    const state = await open(folder);
    t.after(() => state.close());
    const file = join(folder, 'state.db');
    const damageOf = (table: string, key: string): string =>
      `the row of table ${table} with ${key} does not match its checksum`;
    assert.deepEqual((await state.check()).damage, [
      `${file}: ${damageOf('usage', 'contract "1", place "place-of-usage", id "id-5"')}`,
      `${file}: ${damageOf('link', 'contract "1", place "place-of-link", id "id-3"')}`,
      `${file}: ${damageOf('counter', 'contract "1", name "name-of-counter"')}`,
    ]);
    await assert.rejects(Array.fromAsync(state.dump()), { kind: 'unavailable', message: /^the state is damaged/ });
    await assert.rejects(state.get('usage', 1, 'place-of-usage', 'id-5'), { kind: 'unavailable', message: /damaged/ });
    {
      using db = new DatabaseSync(join(folder, 'state.db'));
      db.exec("DELETE FROM usage WHERE id = 'id-5'");
    }
    const message = `the state is damaged, ${damageOf('link', 'contract 1, place "place-of-link", id "id-3"')}: restore a backup`;
    await assert.rejects(Array.fromAsync(state.dump()), { kind: 'unavailable', message });
  });

  it('rows of an older file get their checksums, and so do loaded ones', async (t) => {
    const folder = await folderFor(t);
    const file = join(folder, 'state.db');
    prepareFile(file, 4096, migrations.slice(0, 7));
    {
      using db = new DatabaseSync(file);
      for (const table of tables.filter((one) => one !== 'resource'))
        db.exec(`INSERT INTO ${table} VALUES (1, 'p', 'é', 3, 4, 'a\x7fb\x7fc\x7fd\x7fe\x7ff')`);
      db.exec("INSERT INTO resource VALUES (5, 1, 'p', 'é', 3, 4, 'a\x7fb\x7fc\x7fd\x7fe\x7ff')");
      db.exec("INSERT INTO counter VALUES (1, 'n', 2); INSERT INTO sequence VALUES ('usage', 1, 'p', 2, 3)");
      db.exec("INSERT INTO lease VALUES ('l', 'h', 9)");
    }
    const state = await open(folder);
    const rows = tables.length + 3;
    assert.deepEqual(await state.check(), { rows, damage: [], notes: [] });
    const other = await open(await folderFor(t));
    await other.load(state.dump(), true);
    assert.deepEqual(await other.check(), { rows: rows - 1, damage: [], notes: [] }); // without the lease
    await Promise.all([state.close(), other.close()]);
  });
});
