// The path of a data folder's socket on each operating system.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { socketPlace } from './socket-path.ts';

suite('the socket of a data folder', () => {
  test('is in the folder, however deep that is', (t) => {
    const root = mkdtempSync(join(tmpdir(), 'cumulet-socket-'));
    t.after(() => rmSync(root, { recursive: true }));
    assert.equal(socketPlace('/data', 'admin.sock').path, '/data/admin.sock');
    const deep = join(root, 'd'.repeat(120));
    mkdirSync(deep);
    writeFileSync(join(deep, 'name'), '');
    const { path, file, close } = socketPlace(deep, 'name', 'linux');
    assert.ok(path.length < 40 && existsSync(path), path);
    assert.equal(file, join(deep, 'name'));
    close();
    assert.ok(!existsSync(path));
  });

  test('is a named pipe on Windows, one for each folder', () => {
    const one = socketPlace('/data', 'admin.sock', 'win32');
    assert.match(one.path, /^\\\\\.\\pipe\\cumulet-[0-9a-f]{16}-admin\.sock$/);
    assert.equal(one.file, undefined);
    assert.notEqual(socketPlace('/other', 'admin.sock', 'win32').path, one.path);
  });

  test('is in the temporary folder on macOS where the path is too long', () => {
    const { path, file } = socketPlace(`/${'d'.repeat(120)}`, 'admin.sock', 'darwin');
    assert.equal(path, file);
    assert.ok(path.startsWith(tmpdir()) && path.length < 104, path);
    assert.equal(socketPlace('/data', 'admin.sock', 'darwin').path, '/data/admin.sock');
  });
});
