// Entries of the audit in runs: whatever is appended, put between, changed, removed and taken back, everything that is
// read is as if each stood alone.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { row } from '../contract/samples.ts';
import type { DumpPage } from '../dump/dump.ts';
import {
  appendedId as idOf,
  type Key,
  type Outcome,
  type Row,
  type Scan,
  type StateEngine,
  type Write,
  type WriteSet,
} from '../engine.ts';
import { compareBytes } from '../scan.ts';
import { openSqlite } from './engine.ts';
import { inRuns } from './runs.ts';

const table = inRuns;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-runs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const entry = (more: Partial<Row> = {}): Write => ({
  op: 'append',
  table,
  row: row(1, 'log', '', { kind: 'Accepted', owner: 'anna', meta: 'request', body: '', hidden: '', ...more }),
});

// As they stand in the file.
function storedIn(folder: string): { id: string; version: number; rest: string }[] {
  using db = new DatabaseSync(join(folder, 'state.db'), { readOnly: true });
  const stored = db.prepare(`SELECT id, version, rest FROM ${table} ORDER BY contract, place, id`).all();
  return stored.map(({ id, version, rest }) => ({ id: String(id), version: Number(version), rest: String(rest) }));
}

it('what is appended in one commit stands in few rows, and one alone as ever', async (t) => {
  const folder = folderFor(t);
  const state = await openSqlite({ folder, now: () => 0 });
  await state.apply([entry()]);
  assert.deepEqual(
    storedIn(folder).map(({ id, version }) => [id, version]),
    [[idOf(1), 1]],
  );
  await Promise.all(Array.from({ length: 40 }, (_, n) => state.apply([entry({ time: n, meta: 'm'.repeat(36) })])));
  const stored = storedIn(folder);
  assert.ok(stored.length <= 5, `${stored.length} rows`);
  assert.equal(stored.at(-1)?.id, idOf(41));
  const found = await state.range(table, { contract: 1, place: 'log', limit: 99 });
  assert.deepEqual(
    found.map(({ id, version, meta }) => [id, version, meta.length]),
    Array.from({ length: 41 }, (_, n) => [idOf(n + 1), 1, n === 0 ? 7 : 36]),
  );
  await state.close();
});

it('what is too old goes in its order without a row being written for each', async (t) => {
  const folder = folderFor(t);
  const state = await openSqlite({ folder, now: () => 0 });
  await state.apply(Array.from({ length: 60 }, () => entry()));
  const before = storedIn(folder).length;
  await state.apply(
    Array.from({ length: 50 }, (_, n) => ({
      op: 'remove',
      table,
      key: { contract: 1, place: 'log', id: idOf(n + 1) },
      loose: true,
    })),
  );
  assert.ok(storedIn(folder).length <= before);
  const left = await state.range(table, { contract: 1, place: 'log', limit: 99 });
  assert.deepEqual(
    left.map(({ id }) => id),
    Array.from({ length: 10 }, (_, n) => idOf(n + 51)),
  );
  await state.close();
});

it('what is put amid a run stands in its order, and so does what is changed there', async (t) => {
  const state = await openSqlite({ folder: folderFor(t), now: () => 0 });
  await state.apply(Array.from({ length: 9 }, () => entry()));
  const amid = `${idOf(5)}x`;
  const third = row(1, 'log', idOf(3), { body: '{"changed":true}', version: 1 });
  await state.apply([
    { op: 'insert', table, row: row(1, 'log', amid) },
    { op: 'update', table, row: third },
  ]);
  const found = await state.range(table, { contract: 1, place: 'log', limit: 99 });
  const ids = Array.from({ length: 9 }, (_, n) => idOf(n + 1));
  assert.deepEqual(
    found.map(({ id }) => id),
    [...ids.slice(0, 5), amid, ...ids.slice(5)],
  );
  for (const one of found) assert.deepEqual(await state.get(table, 1, 'log', one.id), one);
  assert.equal(found[2]?.body, third.body);
  assert.equal(found[2]?.version, 2);
  await state.close();
});

