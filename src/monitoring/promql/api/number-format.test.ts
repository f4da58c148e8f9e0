// Numbers, durations and strings, read and written like in Go.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { durationText, parseDuration, parseFloat64, parseNumber, quote, unquote } from '../syntax/literals.ts';
import { ByteWriter } from './byte-writer.ts';
import { labelNumber, plainNumber, shortNumber, valueNumber } from './number-format.ts';

const written = (value: number): string => {
  const writer = new ByteWriter();
  writer.number(value);
  return Buffer.from(writer.finish()).toString();
};

suite('numbers', () => {
  test('are printed as in Go', () => {
    assert.deepEqual([1e21, 1e-7, 123456789, -0.5, 0, -0].map(plainNumber), [
      '1000000000000000000000',
      '0.0000001',
      '123456789',
      '-0.5',
      '0',
      '-0',
    ]);
    assert.equal(plainNumber(-1.5e25), '-15000000000000000000000000');
    const special = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const print of [plainNumber, valueNumber, shortNumber])
      assert.deepEqual(special.map(print), ['NaN', '+Inf', '-Inf']);
    assert.deepEqual([1e21, 1.5e-7, 1e100, 0.000001, 12].map(valueNumber), [
      '1e+21',
      '1.5e-07',
      '1e+100',
      '0.000001',
      '12',
    ]);
    assert.deepEqual([1.1, 1e6, 123456, 0.00001].map(shortNumber), ['1.1', '1e+06', '123456', '1e-05']);
    assert.deepEqual([0.9, 1, 0].map(labelNumber), ['0.9', '1.0', '0.0']);
  });

  test('are written as bytes the same way', () => {
    const edges = [0, -0, 1, -1, 9, 10, 99, 100, 999999999, 1e9, 1e9 + 1, 123456789012345, 1e15, 1e15 + 0.5, 2 ** 53];
    const fractions = [0.1, -0.25, 0.001, 0.0001, 12.34, 100.5, 0.123456, 0.1234567, 1 / 3, 999999.999999, 5e-324];
    const random = Array.from({ length: 2000 }, (_, at) => Math.sin(at * 7919) * 10 ** ((at % 40) - 20));
    for (const value of [...edges, ...fractions, ...random, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_VALUE])
      assert.equal(written(value), valueNumber(value));
  });

  test('are read as in Go', () => {
    for (const [text, value] of [
      ['0x1F', 31],
      ['1_000', 1000],
      ['010', 8],
      ['08', 8],
      ['.5', 0.5],
      ['-Inf', Number.NEGATIVE_INFINITY],
      ['- 1', -1],
      ['1h30m', 5400],
      ['1ms', 0.001],
    ] as const)
      assert.equal(parseNumber(text)?.value, value, text);
    assert.equal(parseNumber('1m1h'), undefined);
    assert.deepEqual(['1e3', '+Inf', ' 1', '', '0x'].map(parseFloat64), [
      1000,
      Number.POSITIVE_INFINITY,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('durations are read and written', () => {
  for (const text of ['1y', '2w', '15d', '1h30m', '5m', '1s500ms', '1ms'])
    assert.equal(durationText(parseDuration(text) as number), text);
  assert.equal(durationText(90 * 86_400_000), '90d');
  for (const text of ['', '5', '1.5h', 'm', '5m1h', '-5m']) assert.equal(parseDuration(text), undefined, text);
  assert.equal(parseDuration('0'), 0);
});

test('strings are quoted and unquoted by the rules of Go', () => {
  for (const [quoted, text] of [
    ['"a\\n\\t\\"b"', 'a\n\t"b'],
    ["'it\\'s'", "it's"],
    ['`raw\\n`', 'raw\\n'],
    ['"\\x41\\101\\u00e4\\U0001F600"', 'AAä😀'],
    ['"\\xc3\\xa4"', 'ä'],
  ] as const)
    assert.equal(unquote(quoted), text);
  assert.equal(unquote('"\\xff"')?.isWellFormed(), false);
  assert.equal(quote(unquote('"a\\xc5z"') as string), '"a\\xc5z"');
  for (const bad of ['"\\q"', '"\\x4"', '"\\\'"', '"abc', '"\\ud800"']) assert.equal(unquote(bad), undefined, bad);
  assert.equal(quote('a"\\\n\x01'), '"a\\"\\\\\\n\\x01"');
});
