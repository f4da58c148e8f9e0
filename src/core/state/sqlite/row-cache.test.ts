// The cache of rows alone: what comes out is what was put in, under its own key and no other.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Chance, chanceOf } from '../../../../test/seed.ts';
import { uuid } from '../../../base/ids.ts';
import type { Row } from '../engine.ts';
import { type NumberedRow, RowCache } from './row-cache.ts';
import { groupOf, numberOf } from './row-numbers.ts';
import { type PackedRow, pack, unpacked } from './rows.ts';

const mb = 1024 * 1024;
const at = Date.UTC(2026, 5, 1);
const owner = uuid(at);
let passed = 0; // ids are never earlier than one before
const nextId = (): string => uuid(at + ++passed);
const lans = (datacenter: string): string => `datacenters/${datacenter}/lans`;

function rowOf(contract: number, place: string, id: string, more: Partial<Row> = {}): Row {
  const common = { kind: 'lan', state: 'AVAILABLE', version: 1, time: at, owner, meta: '"a@b.c"', hidden: '' };
  return { ...common, body: '{"name":"one","public":false}', ...more, contract, place, id };
}

function stored(row: Row): NumberedRow {
  const { contract, place, id, version, time } = row;
  return [numberOf(place, id) ?? 0, contract, place, id, version, time, pack(row)];
}

const inOrder = (rows: Row[]): NumberedRow[] => rows.map(stored).sort(([a], [b]) => a - b);

function keeping(rows: Row[], cache = new RowCache(mb)): RowCache {
  cache.keep(inOrder(rows));
  return cache;
}

const find = (cache: RowCache, { contract, place, id }: Row): Row | undefined => cache.get(contract, place, id);

describe('rows that are kept', () => {
  it('come back as they were, whatever their texts are', (t) => {
    const chance = chanceOf(t);
    const rows = Array.from({ length: 300 }, (_, n) => strangeRow(chance, nextId(), n));
    const cache = keeping(rows, new RowCache(4 * mb));
    let found = 0;
    for (const row of rows) {
      const kept = find(cache, row);
      if (kept) found += 1;
      if (kept) assert.deepEqual(kept, unpacked(...(stored(row).slice(1) as PackedRow)));
    }
    assert.ok(found > 200, `${found} of 300 were kept`);
  });

  it('are those of a group, each by its own id', () => {
    const datacenter = nextId();
    const rows = [
      rowOf(1, 'datacenters', datacenter, { kind: 'datacenter', body: '{"name":"all"}', hidden: '{"inside":true}' }),
      ...Array.from({ length: 20 }, (_, n) => rowOf(1, lans(datacenter), `000000000${n}`, { body: `{"n":${n}}` })),
    ];
    const cache = keeping(rows.filter((row, n) => rows.findIndex((one) => sameNumber(one, row)) === n));
    assert.equal(find(cache, rows[0] as Row)?.body, '{"name":"all"}');
    for (const row of rows.slice(1, 10)) assert.deepEqual(find(cache, row), row);
  });

  it('are found by their key only', () => {
    const datacenter = 'aaaaaaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'.replace(/^.{13}/, nextId().slice(0, 13));
    const row = rowOf(1, lans(datacenter), '0000000001');
    const one = rowOf(1, 'datacenters', datacenter);
    const cache = keeping([row, one]);
    assert.deepEqual(find(cache, row), row);
    assert.deepEqual(find(cache, one), one);
    const last = datacenter.slice(0, -1);
    for (const other of [
      { ...row, contract: 2 },
      { ...row, id: '0000000032' },
      { ...row, id: '1' },
      { ...row, place: lans(`${last}f`) },
      { ...row, place: lans(datacenter.toUpperCase()) },
      { ...row, place: `datacenterz/${datacenter}/lans` },
      { ...row, place: `datacenters/${datacenter}/lanz` },
      { ...row, place: `datacenters/${datacenter}/lans2` },
      { ...row, place: `xdatacenters/${datacenter}/lans` },
      { ...row, place: `datacenters/${datacenter}/la` },
      { ...one, contract: 2 },
      { ...one, place: 'datacenter' },
      { ...one, place: 'ipblocks' },
      { ...one, id: `${last}f` },
      { ...one, id: datacenter.toUpperCase() },
      { ...one, id: datacenter.replaceAll('-', '_') },
    ])
      assert.equal(find(cache, other), undefined, `${other.contract} ${other.place}/${other.id}`);
  });

  it('leave out those of another id or contract that have the same group', () => {
    const datacenter = nextId();
    const alike = `${datacenter.slice(0, -12)}aaaaaaaaaaaa`;
    const rows = [rowOf(1, 'datacenters', datacenter), rowOf(1, lans(alike), '0000000001')];
    const others = [rowOf(2, lans(datacenter), '0000000002')];
    const cache = keeping([...rows, ...others]);
    assert.deepEqual(
      [...rows, ...others].map((row) => find(cache, row) !== undefined),
      [true, false, false],
    );
    assert.equal(find(cache, { ...(others[0] as Row), contract: 1 }), undefined);
  });

  it('leave out long ones, and know their group all the same', () => {
    const row = rowOf(1, 'datacenters', nextId(), { body: JSON.stringify({ text: 'x'.repeat(3000) }) });
    const cache = keeping([row]);
    assert.equal(find(cache, row), undefined);
    assert.ok(cache.hasGroup(groupOf(numberOf(row.place, row.id) ?? 0)));
  });

  it('leave out what no region writes', () => {
    const odd = [{ version: -5 }, { time: -(2 ** 52) }, { time: 2 ** 52 }].map((more) =>
      rowOf(1, 'datacenters', nextId(), more),
    );
    const rows = [...odd, rowOf(-1, 'datacenters', nextId()), rowOf(2 ** 33, 'datacenters', nextId())];
    const cache = keeping(rows);
    for (const row of rows) assert.equal(find(cache, row), undefined);
  });

  it('go with their whole group when one changes, comes or goes', () => {
    const [first, second] = [nextId(), nextId()];
    const rows = [first, second].flatMap((id) => [rowOf(1, 'datacenters', id), rowOf(1, lans(id), '0000000001')]);
    const cache = keeping(rows);
    cache.drop(lans(first), '0000000007');
    assert.deepEqual(
      rows.map((row) => find(cache, row) !== undefined),
      [false, false, true, true],
    );
    const changed = { ...(rows[0] as Row), version: 2, body: '{"name":"new"}' };
    keeping([changed], cache);
    assert.deepEqual(find(cache, changed), changed);
    cache.clear();
    assert.ok(rows.every((row) => find(cache, row) === undefined));
    keeping(rows, cache);
    assert.deepEqual(
      rows.map((row) => find(cache, row)),
      rows,
    );
  });
});

