// Rows in memory and rows in the file are the same, whatever happens between two looks.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { chanceOf } from '../../../../test/seed.ts';
import { uuid } from '../../../base/ids.ts';
import { holds, put, row } from '../contract/samples.ts';
import type { Row, StateEngine, Write } from '../engine.ts';
import { openSqlite } from './engine.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const mb = 1024 * 1024;
const at = Date.UTC(2040, 0); // ids are never earlier than one before, be it of now
let passed = 0;

async function opened(t: TestContext, keptBytes?: number): Promise<{ state: StateEngine; file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-ahead-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const state = await openSqlite({ folder, now: () => 0, ...(keptBytes && { keptBytes }) });
  t.after(() => state.close());
  return { state, file: join(folder, 'state.db') };
}

// A datacenter and three LANs.
function groupOf(contract = 1): Row[] {
  const id = uuid(at + ++passed);
  const lans = ['0000000001', '0000000002', '0000000003'].map((lan) => row(contract, `datacenters/${id}/lans`, lan));
  return [row(contract, 'datacenters', id, { kind: 'datacenter' }), ...lans];
}

const groups = (count: number): Row[] => Array.from({ length: count }, () => groupOf()).flat();

const look = (state: StateEngine, { contract, place, id }: Row): Promise<Row | undefined> =>
  state.get('resource', contract, place, id);

const hits = (state: StateEngine): number => state.figures().keptHits ?? 0;

// Until all rows that there is room for have been read: then turns bring nothing new.
async function settled(state: StateEngine, rows: readonly Row[]): Promise<void> {
  await look(state, rows[0] as Row);
  for (let turns = 0; turns < rows.length; turns++) await turn();
}

function spoil(file: string, pages: string): void {
  using db = new DatabaseSync(file);
  const numbers = db.prepare(pages).all();
  const handle = openSync(file, 'r+');
  for (const { pageno } of numbers) writeSync(handle, Buffer.alloc(4096, 0xee), 0, 4096, 4096 * (Number(pageno) - 1));
  closeSync(handle);
}

const update = (before: Row, body: string): Write => ({ op: 'update', table: 'resource', row: { ...before, body } });

it('with the first row that is asked for all come into memory', async (t) => {
  const { state, file } = await opened(t);
  const rows = groups(300);
  await put(state, 'resource', ...rows);
  const before = state.figures().keptBytes ?? 0;
  assert.ok(before < 10_000);
  await settled(state, rows);
  const kept = (state.figures().keptBytes ?? 0) - before;
  assert.ok(kept >= mb && kept < mb + 10_000, `${kept} bytes`);
  using db = new DatabaseSync(file);
  db.exec("UPDATE resource SET rest = 'nothing of ours'");
  const hitsBefore = hits(state);
  for (const one of rows) assert.deepEqual(await look(state, one), one);
  assert.equal(hits(state) - hitsBefore, rows.length);
});

it('what is made later comes into memory when it is asked for', async (t) => {
  const { state } = await opened(t);
  const rows = groups(10);
  await put(state, 'resource', ...rows.slice(0, -1));
  await settled(state, rows);
  const late = rows.at(-1) as Row;
  await put(state, 'resource', late);
  assert.deepEqual(await look(state, late), late);
  await turn();
  const before = hits(state);
  assert.deepEqual(await look(state, late), late);
  assert.equal(hits(state), before + 1);
});

it('a row of which there is one too many for its number is found in the file', async (t) => {
  const { state } = await opened(t);
  const [datacenter] = groupOf() as [Row];
  const lans = Array.from({ length: 70 }, (_, n) =>
    row(1, `datacenters/${datacenter.id}/lans`, String(n).padStart(10, '0')),
  );
  await put(state, 'resource', datacenter, ...lans);
  await settled(state, lans);
  for (const one of [datacenter, ...lans]) assert.deepEqual(await look(state, one), one);
  assert.ok(hits(state) > 30 && hits(state) < 40);
});

it('what is changed, removed, put back or rolled back is seen at once', async (t) => {
  const chance = chanceOf(t);
  const { state } = await opened(t);
  const all = [...groups(20), ...Array.from({ length: 5 }, () => groupOf(2)).flat()];
  const there = new Map<Row, Row>(); // as it should be now
  for (let step = 0; step < 4000; step++) {
    const key = chance.one(all);
    const known = there.get(key);
    const next = { ...(known ?? key), body: JSON.stringify({ step }) };
    const write: Write = known
      ? chance.often(30)
        ? { op: 'remove', table: 'resource', key }
        : { op: 'update', table: 'resource', row: next }
      : { op: 'insert', table: 'resource', row: next };
    const isBroken = chance.often(20);
    const broken: Write = { op: 'guard', table: 'resource', key: row(1, 'nowhere', 'x'), version: 7 };
    const set: Write[] = isBroken ? [write, broken] : [write];
    const applied = chance.often(50) ? [state.apply(set)] : [state.apply([broken]), state.apply(set)];
    const reads = [look(state, key), look(state, chance.one(all))]; // before anything is written
    assert.deepEqual(await reads[0], known);
    assert.equal((await Promise.all(applied)).at(-1)?.ok, !isBroken);
    if (!isBroken && write.op === 'remove') there.delete(key);
    else if (!isBroken) there.set(key, known ? { ...next, version: known.version + 1 } : next);
    assert.deepEqual(await look(state, key), there.get(key));
    if (chance.often(50)) await turn();
    const other = chance.one(all);
    assert.deepEqual(await look(state, other), there.get(other));
  }
  assert.ok(hits(state) > 1000, `${hits(state)} rows came out of memory`);
});

