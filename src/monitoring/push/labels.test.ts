// Valid labels, and the errors of invalid ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../../core/push/text.ts';
import { labelsOf, type Pairs } from './labels.ts';

const pairs = (...names: string[]): Pairs => [['__name__', 'm'], ...names.map((name): [string, string] => [name, 'v'])];
const sorted = (...names: string[]) => (labelsOf(pairs(...names)) as Pairs).map(([name]) => name);

test('labels are sorted by the bytes of their names', () => {
  assert.deepEqual(sorted('b', 'a', 'Z'), ['Z', '__name__', 'a', 'b']);
  assert.deepEqual(sorted('ab', 'a', 'abc'), ['__name__', 'a', 'ab', 'abc']);
  // U+FFFD is three bytes from ef, U+1F600 four from f0; as UTF-16 their order would be reversed.
  assert.deepEqual(sorted('\u{1f600}', '\ufffd'), ['__name__', '\ufffd', '\u{1f600}']);
});

test('empty values count as absent', () => {
  assert.deepEqual(
    labelsOf([
      ['__name__', 'm'],
      ['a', ''],
    ]),
    [['__name__', 'm']],
  );
});

test('refused labels are reported with their series', () => {
  assert.match(labelsOf(pairs('a', 'b', 'a')) as string, /"a" is used twice in "m" \{"a"="v"/);
  assert.match(labelsOf([['a', 'b']]) as string, /"" \{"a"="b"\} has no name/);
  assert.match(labelsOf([['__name__', '']]) as string, /has no name/);
  assert.match(labelsOf(pairs('')) as string, /a label of "m" .* has no name/);
  assert.match(labelsOf(pairs(...Array.from({ length: 300 }, (_, at) => `l${at}`))) as string, /more than 256/);
  const long = labelsOf([['a'.repeat(9999), 'b'.repeat(9999)]]) as string;
  assert.ok(long.length < 300);
});

test('text that is not UTF-8 is refused', () => {
  const read = (hex: string) => textOf(Buffer.from(hex, 'hex'), 0, hex.length / 2);
  assert.equal(read('c3a4'), 'ä');
  assert.equal(read('efbfbd'), '\ufffd');
  assert.equal(read('c3'), undefined);
  assert.equal(read('eda080'), undefined);
});
