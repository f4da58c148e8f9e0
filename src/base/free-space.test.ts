// How much of a disk is left free while a file is unpacked.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { type TestContext, test } from 'node:test';
import { spaceGuard } from './free-space.ts';

const megabyte = 1024 * 1024;

function withFree(t: TestContext, bytes: number): void {
  const disk = { blocks: 1e6, bavail: Math.floor(bytes / 65_536), bsize: 65_536, files: 0, ffree: 0 };
  t.mock.method(fs, 'statfsSync', () => disk);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

test('a small file is unpacked on a disk with little room, a large one is not', (t) => {
  withFree(t, 200 * megabyte);
  const small = spaceGuard(tmpdir());
  for (let line = 0; line < 100; line++) small(10_000);
  const large = spaceGuard(tmpdir());
  assert.throws(() => {
    for (let line = 0; line < 100; line++) large(megabyte);
  }, /The disk is full/);
});

test('nothing is unpacked on a disk that is nearly full', (t) => {
  withFree(t, megabyte);
  assert.throws(() => spaceGuard(tmpdir())(1), /The disk is full/);
});