it('another state that is loaded takes the place of what was kept', async (t) => {
  const { state } = await opened(t);
  const { state: other } = await opened(t);
  const rows = groups(50);
  await put(state, 'resource', ...rows);
  await put(other, 'resource', ...rows.slice(0, 100).map((one) => ({ ...one, body: '{"from":"the other"}' })));
  await settled(state, rows);
  await state.load(other.dump(), true);
  for (let round = 0; round < 2; round++) {
    for (const [n, one] of rows.entries())
      assert.equal((await look(state, one))?.body, n < 100 ? '{"from":"the other"}' : undefined);
    await settled(state, rows);
  }
});

it('a full cache stays as large as it is, takes in little, and all rows are found', async (t) => {
  const { state } = await opened(t, 2 * mb);
  const rows = groups(5000).map((one, n) => ({ ...one, body: JSON.stringify({ name: `number ${n} `.repeat(9) }) }));
  for (let from = 0; from < rows.length; from += 1000) await put(state, 'resource', ...rows.slice(from, from + 1000));
  await settled(state, rows);
  for (let round = 0; round < 2; round++) {
    const before = hits(state);
    for (const [n, one] of rows.entries()) {
      assert.deepEqual(await look(state, one), one);
      if (n % 4 === 0) await turn();
    }
    const found = hits(state) - before;
    assert.ok(found > 8000 && found < 18_000, `${found} of 20,000 rows were in memory`);
  }
  assert.ok((state.figures().keptBytes ?? 0) < 4 * mb);
  const last = rows.at(-1) as Row;
  for (let looks = 0; looks < 40; looks++) {
    await look(state, last);
    await turn();
  }
  const before = hits(state);
  await look(state, last);
  assert.equal(hits(state), before + 1, 'what is asked for again and again comes in');
  assert.ok((state.figures().keptBytes ?? 0) < 4 * mb);
});

it('damage that is met while reading ahead is told to who asks for such a row, and to nobody else', async (t) => {
  const { state: first, file } = await opened(t);
  const rows = groups(300);
  await put(first, 'resource', ...rows);
  await first.close();
  spoil(
    file,
    "SELECT pageno FROM dbstat WHERE name = 'resource' AND pagetype = 'leaf' ORDER BY path LIMIT -1 OFFSET 2",
  );
  const state = await openSqlite({ folder: dirname(file), now: () => 0 });
  t.after(() => state.close());
  assert.deepEqual(await look(state, rows[0] as Row), rows[0]);
  assert.equal(state.figures().damaged, 0);
  await settled(state, rows);
  assert.equal(state.figures().damaged, 0);
  await holds(state, [update(rows[0] as Row, '{}')]);
  assert.deepEqual(await look(state, rows[1] as Row), rows[1]);
  await assert.rejects(look(state, rows.at(-1) as Row), /damaged/);
  assert.equal(state.figures().damaged, 1);
});

it('what comes into a group amid reading ahead is kept with it', async (t) => {
  const { state } = await opened(t);
  const rows = groups(200);
  const late = rows.filter(({ place }, n) => place === 'datacenters' && n > 8);
  await put(state, 'resource', ...rows.filter((one) => !late.includes(one)));
  await look(state, rows[0] as Row);
  for (const one of late) {
    await put(state, 'resource', one);
    await turn();
  }
  await settled(state, rows);
  for (const one of late) {
    await look(state, one);
    await turn();
  }
  const before = hits(state);
  for (const one of rows) assert.deepEqual(await look(state, one), one);
  assert.equal(hits(state) - before, rows.length);
});

it('long rows are neither read ahead nor kept', async (t) => {
  const { state } = await opened(t);
  const rows = groups(20).map((one, n) => (n % 3 ? one : { ...one, body: JSON.stringify('x'.repeat(50_000)) }));
  await put(state, 'resource', ...rows);
  await settled(state, rows);
  const before = hits(state);
  for (const one of rows) assert.deepEqual(await look(state, one), one);
  assert.equal(hits(state) - before, rows.filter((_, n) => n % 3).length);
});

it('a state that is closed amid reading ahead just ends', async (t) => {
  const { state } = await opened(t);
  const rows = groups(300);
  await put(state, 'resource', ...rows);
  await look(state, rows[0] as Row);
  await state.close();
  await turn();
  await assert.rejects(look(state, rows[0] as Row), /closed/);
});