it('what one set has done stays where the next is taken back', async (t) => {
  const state = await openSqlite({ folder: folderFor(t), now: () => 0 });
  const key = (number: number): Key => ({ contract: 1, place: 'log', id: idOf(number) });
  const failing = (id: string): WriteSet => [
    { op: 'insert', table, row: row(1, 'log', id) },
    { op: 'guard', table, key: key(1), version: 7 },
  ];
  await state.apply(Array.from({ length: 10 }, () => entry()));
  assert.equal((await state.apply(failing('x'))).ok, false); // the next commits are careful
  const outcomes = await Promise.all([
    state.apply([{ op: 'remove', table, key: key(3) }]),
    state.apply(failing('y')),
    state.apply([{ op: 'remove', table, key: key(4) }, entry()]),
    state.apply(failing('z')),
  ]);
  assert.deepEqual(
    outcomes.map(({ ok }) => ok),
    [true, false, true, false],
  );
  const left = await state.range(table, { contract: 1, place: 'log', limit: 99 });
  assert.deepEqual(
    left.map(({ id }) => Number(id)),
    [1, 2, 5, 6, 7, 8, 9, 10, 11],
  );
  await state.close();
});

it('what can not be kept is refused alone, and leaves nothing', async (t) => {
  const state = await openSqlite({ folder: folderFor(t), now: () => 0 });
  const wrong: object[] = [{ meta: null }, { meta: undefined }, { meta: 42 }, { time: 3000.5 }];
  const odd = [...wrong, { contract: 1.5 }, { place: undefined }, { owner: null }, { kind: 7 }];
  for (const more of odd) {
    const bad = entry();
    if (bad.op === 'append') Object.assign(bad.row, more);
    const [first, refused, last] = await Promise.allSettled([
      state.apply([entry({ time: 2000 })]),
      state.apply([bad]),
      state.apply([entry({ time: 2000 })]),
    ]);
    const shown = JSON.stringify(more);
    assert.deepEqual([first?.status, refused?.status, last?.status], ['fulfilled', 'rejected', 'fulfilled'], shown);
  }
  const found = await state.range(table, { contract: 1, place: 'log', limit: 99 });
  assert.deepEqual(
    found.map(({ id, time }) => [id, time]),
    Array.from({ length: 2 * odd.length }, (_, n) => [idOf(n + 1), 2000]),
  );
  const changed = { ...(found[2] as Row), time: 1.5 };
  await assert.rejects(state.apply([{ op: 'update', table, row: changed }]));
  assert.deepEqual(await state.range(table, { contract: 1, place: 'log', limit: 99 }), found);
  await state.close();
});

it('what comes in another order, or twice, is loaded or refused as it is of any table', async (t) => {
  const state = await openSqlite({ folder: folderFor(t), now: () => 0 });
  const values = (number: number) => [1, 'log', idOf(number), 'Accepted', '', 1, 1000, 'anna', 'm', '', ''];
  const dumped = async function* (...numbers: number[]): AsyncGenerator<DumpPage> {
    yield { table, rows: numbers.map(values) };
  };
  await assert.rejects(state.load(dumped(2, 1, 2), false), /activity has 1 log 000000000002 twice/);
  await state.load(dumped(2, 1), false);
  const found = await state.range(table, { contract: 1, place: 'log', limit: 9 });
  assert.deepEqual(
    found.map(({ id }) => id),
    [idOf(1), idOf(2)],
  );
  await state.close();
});

it('a run that is none is damage, not an entry', async (t) => {
  const folder = folderFor(t);
  const state = await openSqlite({ folder, now: () => 0 });
  await state.apply([entry(), entry(), entry()]);
  const { version, rest } = storedIn(folder)[0] ?? { version: 0, rest: '' };
  const wrong = [`version = -2`, `rest = '${rest.replace('0 ', '0x1 ')}'`, `rest = '${rest.replace('0 ', '-5 ')}'`];
  for (const set of [...wrong, `rest = '${rest.replace('0 ', '0')}'`, `id = '${idOf(2)}'`, `id = '3'`]) {
    {
      using db = new DatabaseSync(join(folder, 'state.db'));
      db.exec(`UPDATE ${table} SET id = '${idOf(3)}', version = ${version}, rest = '${rest}'`);
      db.exec(`UPDATE ${table} SET ${set}`);
    }
    const read = state.range(table, { contract: 1, place: 'log', limit: 9 });
    await assert.rejects(read, { kind: 'unavailable', message: /damaged/ }, set);
    await assert.rejects(state.get(table, 1, 'log', idOf(2)), { kind: 'unavailable', message: /damaged/ }, set);
  }
  await state.close();
});

