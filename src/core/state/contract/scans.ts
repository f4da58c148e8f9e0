// The contract of scans: key order, and every bound a scan can have.
import assert from 'node:assert/strict';
import { type Key, type Row, type Scan, type StateEngine, tables } from '../engine.ts';
import { type Case, put, row } from './samples.ts';

export function scansContract(test: Case): void {
  keys(test);
  ofOnePlace(test);
  below(test);
  everyContract(test);
}

const idsOf = (rows: Row[]): string[] => rows.map((one) => one.id);
const keysOf = (rows: Row[]): string[] => rows.map((one) => `${one.contract} ${one.place} ${one.id}`);
const key = (contract: number, place: string, id: string): Key => ({ contract, place, id });

function keys(test: Case): void {
  test('a row comes back as it was given, in each table by itself', async (state) => {
    for (const table of tables) {
      const given = row(1, 'place', 'id', { kind: table, meta: '{"a":1}', body: '{"b":"ü"}', hidden: '{"c":2}' });
      await put(state, table, given);
      assert.deepEqual(await state.get(table, 1, 'place', 'id'), given);
      assert.deepEqual(await state.range(table, { contract: 1, place: 'place', limit: 9 }), [given]);
    }
  });

  test('a key that differs in any part is another row', async (state) => {
    await put(state, 'resource', row(1, 'p', 'a'));
    assert.equal(await state.get('resource', 2, 'p', 'a'), undefined);
    assert.equal(await state.get('resource', 1, 'q', 'a'), undefined);
    assert.equal(await state.get('resource', 1, 'p', 'A'), undefined);
    assert.equal(await state.get('request', 1, 'p', 'a'), undefined);
    await put(state, 'resource', row(2, 'p', 'a'), row(1, 'q', 'a'), row(1, 'p', 'A'), row(0, '', ''));
    assert.equal((await state.get('resource', 0, '', ''))?.contract, 0);
  });

  test('ids and places are ordered byte by byte', async (state) => {
    // The last two differ between UTF-16 units and bytes; the accents would sort otherwise in most languages.
    const texts = ['', '0', '10', '9', 'A', 'Z', '_', 'a', 'a b', 'a-b', 'a/b', 'ab', 'z', 'Ä', 'é', 'ﬀ', '😀'];
    const shuffled = texts.toSorted(
      (a, b) => ((a.length * 7 + a.charCodeAt(0)) % 5) - ((b.length * 7 + b.charCodeAt(0)) % 5),
    );
    await put(state, 'resource', ...shuffled.map((text) => row(1, 'p', text)));
    await put(state, 'link', ...shuffled.map((text) => row(1, text, 'x')));
    assert.deepEqual(idsOf(await state.range('resource', { contract: 1, place: 'p', limit: 99 })), texts);
    const places = (await state.range('link', { contract: 1, below: '', limit: 99 })).map((one) => one.place);
    assert.deepEqual(places, texts);
    const rest = await state.range('resource', {
      contract: 1,
      place: 'p',
      from: 'ﬀ',
      after: key(1, 'p', 'é'),
      limit: 9,
    });
    assert.deepEqual(idsOf(rest), ['ﬀ', '😀']);
    const none = await state.range('resource', {
      contract: 1,
      place: 'p',
      from: 'ﬀ',
      after: key(1, 'p', '😀'),
      limit: 9,
    });
    assert.deepEqual(none, []);
  });

  test('contracts are ordered as numbers', async (state) => {
    await put(state, 'resource', row(10, 'p', 'a'), row(9, 'p', 'a'), row(0, 'p', 'a'), row(31_000_000_001, 'p', 'a'));
    const found = await state.range('resource', { below: '', limit: 9 });
    assert.deepEqual(
      found.map((one) => one.contract),
      [0, 9, 10, 31_000_000_001],
    );
  });
}

