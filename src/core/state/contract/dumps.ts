// The contract of dumps: the whole state of one moment, in a fixed order, and loading it again.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { until } from '../../../testing/waiting.ts';
import { countsOf, dumpTables, firstDifference, pageCharacters, pageRows, totalOf } from '../dump/dump.ts';
import { type Dump, type DumpPage, type StateEngine, tables } from '../engine.ts';
import { type Case, holds, put, row } from './samples.ts';

type Open = (folder: string) => Promise<StateEngine>;

export function dumpsContract(test: Case, open: Open): void {
  const withOther = async (run: (other: StateEngine) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'state-'));
    const other = await open(folder);
    try {
      await run(other);
    } finally {
      await other.close();
      await rm(folder, { recursive: true, force: true });
    }
  };

  test('a dump has every table, counters and numbers, in key order by bytes, without leases', async (state) => {
    await fill(state);
    await state.lease('runner', 'A', 60_000);
    const pages = await all(state.dump());
    const order = pages.map(({ table }) => dumpTables.indexOf(table));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    const rows = pages.filter(({ table }) => table === 'resource').flatMap((page) => page.rows);
    assert.deepEqual(
      rows.map(([contract, place, id]) => [contract, place, id]),
      [
        [1, 'p', 'Z'],
        [1, 'p', 'a'],
        [1, 'p', '\uffff'],
        [1, 'p', '😀'],
        [1, 'p/q', 'a'],
        [10, 'p', 'a'],
      ],
    );
    const texts = ['{"m":1}', '{"name":"für 東京 😀\\n"}', '{"h":1}'];
    assert.deepEqual(rows[1], [1, 'p', 'a', 'widget', 'AVAILABLE', 2, 2000, 'U', ...texts]);
    const of = (name: string) => pages.filter(({ table }) => table === name).flatMap((page) => page.rows);
    assert.deepEqual(of('counter'), [
      [1, 'cores', 5],
      [1, 'none', 0],
      [2, 'cores', 1],
    ]);
    assert.deepEqual(of('sequence'), [
      ['activity', 1, 'log', 2, 5000],
      ['usage', 1, 'use', 1, 1000],
    ]);
    for (const table of tables) assert.ok(of(table).length > 0, table);
  });

  test('a dump of much is in pages, and nothing is missing or twice', async (state) => {
    const count = pageRows * 2 + 7;
    for (let at = 0; at < count; at += 100)
      await put(state, 'request', ...Array.from({ length: 100 }, (_, n) => row(1, 'p', `r${at + n}`)));
    const pages = await all(state.dump());
    assert.ok(pages.length > 2);
    const ids = pages.flatMap(({ rows }) => rows.map((one) => String(one[2])));
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.equal(ids.length, Math.ceil(count / 100) * 100);
  });

  // A line of a backup that is too long is refused by its reader: the backup would be useless.
  test('pages of large rows have few of them', async (state) => {
    const body = JSON.stringify({ labels: 'x'.repeat(pageCharacters / 4) });
    await put(state, 'resource', ...Array.from({ length: 20 }, (_, at) => row(1, 'p', `r${at}`, { body })));
    const pages = await all(state.dump());
    assert.deepEqual(
      pages.map(({ rows }) => rows.length),
      [4, 4, 4, 4, 4],
    );
  });

  test('a dump is of one moment, with all that was acknowledged before, while others write', async (state) => {
    let acknowledged = 0;
    let writing = true;
    const write = async (): Promise<void> => {
      for (let at = 1; writing; at++) {
        await holds(state, [
          { op: 'insert', table: 'resource', row: row(1, 'p', String(at).padStart(6, '0')) },
          { op: 'append', table: 'activity', row: row(1, 'log', '') },
          { op: 'count', contract: 1, name: 'n', add: 1 },
        ]);
        acknowledged = at;
      }
    };
    const writer = write();
    try {
      for (let round = 0; round < 5; round++) {
        const least = acknowledged;
        const pages: DumpPage[] = [];
        for await (const page of state.dump()) {
          pages.push(page);
          const before = acknowledged;
          // A slow reader.
          await until('two more writes', () => acknowledged >= before + 2, undefined, { everyMs: 1 });
        }
        const of = (name: string) => pages.filter(({ table }) => table === name).flatMap((page) => page.rows);
        const count = of('resource').length;
        assert.ok(count >= least, `${count} of ${least}`);
        assert.equal(of('activity').length, count);
        assert.equal(of('counter')[0]?.[2] ?? 0, count);
        assert.equal(of('sequence')[0]?.[3] ?? 0, count);
      }
    } finally {
      writing = false;
      await writer;
    }
  });

  test('a dump that is not read to its end blocks no one', async (state) => {
    await fill(state);
    for await (const _ of state.dump()) break;
    await put(state, 'resource', row(3, 'p', 'a'));
    await state.load(pagesOf([]), true);
    assert.equal(totalOf(await countsOf(state.dump())), 0);
  });

  test('a loaded dump is the same state, and accepts further writes', async (state) => {
    await fill(state);
    await withOther(async (other) => {
      await other.lease('runner', 'A', 60_000);
      const before = await other.current();
      await other.load(state.dump(), false);
      assert.notEqual(await other.current(), before);
      assert.equal(await firstDifference(state.dump(), other.dump()), undefined);
      assert.deepEqual(await other.get('resource', 1, 'p', 'a'), await state.get('resource', 1, 'p', 'a'));
      assert.equal(await other.lease('runner', 'B', 1000), false);
      const outcome = await other.apply([
        { op: 'guard', table: 'resource', key: { contract: 1, place: 'p', id: 'a' }, version: 2 },
        { op: 'append', table: 'activity', row: row(1, 'log', '', { time: 1 }) },
        { op: 'count', contract: 1, name: 'cores', add: 1, max: 6 },
      ]);
      assert.deepEqual(outcome, { ok: true, appended: ['000000000003'] });
      assert.equal((await other.get('activity', 1, 'log', '000000000003'))?.time, 5000);
      assert.deepEqual(await firstDifference(state.dump(), other.dump()), {
        table: 'activity',
        key: '1 log 000000000003',
      });
    });
  });

  test('loading refuses what is not empty, and replaces it when requested', async (state) => {
    await fill(state);
    await withOther(async (other) => {
      await put(other, 'link', row(9, 'p', 'own'));
      await assert.rejects(other.load(state.dump(), false), isConflict);
      assert.ok(await other.get('link', 9, 'p', 'own'));
      await other.load(state.dump(), true);
      assert.equal(await other.get('link', 9, 'p', 'own'), undefined);
      assert.equal(await firstDifference(state.dump(), other.dump()), undefined);
      await other.load(state.dump(), true);
      assert.equal(await firstDifference(state.dump(), other.dump()), undefined);
    });
    await withOther(async (other) => {
      await holds(other, [{ op: 'count', contract: 1, name: 'n', add: 0 }]);
      await assert.rejects(other.load(state.dump(), false), isConflict);
    });
  });

  test('a load that ends with an error changes nothing, and concurrent writes are not lost', async (state) => {
    await fill(state);
    const before = await all(state.dump());
    const broken = async function* (): Dump & AsyncGenerator<DumpPage> {
      yield { table: 'resource', rows: [[5, 'p', 'new', '', '', 1, 1, '', '', '', '']] };
      throw new Error('the file ends here');
    };
    await assert.rejects(state.load(broken(), true), /the file ends here/);
    assert.deepEqual(await all(state.dump()), before);
    const twice = pagesOf([{ table: 'counter', rows: [[1, 'n', 1] as const, [1, 'n', 2] as const] }]);
    await assert.rejects(state.load(twice, true));
    assert.deepEqual(await all(state.dump()), before);
    await put(state, 'resource', row(5, 'p', 'new'));
  });
}

