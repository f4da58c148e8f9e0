// Row numbers: ordered by time, children beside their parents, and two keys with the same number don't collide.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { uuid } from '../../../base/ids.ts';
import { row } from '../contract/samples.ts';
import type { Row, Write } from '../engine.ts';
import { openSqlite } from './engine.ts';
import { migrations, prepareFile } from './migrations.ts';
import { numberOf } from './row-numbers.ts';

const at = Date.UTC(2026, 5, 1);
const lans = (datacenter: string): string => `datacenters/${datacenter}/lans`;
const lan = (number: number): string => String(number).padStart(10, '0');

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-numbers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Two of these have one number: the slots of a datacenter are few.
const alike = (datacenter: string): [place: string, id: string][] =>
  Array.from({ length: 70 }, (_, number) => [lans(datacenter), lan(number + 1)]);

it('a later id has a larger number, and LANs stand between their datacenter and the next', () => {
  const ids = Array.from({ length: 500 }, (_, n) => uuid(at + Math.floor(n / 50)));
  const numbers = ids.flatMap((id) => [
    numberOf('datacenters', id) ?? 0,
    ...Array.from({ length: 31 }, (_, n) => numberOf(lans(id), lan(n + 1)) ?? 0).sort((a, b) => a - b),
  ]);
  assert.ok(numbers.every((number, n) => Number.isSafeInteger(number) && (n === 0 || number > (numbers[n - 1] ?? 0))));
});

it('what has no id with a time in it, or one of another age, has no number', () => {
  assert.equal(numberOf('region', 'authority'), undefined);
  assert.equal(numberOf('um/contracts', '31000001'), undefined);
  assert.equal(numberOf('', ''), undefined);
  assert.equal(numberOf('datacenters', '00000000-0000-7000-8000-000000000000'), undefined);
  assert.equal(numberOf('datacenters', 'ffffffff-ffff-7fff-bfff-ffffffffffff'), undefined);
  assert.notEqual(numberOf('datacenters', uuid(Date.UTC(2058, 0))), undefined);
});

it('rows with the same number are all there: found, changed, guarded and removed', async (t) => {
  const datacenter = uuid(at);
  const keys = alike(datacenter);
  assert.ok(new Set(keys.map(([place, id]) => numberOf(place, id))).size < keys.length);
  const state = await openSqlite({ folder: folderFor(t), now: () => 0 });
  const known = new Map<string, Row>();
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed % below;
  };
  for (let n = 0; n < 3000; n++) {
    const [place = '', id = ''] = keys[random(keys.length)] ?? [];
    const contract = 1 + random(2); // and the same key of another contract
    const key = `${contract} ${id}`;
    const there = known.get(key);
    const next = row(contract, place, id, { body: String(n), version: there?.version ?? 1 });
    const write: Write =
      random(3) === 0
        ? { op: 'remove', table: 'resource', key: next, ...(random(2) && { version: next.version }) }
        : { op: there ? 'update' : 'insert', table: 'resource', row: next };
    const guard: Write = { op: 'guard', table: 'resource', key: next, version: there?.version ?? 0 };
    const stale: Write = { op: 'update', table: 'resource', row: { ...next, version: next.version + 1 } };
    assert.deepEqual(await state.apply([stale]), { ok: false, why: 'changed', at: 0 });
    const { ok } = await state.apply([guard, write]);
    assert.equal(ok, write.op !== 'remove' || there !== undefined);
    if (write.op === 'remove') known.delete(key);
    else known.set(key, there ? { ...next, version: there.version + 1 } : next);
    assert.deepEqual(await state.get('resource', contract, place, id), known.get(key));
    if (there && write.op !== 'remove')
      assert.deepEqual(await state.apply([{ op: 'insert', table: 'resource', row: next }]), {
        ok: false,
        why: 'exists',
        at: 0,
      });
  }
  const left = await state.range('resource', { below: '', limit: 1000 });
  const wanted = [...known.values()].sort((a, b) => a.contract - b.contract || (a.id < b.id ? -1 : 1));
  assert.deepEqual(left, wanted);
  await state.close();
});

it('an older file gets its numbers, whatever rows it has', async (t) => {
  const folder = folderFor(t);
  const file = join(folder, 'state.db');
  prepareFile(file, 4096, migrations.slice(0, 3));
  const datacenters = Array.from({ length: 40 }, (_, n) => uuid(at + n));
  const keys: [string, string][] = [
    ['region', 'authority'],
    ['region', 'disks'],
    ...datacenters.flatMap((id): [string, string][] => [['datacenters', id], ...alike(id)]),
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
  const own = db.prepare('SELECT number, place, id FROM resource').all();
  const right = own.filter(({ number, place, id }) => number === numberOf(String(place), String(id)));
  assert.ok(right.length >= datacenters.length * 32, `${right.length} rows have their own number`);
});