function ofOnePlace(test: Case): void {
  const fill = (state: StateEngine): Promise<string[]> =>
    put(
      state,
      'resource',
      ...['a', 'b', 'c', 'd', 'e'].map((id) => row(1, 'p', id)),
      row(1, 'o', 'x'),
      row(1, 'p/c/q', 'x'),
      row(1, 'pp', 'x'),
      row(2, 'p', 'x'),
    );
  const cases: [string, Partial<Scan>, string][] = [
    ['alone', {}, 'abcde'],
    ['from is included', { from: 'b' }, 'bcde'],
    ['to is not', { to: 'd' }, 'abc'],
    ['from and to', { from: 'b', to: 'd' }, 'bc'],
    ['from an id that is not there', { from: 'bb' }, 'cde'],
    ['nothing between', { from: 'd', to: 'b' }, ''],
    ['after', { after: key(1, 'p', 'b') }, 'cde'],
    ['after an id that is not there', { after: key(1, 'p', 'bb') }, 'cde'],
    ['after the last', { after: key(1, 'p', 'e') }, ''],
    ['from, when after is earlier', { from: 'c', after: key(1, 'p', 'a') }, 'cde'],
    ['after, when from is earlier', { from: 'b', after: key(1, 'p', 'c') }, 'de'],
    ['after its own from', { from: 'b', after: key(1, 'p', 'b') }, 'cde'],
    ['after a key of an earlier place', { after: key(1, 'a', 'z') }, 'abcde'],
    ['after a key of a later place', { after: key(1, 'q', 'a') }, ''],
    ['after a key of an earlier contract', { after: key(0, 'z', 'z') }, 'abcde'],
    ['after a key of a later contract', { after: key(2, 'a', 'a') }, ''],
    ['limit', { limit: 2 }, 'ab'],
    ['limit 0', { limit: 0 }, ''],
    ['offset', { offset: 3 }, 'de'],
    ['offset beyond the end', { offset: 5 }, ''],
    ['from, offset and limit', { from: 'b', offset: 1, limit: 2 }, 'cd'],
    ['reverse', { reverse: true }, 'edcba'],
    ['reverse with limit', { reverse: true, limit: 2 }, 'ed'],
    ['reverse with offset', { reverse: true, offset: 1, limit: 2 }, 'dc'],
    ['reverse from b to d', { reverse: true, from: 'b', to: 'd' }, 'cb'],
    ['reverse continues before the key', { reverse: true, after: key(1, 'p', 'c') }, 'ba'],
    ['reverse before, within from and to', { reverse: true, from: 'b', to: 'e', after: key(1, 'p', 'd') }, 'cb'],
    ['reverse to, when after is later', { reverse: true, to: 'c', after: key(1, 'p', 'e') }, 'ba'],
    ['reverse before a key of a later place', { reverse: true, after: key(1, 'q', 'a') }, 'edcba'],
    ['reverse before a key of an earlier place', { reverse: true, after: key(1, 'a', 'z') }, ''],
    ['reverse before a key of a later contract', { reverse: true, after: key(2, 'a', 'a') }, 'edcba'],
    ['reverse before a key of an earlier contract', { reverse: true, after: key(0, 'z', 'z') }, ''],
  ];
  test('a place is scanned within every bound', async (state) => {
    await fill(state);
    for (const [title, bounds, expected] of cases) {
      const found = await state.range('resource', { contract: 1, place: 'p', limit: 99, ...bounds });
      assert.equal(idsOf(found).join(''), expected, title);
    }
  });
}

const all = ['d 1', 'd/A 1', 'd/A 2', 'd/A/s 1', 'd/A/s 2', 'd/A0 1', 'd/B/s 1', 'e 1'];
const fill = async (state: StateEngine): Promise<void> => {
  await put(state, 'resource', row(1, 'zz', '1'), row(3, 'a', '1'));
  for (const one of all) await put(state, 'resource', row(2, one.split(' ')[0] ?? '', one.split(' ')[1] ?? ''));
};

