// Numbers and printf, with the answers of Go 1.24.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scientific, shortest, significant } from './float-format.ts';
import { printf } from './printf.ts';
import type { Value } from './values.ts';

test('numbers are written as Go writes them', () => {
  const plain: [number, string][] = [
    [0, '0'],
    [1, '1'],
    [-1.5, '-1.5'],
    [100_000, '100000'],
    [1_000_000, '1e+06'],
    [1_234_567, '1.234567e+06'],
    [1e20, '1e+20'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [Number.NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [0.1 + 0.2, '0.30000000000000004'],
  ];
  for (const [value, text] of plain) assert.equal(shortest(value), text);
  const four: [number, string][] = [
    [1000, '1000'],
    [12_346, '1.235e+04'],
    [0.1234567, '0.1235'],
    [10.5, '10.5'],
    [1.9999, '2'],
    [99.999, '100'],
    [0, '0'],
  ];
  for (const [value, text] of four) assert.equal(significant(value, 4), text);
  assert.deepEqual([scientific(1), scientific(-0.05), scientific(Infinity)], ['1e+00', '-5e-02', '+Inf']);
});

test('printf knows the usual verbs', () => {
  const known: [string, Value[], string][] = [
    ['%s is %v', ['a', 1.5], 'a is 1.5'],
    ['%.2f%%', [12.345], '12.35%'],
    ['%5d|%-5d|%05d', [42n, 42n, 42n], '   42|42   |00042'],
    ['%+d %e %g', [1n, 1500, 0.25], '+1 1.500000e+03 0.25'],
    ['%q %x %t', ['a"b', 255n, true], '"a\\"b" ff true'],
    ['%.2f %.2f %.3g', [2.345, 0.125, 100_000], '2.35 0.12 1e+05'],
    ['% d|%05s|%x', [7n, 'ab', 'hi'], ' 7|000ab|6869'],
    ['%.3s|%6.2f', ['abcdef', 2.34567], 'abc|  2.35'],
    ['%d', ['x'], '%!d(string=x)'],
    ['%d %s', [1n], '1 %!s(MISSING)'],
    ['a', [1.5], 'a%!(EXTRA float64=1.5)'],
  ];
  for (const [format, args, text] of known) assert.equal(printf(format, args), text, format);
});
