// The contract of write sets: each kind of write, atomicity, and concurrent sets.
import assert from 'node:assert/strict';
import type { Outcome, Row, StateEngine, Write } from '../engine.ts';
import { type Case, holds, put, row } from './samples.ts';

export function setsContract(test: Case): void {
  rows(test);
  removals(test);
  orderWithin(test);
  counters(test);
  appends(test);
  wholeOrNothing(test);
  manyAtOnce(test);
}

const key = { contract: 1, place: 'p', id: 'a' };
const fails = (why: 'exists' | 'changed' | 'limit', at = 0): Outcome => ({ ok: false, why, at });
const read = (state: StateEngine, id = 'a'): Promise<Row | undefined> => state.get('resource', 1, 'p', id);
const insert = (id: string): Write => ({ op: 'insert', table: 'resource', row: row(1, 'p', id) });
const append = (place: string, time = 1000): Write => ({
  op: 'append',
  table: 'activity',
  row: row(1, place, '', { time }),
});
const count = (add: number, max?: number, contract = 1): Write => ({
  op: 'count',
  contract,
  name: 'cores',
  add,
  ...(max !== undefined && { max }),
});

function rows(test: Case): void {
  test('insert makes version 1, and fails where the key is taken', async (state) => {
    const outcome = await state.apply([{ op: 'insert', table: 'resource', row: row(1, 'p', 'a', { version: 7 }) }]);
    assert.deepEqual(outcome, { ok: true, appended: [] });
    assert.equal((await read(state))?.version, 1);
    const second = row(1, 'p', 'a', { body: '{"other":1}' });
    assert.deepEqual(await state.apply([{ op: 'insert', table: 'resource', row: second }]), fails('exists'));
    assert.equal((await read(state))?.body, '{}');
    assert.deepEqual(await state.apply([insert('b'), insert('b')]), fails('exists', 1));
    assert.equal(await read(state, 'b'), undefined);
  });

  test('update replaces all but the key, and only at the version that was read', async (state) => {
    await put(state, 'resource', row(1, 'p', 'a'));
    const next = row(1, 'p', 'a', { kind: 'k', state: 'BUSY', time: 2, owner: 'V', meta: 'm', body: 'b', hidden: 'h' });
    await holds(state, [{ op: 'update', table: 'resource', row: next }]);
    assert.deepEqual(await read(state), { ...next, version: 2 });
    assert.deepEqual(await state.apply([{ op: 'update', table: 'resource', row: next }]), fails('changed'));
    const ahead = { ...next, version: 3 };
    assert.deepEqual(await state.apply([{ op: 'update', table: 'resource', row: ahead }]), fails('changed'));
    const absent = { ...next, id: 'missing' };
    assert.deepEqual(await state.apply([{ op: 'update', table: 'resource', row: absent }]), fails('changed'));
    await holds(state, [{ op: 'update', table: 'resource', row: { ...next, version: 2 } }]);
    assert.equal((await read(state))?.version, 3);
  });
}

function removals(test: Case): void {
  test('remove takes a row of any or of one version, and fails where there is none', async (state) => {
    const remove: Write = { op: 'remove', table: 'resource', key };
    assert.deepEqual(await state.apply([remove]), fails('changed'));
    await put(state, 'resource', row(1, 'p', 'a'), row(1, 'p', 'b'), row(2, 'p', 'a'));
    assert.deepEqual(await state.apply([{ ...remove, version: 2 }]), fails('changed'));
    assert.ok(await read(state));
    await holds(state, [{ ...remove, version: 1 }]);
    assert.equal(await read(state), undefined);
    await put(state, 'resource', row(1, 'p', 'a'));
    assert.equal((await read(state))?.version, 1);
    await holds(state, [remove]);
    assert.equal(await read(state), undefined);
    assert.ok(await read(state, 'b'));
    assert.ok(await state.get('resource', 2, 'p', 'a'));
  });

  test('a loose remove never fails, and spares a row of another version', async (state) => {
    const remove: Write = { op: 'remove', table: 'resource', key, loose: true };
    await holds(state, [remove, { ...remove, version: 3 }]);
    await put(state, 'resource', row(1, 'p', 'a'));
    await holds(state, [{ ...remove, version: 3 }]);
    assert.ok(await read(state));
    await holds(state, [remove]);
    assert.equal(await read(state), undefined);
  });
}

