// Which words are taken for which.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from './suggestion.ts';

const known = ['up', 'down', 'status', 'generate', '--port', '--https-port', '--rate-limit'];

test('a mistyped word suggests the nearest known one, and a strange word none', () => {
  const cases: [string, string | undefined][] = [
    ['upp', 'up'],
    ['satus', 'status'],
    ['stauts', 'status'],
    ['STATUS', 'status'],
    ['gen', 'generate'],
    ['--prot', '--port'],
    ['--ratelimit', '--rate-limit'],
    ['--bogus', undefined],
    ['x', undefined],
    ['', undefined],
  ];
  for (const [word, suggestion] of cases) assert.equal(nearest(word, known), suggestion, word);
});
