// The lock of a data folder. The tests need a second process, because the holder may lock again.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Fault } from '../base/fault.ts';
import { bound } from '../testing/bound.ts';
import { isLocked, lockFolder, lockHolder, writePublic } from './data-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'cumulet-folder-'));
after(() => rmSync(root, { recursive: true, force: true }));
const says = (pattern: RegExp) => (error: unknown) => error instanceof Fault && pattern.test(error.message);

suite('a data folder', () => {
  test('is created for its owner alone, locked, and released', () => {
    const path = join(root, 'new/deep');
    const held = lockFolder(path);
    assert.equal(statSync(path).mode & 0o777, 0o700);
    assert.equal(lockHolder(path), process.pid);
    assert.ok(isLocked(path));
    held.release();
    assert.ok(!isLocked(path));
    assert.equal(lockHolder(path), undefined);
  });

  test('is locked by one process, and free at once when that is killed', async (t) => {
    const path = join(root, 'shared');
    const module = pathToFileURL(join(import.meta.dirname, 'data-folder.ts')).href;
    const code = `
      const { lockFolder } = await import(${JSON.stringify(module)});
      lockFolder(${JSON.stringify(path)});
      process.stdout.write('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(...bound(process.execPath, ['--input-type=module', '-e', code]), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    assert.ok(child.stdout);
    await once(child.stdout, 'data');
    assert.ok(isLocked(path));
    assert.throws(() => lockFolder(path), says(new RegExp(`in use by another process \\(pid ${child.pid}\\)`)));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(!isLocked(path));
    lockFolder(path).release();
  });

  test('loses the leftovers of a killed backup or restore, except what the restored state needs', () => {
    const path = join(root, 'killed');
    lockFolder(path).release();
    const names = ['metrics.db.copy', 'metrics.restoring', 'logs', 'logs.restoring', 'objects', 'objects.restoring'];
    for (const name of [...names, 'metrics.replaced']) mkdirSync(join(path, name));
    writeFileSync(join(path, 'metrics.restoring', 'new'), ''); // killed between setting aside and putting in place
    lockFolder(path).release();
    const left = readdirSync(path).filter((name) => !['folder.json', 'lock'].includes(name));
    assert.deepEqual(left, ['logs', 'metrics', 'objects']);
    assert.deepEqual(readdirSync(join(path, 'metrics')), ['new']);
  });

  test('of a newer version, a foreign one and one that cannot be created are refused and unchanged', () => {
    const path = join(root, 'newer');
    mkdirSync(path);
    writeFileSync(join(path, 'folder.json'), '{"format":99}');
    assert.throws(() => lockFolder(path), says(/newer version of Cumulet \(format 99, this one knows 1\)/));
    assert.equal(readFileSync(join(path, 'folder.json'), 'utf8'), '{"format":99}');
    assert.ok(!isLocked(path));
    writeFileSync(join(path, 'folder.json'), 'hello');
    assert.throws(() => lockFolder(path), says(/folder\.json is damaged or belongs to another program/));
    writeFileSync(join(root, 'file'), '');
    assert.throws(
      () => lockFolder(join(root, 'file')),
      says(/file can't be used: it is a file\. Name another --data\.$/),
    );
    assert.throws(
      () => lockFolder(join(root, 'file/below')),
      says(/can't be used: it lies below a file\. Name another --data\.$/),
    );
    assert.ok(!isLocked(join(root, 'nowhere')));
  });

  test("with a region's files but no state is refused; the leftovers of an interrupted first start are not", () => {
    const path = join(root, 'half');
    lockFolder(path).release();
    writeFileSync(join(path, 'state.db.new'), 'a draft');
    lockFolder(path).release();
    for (const state of [undefined, '']) {
      if (state !== undefined) writeFileSync(join(path, 'state.db'), state);
      for (const name of ['region.key', 'owner.json', 'ca.pem']) {
        writeFileSync(join(path, name), '');
        assert.throws(() => lockFolder(path), says(new RegExp(`has ${name} but no state\\.db.*Put state\\.db back`)));
        assert.ok(!isLocked(path));
        rmSync(join(path, name));
      }
    }
    writeFileSync(join(path, 'region.key'), '');
    writeFileSync(join(path, 'state.db'), 'x');
    lockFolder(path).release();
  });

  test('of another kind of region or of another program is refused and unchanged', () => {
    const path = join(root, 'region');
    lockFolder(path).release();
    writeFileSync(join(path, 'state.db'), 'x');
    assert.throws(
      () => lockFolder(path, 'elsewhere'),
      says(/already contains a region\. Name another --data, or move/),
    );
    rmSync(join(path, 'state.db'));
    writeFileSync(join(path, 'node'), 'x');
    assert.throws(() => lockFolder(path), says(/belongs to a node whose state is in PostgreSQL\. Pass that --state/));
    lockFolder(path, 'elsewhere').release();
    const foreign = join(root, 'foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'thesis.txt'), 'x');
    assert.throws(
      () => lockFolder(foreign),
      says(/is not empty and is not a data folder of Cumulet\. Name another --data\.$/),
    );
    assert.deepEqual(readdirSync(foreign), ['thesis.txt']);
  });

  test('writes public files atomically', () => {
    const file = join(root, 'public.pem');
    writePublic(file, 'one');
    const { ino } = statSync(file);
    writePublic(file, 'one');
    assert.equal(statSync(file).ino, ino, 'unchanged content is not written again');
    writePublic(file, 'two');
    assert.equal(readFileSync(file, 'utf8'), 'two');
  });
});