// The same as a list of rows in key order.
class Model {
  rows: Row[] = [];
  sequences = new Map<string, { last: number; time: number }>();

  apply(set: WriteSet): Outcome {
    const before = { rows: [...this.rows], sequences: new Map(this.sequences) };
    const appended: string[] = [];
    for (const [at, write] of set.entries()) {
      const why = this.write(write, appended);
      if (!why) continue;
      Object.assign(this, before);
      return { ok: false, why, at };
    }
    return { ok: true, appended };
  }

  write(write: Write, appended: string[]): 'exists' | 'changed' | undefined {
    if (write.op === 'append') {
      const name = `${write.row.contract} ${write.row.place}`;
      let { last, time } = this.sequences.get(name) ?? { last: 0, time: write.row.time };
      time = Math.max(time, write.row.time);
      do last += 1;
      while (this.find({ ...write.row, id: idOf(last) }));
      this.sequences.set(name, { last, time });
      this.put({ ...write.row, id: idOf(last), version: 1, time });
      appended.push(idOf(last));
      return undefined;
    }
    if (write.op === 'insert') {
      if (this.find(write.row)) return 'exists';
      this.put({ ...write.row, version: 1 });
      return undefined;
    }
    if (write.op === 'count') return undefined;
    const found = this.find(write.op === 'update' ? write.row : write.key);
    if (write.op === 'guard') return (found?.version ?? 0) === write.version ? undefined : 'changed';
    const version = write.op === 'update' ? write.row.version : write.version;
    if (!found || (version !== undefined && found.version !== version))
      return write.op === 'remove' && write.loose ? undefined : 'changed';
    this.rows = this.rows.filter((one) => one !== found);
    if (write.op === 'update') this.put({ ...write.row, version: found.version + 1 });
    return undefined;
  }

  find(key: Key): Row | undefined {
    return this.rows.find((one) => compareKeys(one, key) === 0);
  }

  put(one: Row): void {
    this.rows = [...this.rows, one].sort(compareKeys);
  }

  range({ contract, place, below, from, to, after, offset = 0, limit, reverse }: Scan): Row[] {
    const found = this.rows.filter(
      (one) =>
        (contract === undefined || one.contract === contract) &&
        (place === undefined ? one.place.startsWith(below ?? '') : one.place === place) &&
        (from === undefined || compareBytes(one.id, from) >= 0) &&
        (to === undefined || compareBytes(one.id, to) < 0) &&
        (!after || (reverse ? compareKeys(one, after) < 0 : compareKeys(one, after) > 0)),
    );
    return (reverse ? found.reverse() : found).slice(offset, offset + limit);
  }
}

const compareKeys = (a: Key, b: Key): number =>
  a.contract - b.contract || compareBytes(a.place, b.place) || compareBytes(a.id, b.id);

const rounds = 400;

