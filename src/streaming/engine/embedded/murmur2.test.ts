// Tests of the hash of keys, with the values of the Java client's own tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { murmur2 } from './murmur2.ts';

test('keys have the hashes of the Java client', () => {
  const hashes: [string, number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ];
  for (const [text, hash] of hashes) assert.equal(murmur2(Buffer.from(text)), hash, text);
});