const isConflict = (error: unknown): boolean => error instanceof Fault && error.kind === 'conflict';

export async function* pagesOf(pages: readonly DumpPage[]): Dump & AsyncGenerator<DumpPage> {
  yield* pages;
}

async function all(dump: Dump): Promise<DumpPage[]> {
  const pages: DumpPage[] = [];
  for await (const page of dump) pages.push(page);
  return pages;
}

// Rows in every table, with keys whose order by bytes differs from that by letters or UTF-16 units.
async function fill(state: StateEngine): Promise<void> {
  const more = { meta: '{"m":1}', body: '{"name":"für 東京 😀\\n"}', hidden: '{"h":1}' };
  for (const id of ['a', 'Z', '😀', '\uffff']) await put(state, 'resource', row(1, 'p', id));
  await put(state, 'resource', row(10, 'p', 'a'), row(1, 'p/q', 'a'));
  await holds(state, [{ op: 'update', table: 'resource', row: row(1, 'p', 'a', { time: 2000, ...more }) }]);
  for (const table of tables) if (table !== 'resource') await put(state, table, row(7, `in ${table}`, 'a'));
  await holds(state, [
    { op: 'append', table: 'activity', row: row(1, 'log', '', { time: 5000 }) },
    { op: 'append', table: 'activity', row: row(1, 'log', '', { time: 1 }) },
    { op: 'append', table: 'usage', row: row(1, 'use', '') },
  ]);
  for (const [contract, name, add] of [
    [1, 'cores', 5],
    [2, 'cores', 1],
    [1, 'none', 0],
  ] as const)
    await holds(state, [{ op: 'count', contract, name, add }]);
}