it('any writes at once, some of which fail, and any reads are those of single rows', async (t) => {
  const folder = folderFor(t);
  let state: StateEngine = await openSqlite({ folder, now: () => 0 });
  const model = new Model();
  let longest = 0;
  let seed = 11;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed % below;
  };
  const one = <T>(...list: T[]): T => list[random(list.length)] as T;
  const place = (): string => one('log', 'log', 'log', 'lo', 'log/2', 'ä');
  const near = (): string => model.rows[random(model.rows.length)]?.id ?? idOf(1);
  const ahead = (): string => idOf((model.sequences.get('1 log')?.last ?? 0) + random(6));
  const oddId = (): string => one(near(), near(), `${near()}x`, `${near()}x`, ahead(), 'x', '', '9', 'ä', '\u{1f600}');
  const any = (id: string): Row =>
    row(1 + random(2), place(), id, {
      kind: one('Accepted', 'Accepted', 'Accepted', 'Error', '', '[', '\x01', 'a\x7fb'),
      state: one('', '', '', 'DONE'),
      owner: one('anna', 'anna', 'anna', 'ben'),
      time: 1000 + random(50),
      meta: one('00000000-0000-7000-8000-000000000000', 'm', '', '1 2', 'a\x7fb', 'ä', 'long'.repeat(30)),
      body: one('', '', '', '{}'),
      hidden: one('', '', '', '{}'),
    });
  const known = (): Row => model.rows[random(model.rows.length)] ?? any(oddId());
  const writeOf = (): Write => {
    const chance = random(20);
    if (chance < 10) return entry({ time: 1000 + random(50) });
    if (chance < 13) return { op: 'append', table, row: any('') };
    if (chance < 15) return { op: 'insert', table, row: any(oddId()) };
    if (chance < 16) return { op: 'guard', table, key: known(), version: one(1, 1, 1, 1, 0, 2) };
    if (chance < 18)
      return { op: 'update', table, row: { ...any(''), ...keyOf(known()), version: one(1, 1, 1, 2, 3) } };
    return { op: 'remove', table, key: known(), loose: true, ...one<object>({}, {}, { version: 1 }, { version: 2 }) };
  };
  const scanOf = (): Scan => {
    const scan: Scan = { limit: one(0, 1, 5, 999), reverse: one(true, false), offset: one(0, 0, 1, 7) };
    const key = one(known(), { ...known(), id: oddId() }, { ...known(), place: place() });
    const from = one(undefined, undefined, { after: keyOf(key) });
    if (random(4) === 0) return { ...scan, ...from };
    const contract = 1 + random(2);
    if (random(3) === 0) return { ...scan, ...from, contract, below: one('', 'lo', 'log', 'log/') };
    const bounds = { ...one({}, { from: oddId() }), ...one({}, { to: oddId() }) };
    return { ...scan, ...from, contract, place: place(), ...bounds };
  };
  for (let round = 0; round < rounds; round++) {
    // A set that fails after it has written something makes the next commits careful, and those write no runs.
    const most = round % 60 < 20 ? 4 : 1;
    const sets = Array.from({ length: random(24) }, () => Array.from({ length: 1 + random(most) }, writeOf));
    const outcomes = await Promise.all(sets.map((set) => state.apply(set)));
    assert.deepEqual(
      outcomes,
      sets.map((set) => model.apply(set)),
    );
    for (let n = 0; n < 6; n++) {
      const scan = scanOf();
      assert.deepEqual(await state.range(table, scan), model.range(scan), JSON.stringify(scan));
      const key = one(known(), { ...known(), id: oddId() });
      assert.deepEqual(await state.get(table, key.contract, key.place, key.id), model.find(key));
    }
    if (random(50) === 0) {
      await state.close();
      state = await openSqlite({ folder, now: () => 0 });
    }
    if (round % 10 === 0) longest = Math.max(longest, ...storedIn(folder).map(({ version }) => -version));
    // So that it does not become ever longer.
    if (model.rows.length > 250) {
      const old: Write[] = model.rows
        .slice(0, 150 + random(50))
        .map((key) => ({ op: 'remove', table, key, loose: true }));
      assert.deepEqual(await state.apply(old), model.apply(old));
    }
  }
  assert.ok(longest > 3, `${longest} in a run`);
  const dumped: unknown[] = [];
  for await (const page of state.dump()) if (page.table === table) dumped.push(...page.rows);
  assert.deepEqual(
    dumped,
    model.rows.map((r) => [
      r.contract,
      r.place,
      r.id,
      r.kind,
      r.state,
      r.version,
      r.time,
      r.owner,
      r.meta,
      r.body,
      r.hidden,
    ]),
  );
  await state.close();
});

const keyOf = ({ contract, place, id }: Key): Key => ({ contract, place, id });
