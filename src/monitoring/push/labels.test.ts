// What labels may be, and what is said of those that may not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../../core/push/text.ts';
import { labelsOf, type Pairs } from './labels.ts';

const pairs = (...names: string[]): Pairs => [['__name__', 'm'], ...names.map((name): [string, string] => [name, 'v'])];
const sorted = (...names: string[]) => (labelsOf(pairs(...names)) as Pairs).map(([name]) => name);

test('labels are sorted by the bytes of their names', () => {
  assert.deepEqual(sorted('b', 'a', 'Z'), ['Z', '__name__', 'a', 'b']);
  assert.deepEqual(sorted('ab', 'a', 'abc'), ['__name__', 'a', 'ab', 'abc']);
  // U+FFFD is three bytes from ef, U+1F600 four from f0; as UTF-16 they would stand the other way round.
  assert.deepEqual(sorted('\u{1f600}', '\ufffd'), ['__name__', '\ufffd', '\u{1f600}']);
});

test('empty values are as if they were not there', () => {
  assert.deepEqual(
    labelsOf([
      ['__name__', 'm'],
      ['a', ''],
    ]),
    [['__name__', 'm']],
  );
});

test('what can not be taken is said with the series', () => {
  assert.match(labelsOf(pairs('a', 'b', 'a')) as string, /"a" stands twice in "m" \{"a"="v"/);
  assert.match(labelsOf([['a', 'b']]) as string, /"" \{"a"="b"\} has no name/);
  assert.match(labelsOf([['__name__', '']]) as string, /has no name/);
  assert.match(labelsOf(pairs('')) as string, /a label of "m" .* has no name/);
  assert.match(labelsOf(pairs(...Array.from({ length: 300 }, (_, at) => `l${at}`))) as string, /more than 256/);
  const long = labelsOf([['a'.repeat(9999), 'b'.repeat(9999)]]) as string;
  assert.ok(long.length < 300);
});

test('text is UTF-8 or nothing', () => {
  const read = (hex: string) => textOf(Buffer.from(hex, 'hex'), 0, hex.length / 2);
  assert.equal(read('c3a4'), 'ä');
  assert.equal(read('efbfbd'), '\ufffd');
  assert.equal(read('c3'), undefined);
  assert.equal(read('eda080'), undefined);
});
