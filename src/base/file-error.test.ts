// Errors of the file system in words, and which of them are not bugs.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileError, machineRefusal } from './file-error.ts';

const errorOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

test('an error of the file system is described in words', () => {
  assert.equal(fileError(errorOf(() => readFileSync(join(tmpdir(), 'no-such-file-of-ours')))), 'there is no such file');
  assert.equal(fileError(errorOf(() => readFileSync(tmpdir()))), 'it is a folder');
  assert.equal(fileError(Object.assign(new Error('x'), { code: 'EACCES' })), 'permission denied');
  assert.equal(fileError(Object.assign(new Error('x'), { code: 'EIO' })), 'EIO');
  assert.equal(fileError(new Error('no code')), 'no code');
});

test('a refusal by the machine is distinguished from a bug', () => {
  const below = join(import.meta.filename, 'below');
  const error = errorOf(() => mkdirSync(below, { recursive: true }));
  assert.match(machineRefusal(error) ?? '', /^\/.* can't be used: it lies below a file\.$/);
  assert.equal(machineRefusal(new TypeError('a bug')), undefined);
  assert.equal(machineRefusal(undefined), undefined);
});