function orderWithin(test: Case): void {
  test('guard only looks: version 0 means absent, n means that version', async (state) => {
    const guard = (version: number): Write => ({ op: 'guard', table: 'resource', key, version });
    await holds(state, [guard(0)]);
    assert.deepEqual(await state.apply([guard(1)]), fails('changed'));
    await put(state, 'resource', row(1, 'p', 'a'));
    await holds(state, [guard(1)]);
    assert.deepEqual(await state.apply([guard(0)]), fails('changed'));
    assert.deepEqual(await state.apply([guard(2)]), fails('changed'));
    assert.equal((await read(state))?.version, 1);
  });

  test('the writes of a set see those before them', async (state) => {
    const update: Write = { op: 'update', table: 'resource', row: row(1, 'p', 'a', { body: '2' }) };
    const guard: Write = { op: 'guard', table: 'resource', key, version: 2 };
    await holds(state, [insert('a'), update, guard]);
    assert.equal((await read(state))?.body, '2');
    await holds(state, [{ op: 'remove', table: 'resource', key, version: 2 }, insert('a')]);
    assert.equal((await read(state))?.version, 1);
  });

  test('an empty set holds', async (state) => {
    assert.deepEqual(await state.apply([]), { ok: true, appended: [] });
  });
}

function counters(test: Case): void {
  test('a counter starts at 0, is kept per contract and name, and adds up', async (state) => {
    assert.deepEqual(await state.counters(1), new Map());
    await holds(state, [count(4), count(3), count(-2), { ...count(9), name: 'ram' } as Write, count(1, 1, 2)]);
    assert.deepEqual(
      new Map([...(await state.counters(1))].toSorted()),
      new Map([
        ['cores', 5],
        ['ram', 9],
      ]),
    );
    assert.deepEqual(await state.counters(2), new Map([['cores', 1]]));
  });

  test('a counter passes neither its maximum nor falls below 0', async (state) => {
    assert.deepEqual(await state.apply([count(-1)]), fails('limit'));
    assert.deepEqual(await state.apply([count(6, 5)]), fails('limit'));
    await holds(state, [count(5, 5)]);
    assert.deepEqual(await state.apply([count(1, 5)]), fails('limit'));
    assert.deepEqual(await state.apply([count(-6)]), fails('limit'));
    assert.deepEqual(await state.counters(1), new Map([['cores', 5]]));
    await holds(state, [count(-1, 2)]);
    assert.deepEqual(await state.counters(1), new Map([['cores', 4]]));
    await holds(state, [count(-4)]);
    assert.equal((await state.counters(1)).get('cores') ?? 0, 0);
  });

  test('of many that count at once, as many hold as the maximum allows', async (state) => {
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => state.apply([count(1, 15)])));
    assert.equal(outcomes.filter((one) => one.ok).length, 15);
    assert.deepEqual(await state.counters(1), new Map([['cores', 15]]));
  });
}

function appends(test: Case): void {
  test('appends are numbered densely from 1, padded to 12 digits, per contract, place and table', async (state) => {
    assert.deepEqual(await holds(state, [append('x'), append('y'), append('x')]), [
      '000000000001',
      '000000000001',
      '000000000002',
    ]);
    assert.deepEqual(await holds(state, [append('x')]), ['000000000003']);
    const otherTables: Write[] = [
      { op: 'append', table: 'activity', row: row(2, 'x', '') },
      { op: 'append', table: 'usage', row: row(1, 'x', '') },
    ];
    assert.deepEqual(await holds(state, otherTables), ['000000000001', '000000000001']);
    const found = await state.range('activity', { contract: 1, place: 'x', limit: 9 });
    assert.deepEqual(
      found,
      ['1', '2', '3'].map((end) => row(1, 'x', `00000000000${end}`)),
    );
  });

  test('the time of appends never goes back within a place', async (state) => {
    await holds(state, [append('x', 500), append('x', 300), append('x', 600)]);
    await holds(state, [append('x', 100), append('y', 100)]);
    await holds(state, [append('x', 700)]);
    const times = (await state.range('activity', { contract: 1, place: 'x', limit: 9 })).map((one) => one.time);
    assert.deepEqual(times, [500, 500, 600, 600, 700]);
    assert.equal((await state.get('activity', 1, 'y', '000000000001'))?.time, 100);
  });

  test('a number is not given twice, even when its row is gone', async (state) => {
    await holds(state, [append('x'), append('x')]);
    const gone = { contract: 1, place: 'x' };
    await holds(state, [
      { op: 'remove', table: 'activity', key: { ...gone, id: '000000000001' } },
      { op: 'remove', table: 'activity', key: { ...gone, id: '000000000002' } },
    ]);
    assert.deepEqual(await holds(state, [append('x')]), ['000000000003']);
  });
}

