// Rows of resources: stored in the order of their creation, whatever their ids, and found by the index of their keys.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { uuid } from '../../../base/ids.ts';
import { row } from '../contract/samples.ts';
import { checksumOf } from './checksum.ts';
import { openSqlite } from './engine.ts';
import { migrations, prepareFile } from './migrations.ts';

const at = Date.UTC(2026, 5, 1);

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-rows-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const stored = (file: string) => {
  using db = new DatabaseSync(file);
  assert.equal(Object.values(db.prepare('PRAGMA integrity_check').get() ?? {})[0], 'ok');
  return db.prepare('SELECT number, place, id FROM resource ORDER BY number').all();
};

it('rows are stored in the order of their creation, with ids of any version of UUID', async (t) => {
  const folder = folderFor(t);
  const state = await openSqlite({ folder, now: () => 0 });
  const ids = [4, 1, 7, 4, 5].map((version, n) => uuid(at + n).replace(/^(.{14})./, `$1${version}`));
  for (const id of ids) assert.ok((await state.apply([{ op: 'insert', table: 'resource', row: row(1, 'p', id) }])).ok);
  for (const id of ids) assert.equal((await state.get('resource', 1, 'p', id))?.id, id);
  await state.close();
  const rows = stored(join(folder, 'state.db'));
  assert.deepEqual(
    rows.filter(({ place }) => place === 'p').map(({ id }) => id),
    ids,
  );
});

it('rows that an older program stored under large numbers are found, changed and removed', async (t) => {
  const folder = folderFor(t);
  const file = join(folder, 'state.db');
  prepareFile(file, 4096);
  const ids = Array.from({ length: 4 }, (_, n) => uuid(at + n));
  {
    using db = new DatabaseSync(file);
    const insert = db.prepare('INSERT INTO resource VALUES (?, 1, ?, ?, 1, 5, ?, ?)');
    for (const [n, id] of ids.entries()) {
      const rest = 'k\x7fs\x7fo\x7f\x7f\x7fold';
      insert.run(2 ** 45 * (4 - n), 'p', id, rest, checksumOf(1, 'p', id, 1, 5, rest));
    }
  }
  const [first = '', second = '', third = ''] = ids;
  const added = uuid(at + 9);
  const state = await openSqlite({ folder, now: () => 0 });
  const change = row(1, 'p', first, { body: 'new', version: 1 });
  const writes = [
    { op: 'update', table: 'resource', row: change },
    { op: 'remove', table: 'resource', key: row(1, 'p', second), version: 1 },
    { op: 'guard', table: 'resource', key: row(1, 'p', third), version: 1 },
    { op: 'insert', table: 'resource', row: row(1, 'p', added) },
  ] as const;
  assert.ok((await state.apply(writes)).ok);
  assert.deepEqual(await state.apply([{ op: 'insert', table: 'resource', row: row(1, 'p', third) }]), {
    ok: false,
    why: 'exists',
    at: 0,
  });
  const left = await state.range('resource', { contract: 1, place: 'p', limit: 10 });
  assert.deepEqual(
    left.map(({ id, version }) => [id, version]),
    [
      [first, 2],
      [third, 1],
      [ids[3], 1],
      [added, 1],
    ],
  );
  await state.close();
  assert.equal(stored(file).at(-1)?.id, added, 'a new row is stored behind all others');
});

it('an older file is migrated, whatever rows it has', async (t) => {
  const folder = folderFor(t);
  const file = join(folder, 'state.db');
  prepareFile(file, 4096, migrations.slice(0, 3));
  const datacenters = Array.from({ length: 40 }, (_, n) => uuid(at + n));
  const keys: [string, string][] = [
    ['region', 'authority'],
    ['region', 'disks'],
    ...datacenters.flatMap((id): [string, string][] => [
      ['datacenters', id],
      [`datacenters/${id}/lans`, '0000000001'],
    ]),
  ];
  {
    using db = new DatabaseSync(file);
    const insert = db.prepare('INSERT INTO resource VALUES (1, ?, ?, 3, 5, ?)');
    for (const [place, id] of keys) insert.run(place, id, `k\x7fs\x7fo\x7f\x7f\x7f${id}`);
  }
  const state = await openSqlite({ folder, now: () => 0 });
  for (const [place, id] of keys) {
    const found = await state.get('resource', 1, place, id);
    assert.deepEqual([found?.version, found?.time, found?.kind, found?.body], [3, 5, 'k', id]);
  }
  assert.equal((await state.range('resource', { below: '', limit: 1e6 })).length, keys.length);
  assert.equal((await state.apply([{ op: 'insert', table: 'resource', row: row(1, 'region', 'new') }])).ok, true);
  await state.close();
  using db = new DatabaseSync(file);
  assert.equal(Object.values(db.prepare('PRAGMA integrity_check').get() ?? {})[0], 'ok');
});