const belowCases: [string, Partial<Scan>, string[]][] = [
  ['everything', { below: '' }, all],
  ['a beginning', { below: 'd/' }, all.slice(1, 7)],
  ['a beginning that ends with a slash', { below: 'd/A/' }, all.slice(3, 5)],
  ['a beginning within a word', { below: 'd/A' }, all.slice(1, 6)],
  ['one that nothing has', { below: 'd/C' }, []],
  ['after', { below: 'd/', after: key(2, 'd/A', '2') }, all.slice(3, 7)],
  ['after a key that is not there', { below: 'd/', after: key(2, 'd/A', '11') }, all.slice(2, 7)],
  ['after a key before it', { below: 'd/', after: key(2, 'a', '9') }, all.slice(1, 7)],
  ['after a key beyond it', { below: 'd/', after: key(2, 'e', '0') }, []],
  ['after a key of an earlier contract', { below: 'd/', after: key(1, 'z', '0') }, all.slice(1, 7)],
  ['offset and limit', { below: 'd/', offset: 2, limit: 3 }, all.slice(3, 6)],
  ['reverse', { below: 'd/', reverse: true }, all.slice(1, 7).toReversed()],
  ['reverse before', { below: 'd/', reverse: true, after: key(2, 'd/A/s', '2') }, all.slice(1, 4).toReversed()],
  [
    'reverse before a key beyond it',
    { below: 'd/', reverse: true, after: key(2, 'x', '') },
    all.slice(1, 7).toReversed(),
  ],
  ['reverse before a key before it', { below: 'd/', reverse: true, after: key(2, 'd', '1') }, []],
  [
    'reverse, everything, before',
    { below: '', reverse: true, after: key(2, 'd/A', '2') },
    all.slice(0, 2).toReversed(),
  ],
];

function below(test: Case): void {
  test('what is below a beginning is scanned in key order', async (state) => {
    await fill(state);
    for (const [title, bounds, expected] of belowCases) {
      const found = await state.range('resource', { contract: 2, limit: 99, ...bounds });
      assert.deepEqual(
        keysOf(found),
        expected.map((one) => `2 ${one}`),
        title,
      );
    }
  });

  test('a beginning may end in the last character there is', async (state) => {
    const last = '\u{10ffff}';
    await put(
      state,
      'resource',
      row(1, 'a', '1'),
      row(1, `a${last}`, '1'),
      row(1, `a${last}${last}`, '1'),
      row(1, 'b', '1'),
    );
    assert.equal((await state.range('resource', { contract: 1, below: `a${last}`, limit: 9 })).length, 2);
    assert.equal((await state.range('resource', { contract: 1, below: last, limit: 9 })).length, 0);
  });

  test('pages of a scan join without a gap or a double', async (state) => {
    await fill(state);
    const seen: string[] = [];
    for (let after: Key | undefined; ; ) {
      const page = await state.range('resource', { contract: 2, below: '', limit: 3, ...(after && { after }) });
      seen.push(...keysOf(page));
      after = page.at(-1);
      if (!after) break;
    }
    assert.deepEqual(
      seen,
      all.map((one) => `2 ${one}`),
    );
  });
}

function everyContract(test: Case): void {
  test('every contract is scanned in key order, page by page', async (state) => {
    const made = [row(0, 'z', '1'), row(1, 'a', '2'), row(1, 'b', '1'), row(2, 'a', '1'), row(10, 'a', '1')];
    await put(state, 'journal', ...made.toReversed());
    assert.deepEqual(await state.range('journal', { below: '', limit: 99 }), made);
    const first = await state.range('journal', { below: '', limit: 2 });
    assert.deepEqual(first, made.slice(0, 2));
    const after = first[1];
    assert.ok(after);
    assert.deepEqual(await state.range('journal', { below: '', after, limit: 2 }), made.slice(2, 4));
    assert.deepEqual(await state.range('journal', { below: '', after: key(1, 'a', '3'), limit: 9 }), made.slice(2));
    assert.deepEqual(await state.range('journal', { below: '', after: key(10, 'a', '1'), limit: 9 }), []);
  });
}