function wholeOrNothing(test: Case): void {
  test('a set that fails in its last write leaves nothing, and no gap in the numbers', async (state) => {
    await put(state, 'resource', row(1, 'p', 'taken'), row(1, 'p', 'kept'));
    await holds(state, [count(2), append('x', 100)]);
    const earlier: Write[] = [
      insert('new'),
      { op: 'update', table: 'resource', row: row(1, 'p', 'kept', { body: 'lost' }) },
      { op: 'remove', table: 'resource', key: { ...key, id: 'taken' } },
      count(3),
      append('x', 9000),
      append('fresh', 9000),
    ];
    const ends: [Write, Outcome][] = [
      [insert('kept'), fails('exists', 6)],
      [{ op: 'guard', table: 'resource', key, version: 1 }, fails('changed', 6)],
      [{ op: 'remove', table: 'resource', key }, fails('changed', 6)],
      [count(1, 5), fails('limit', 6)],
    ];
    for (const [last, expected] of ends) assert.deepEqual(await state.apply([...earlier, last]), expected);
    assert.equal(await read(state, 'new'), undefined);
    assert.deepEqual(await read(state, 'kept'), row(1, 'p', 'kept'));
    assert.ok(await read(state, 'taken'));
    assert.deepEqual(await state.counters(1), new Map([['cores', 2]]));
    assert.deepEqual(await holds(state, [append('x', 200), append('fresh', 50)]), ['000000000002', '000000000001']);
    assert.equal((await state.get('activity', 1, 'x', '000000000002'))?.time, 200);
    assert.equal((await state.get('activity', 1, 'fresh', '000000000001'))?.time, 50);
  });
}

function manyAtOnce(test: Case): void {
  test('500 sets at once: each holds or fails alone, in far fewer commits', async (state) => {
    await put(state, 'resource', row(1, 'p', 'taken'));
    const before = state.figures();
    const sets = Array.from({ length: 500 }, (_, at): Write[] => [
      append('log', 1000 + at),
      insert(`r${at}`),
      count(1, 500),
      at % 5 === 0 ? insert('taken') : { op: 'guard', table: 'resource', key: { ...key, id: `r${at}` }, version: 1 },
    ]);
    const outcomes = await Promise.all(sets.map((set) => state.apply(set)));
    const numbers: string[] = [];
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.ok) numbers.push(...outcome.appended);
      else assert.deepEqual(outcome, fails('exists', 3));
      assert.equal(outcome.ok, at % 5 !== 0);
      assert.equal((await read(state, `r${at}`)) !== undefined, outcome.ok);
    }
    const dense = Array.from({ length: 400 }, (_, at) => String(at + 1).padStart(12, '0'));
    assert.deepEqual(numbers.toSorted(), dense);
    const log = await state.range('activity', { contract: 1, place: 'log', limit: 999 });
    assert.deepEqual(
      log.map((one) => one.id),
      dense,
    );
    assert.ok(log.every((one, at) => one.time >= (log[at - 1]?.time ?? 0)));
    assert.deepEqual(await state.counters(1), new Map([['cores', 400]]));
    const commits = (state.figures().commits ?? 0) - (before.commits ?? 0);
    assert.ok(commits > 0 && commits <= 50, `${commits} commits for 500 sets`);
  });

  test('of many that take the same key, one has it; of many updates of one version, one holds', async (state) => {
    const taken = await Promise.all(Array.from({ length: 30 }, () => state.apply([count(1), insert('a')])));
    assert.equal(taken.filter((one) => one.ok).length, 1);
    assert.deepEqual(await state.counters(1), new Map([['cores', 1]]));
    const update: Write = { op: 'update', table: 'resource', row: row(1, 'p', 'a') };
    const updated = await Promise.all(Array.from({ length: 30 }, () => state.apply([count(1), update])));
    assert.equal(updated.filter((one) => one.ok).length, 1);
    assert.equal((await read(state))?.version, 2);
    assert.deepEqual(await state.counters(1), new Map([['cores', 2]]));
  });

  test('sets that build on their own writes race each other, and one holds', async (state) => {
    const set: Write[] = [
      insert('a'),
      { op: 'update', table: 'resource', row: row(1, 'p', 'a', { body: '2' }) },
      { op: 'guard', table: 'resource', key, version: 2 },
      append('log'),
    ];
    const outcomes = await Promise.all(
      [[insert('b')], [insert('a')], set, set, [insert('b')], set].map((one) => state.apply(one)),
    );
    const [b, ...others] = [outcomes[0], outcomes[4]].concat(outcomes.slice(1, 4), outcomes.slice(5));
    assert.equal([b, others[0]].filter((one) => one?.ok).length, 1);
    assert.equal(others.slice(1).filter((one) => one?.ok).length, 1);
    for (const one of outcomes) if (!one.ok) assert.deepEqual(one, fails('exists'));
    const version = outcomes[1]?.ok ? 1 : 2;
    assert.equal((await read(state))?.version, version);
    assert.equal((await state.range('activity', { contract: 1, place: 'log', limit: 9 })).length, version - 1);
  });

  test('a client that has seen a set applied reads it, while others continue to write', async (state) => {
    const one = async (at: number): Promise<void> => {
      await holds(state, [insert(`r${at}`)]);
      assert.ok(await read(state, `r${at}`));
      const found = await state.range('resource', { contract: 1, place: 'p', from: `r${at}`, limit: 1 });
      assert.equal(found[0]?.id, `r${at}`);
    };
    await Promise.all(Array.from({ length: 100 }, (_, at) => one(at)));
  });
}
