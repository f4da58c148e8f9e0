// The help that ./cumulet prints before anything is installed.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { helpFile, helpText } from '../../bin/help-file.ts';
import { run } from '../clients/run.ts';

const root = join(import.meta.dirname, '../..');

test('bin/help.txt has the help of every command', async () => {
  assert.equal(readFileSync(helpFile, 'utf8'), await helpText(), 'Write it again with: node bin/help-file.ts');
});

test('a fresh clone prints help at once, without Node and without installing anything', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'cumulet-help-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, 'bin'));
  for (const file of ['cumulet', 'package-lock.json', 'bin/help.txt']) cpSync(join(root, file), join(home, file));
  const help = async (...args: string[]): Promise<string> =>
    (await run(['./cumulet', ...args], { cwd: home, env: { PATH: '/usr/bin:/bin' } })).stdout;
  const all = await help('--help');
  assert.match(all, /^Cumulet .*\n\nUsage {2}\.\/cumulet COMMAND/);
  for (const args of [[], ['help'], ['-h']]) assert.equal(await help(...args), all);
  assert.match(await help('test', '--help'), /^Usage {2}\.\/cumulet test \[PATTERN …\]/);
  assert.equal(await help('help', 'test'), await help('test', '-h'));
  assert.match(await help('up', '--json', '--help'), /^Usage {2}\.\/cumulet up /);
  assert.match(await help('token', 'generate', '--help'), /^Usage {2}\.\/cumulet token generate/);
  assert.match(await help('token', '--help'), /token generate[^@]*token list/);
  assert.ok(!existsSync(join(home, 'node_modules')));
});
