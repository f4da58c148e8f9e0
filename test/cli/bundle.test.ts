// The bundle that everything runs from: a checkout bundles its sources again when one of them has changed.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { cumulet, type Ended } from '../harness/process.ts';

const root = join(import.meta.dirname, '../..');
const version = 'src/cli/version.ts';

suite('a checkout', () => {
  const home = mkdtempSync(join(tmpdir(), 'cumulet-bundle-'));
  for (const part of ['bin', 'src', 'console', 'package.json', 'package-lock.json'])
    cpSync(join(root, part), join(home, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  const call = (...args: string[]): Promise<Ended> =>
    cumulet(args, { command: [process.execPath, join(home, 'bin/start.cjs')], env: { CUMULET_DEBUG: '1' } });
  const edit = (from: string, to: string): void => {
    const text = readFileSync(join(home, version), 'utf8');
    assert.ok(text.includes(from), from);
    writeFileSync(join(home, version), text.replace(from, to));
  };
  const bundledAt = (): number => statSync(join(home, 'dist/main.cjs')).mtimeMs;

  test('bundles itself once, and again after an edit', async () => {
    assert.match((await call('version')).stdout, /^cumulet \d/);
    const first = bundledAt();
    await call('version');
    assert.equal(bundledAt(), first);
    edit('print(`cumulet ${', 'print(`edited ${');
    assert.match((await call('version')).stdout, /^edited \d/);
  });

  test('shows lines of the sources in stack traces', async () => {
    edit('async run(input) {', "async run(input) {\n    if (input) throw new Error('on purpose');");
    const line =
      readFileSync(join(home, version), 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('on purpose')) + 1;
    const { code, stderr } = await call('version');
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`on purpose(.|\\n)*src/cli/version\\.ts:${line}:`));
  });

  test('says which source can not be bundled', async (t) => {
    t.after(() => rmSync(home, { recursive: true, force: true }));
    edit('async run(input) {', 'async run(input) {{');
    const { code, stderr } = await call('version');
    assert.equal(code, 1);
    assert.match(stderr, /could not be bundled:.*\s.*src\/cli\/version\.ts:\d+:\d+: ERROR/);
  });
});