describe('a full cache', () => {
  it('has the newest rows, and never a wrong one', () => {
    const cache = new RowCache(2 * mb);
    const rows: Row[] = [];
    for (let n = 0; n < 40_000; n++) {
      const row = rowOf(1, 'datacenters', nextId(), { body: `{"name":"the name of ${n}, which comes once"}` });
      rows.push(row);
      if (n % 10 === 0) cache.drop('datacenters', rows[n - 5]?.id ?? '');
      cache.keep([stored(row)]);
    }
    assert.ok((cache.figures().keptBytes ?? 0) < 4 * mb);
    assert.equal(find(cache, rows[0] as Row), undefined);
    assert.ok(!cache.hasGroup(groupOf(numberOf('datacenters', rows[0]?.id ?? '') ?? 0)));
    for (const row of rows.slice(-8000, -100).filter((_, n) => n % 10 !== 5)) assert.deepEqual(find(cache, row), row);
    for (const row of rows) assert.ok([undefined, row.body].includes(find(cache, row)?.body));
    assert.equal(find(cache, rows[39_985] as Row), undefined);
  });

  it('of shapes and words writes out what comes then', () => {
    const cache = new RowCache(8 * mb);
    const rows = Array.from({ length: 12_000 }, (_, n) =>
      rowOf(1, 'datacenters', nextId(), { body: `{"field${n >> 1}":"word ${n >> 1}"}`, owner: `user ${n >> 2}` }),
    );
    keeping(rows, cache);
    for (const row of rows) assert.deepEqual(find(cache, row), row);
  });

  it('makes room for few rows that change again and again', () => {
    const cache = new RowCache(mb);
    const rows = Array.from({ length: 2000 }, () => rowOf(1, 'datacenters', nextId(), { hidden: '{"some":"thing"}' }));
    keeping(rows, cache);
    for (let n = 0; n < 100_000; n++) {
      const changed = rows[(n * 7) % 100] as Row;
      changed.version += 1;
      cache.drop(changed.place, changed.id);
      cache.keep([stored(changed)]);
      assert.ok(!cache.isFull);
    }
    for (const row of rows) assert.deepEqual(find(cache, row), row);
  });

  it('of many small groups gives up the oldest', () => {
    const cache = new RowCache(2 * mb);
    const rows = Array.from({ length: 60_000 }, () => rowOf(1, 'd', nextId(), { owner: '', meta: '', body: '' }));
    keeping(rows, cache);
    assert.ok((cache.figures().keptBytes ?? 0) < 4 * mb);
    const found = rows.filter((row) => find(cache, row)).length;
    assert.ok(found > 15_000 && found < 50_000, `${found} of 60,000`);
    for (const row of rows.slice(-5000)) assert.deepEqual(find(cache, row), row);
  });
});

const sameNumber = (a: Row, b: Row): boolean => numberOf(a.place, a.id) === numberOf(b.place, b.id);

function strangeRow(chance: Chance, id: string, n: number): Row {
  const texts = [
    '',
    'a',
    'lan "1"',
    'back\\',
    'ünï',
    '日本',
    '😀',
    'a\nb',
    '\u0000',
    'x'.repeat(100),
    '1:2',
    '"',
    '":',
  ];
  const pick = <T>(list: readonly T[]): T => list[chance.below(list.length)] as T;
  const value = (depth: number): unknown =>
    pick([
      () => pick(texts),
      () => pick([0, -1, 1.5, 1e21, 2 ** 40, -0.001]),
      () => pick([true, false, null]),
      () => (depth > 2 ? [] : [value(depth + 1), value(depth + 1)]),
      () => (depth > 2 ? {} : { [pick(texts)]: value(depth + 1), second: value(depth + 1) }),
    ])();
  const text = (): string => pick([() => JSON.stringify(value(0)), () => '', () => pick(texts), () => '{"a":'])();
  return rowOf(pick([0, 1, 31_000_001, 2 ** 32 - 1]), pick(['datacenters', `servers/${owner}/nics`, 'ü/ö']), id, {
    kind: pick(['lan', 'a b', '']),
    state: pick(['', 'BUSY']),
    version: pick([1, 127, 128, 100_000]),
    time: pick([0, at, at - 1, at + 10 ** 9, 2 ** 45]),
    owner: pick(['', owner, 'ö']),
    meta: text(),
    hidden: n % 3 === 0 ? text() : '',
    body: text(),
  });
}
