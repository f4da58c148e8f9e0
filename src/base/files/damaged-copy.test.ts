// The copy that is kept of a damaged file.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { damagedCopyOf, isDamagedCopy, keepDamagedCopy } from './damaged-copy.ts';

test('a copy that an earlier start did not finish is replaced by a whole one', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'damaged-copy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'some.log');
  writeFileSync(path, 'the whole file');
  writeFileSync(damagedCopyOf(path, 7), 'the wh');
  const name = keepDamagedCopy(path, 7);
  assert.ok(isDamagedCopy(name));
  assert.equal(readFileSync(join(folder, name), 'utf8'), 'the whole file');
  assert.deepEqual(readdirSync(folder), ['some.log', name]);
});
