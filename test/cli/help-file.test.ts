// The help that ./cumulet prints before anything is installed.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { helpFile, helpText } from '../../bin/help-file.ts';
import { run } from '../clients/run.ts';

const root = join(import.meta.dirname, '../..');

test('bin/help.txt has the help of every command', async () => {
  assert.equal(
    readFileSync(helpFile, 'utf8'),
    await helpText(),
    'Write it again with: node_modules/.bin/node bin/help-file.ts',
  );
});

// Of each call of ./cumulet in a page: the longest command that it begins with, and whether that has its options.
test('[GEN-08] every option that README and docs show belongs to its command', () => {
  const help = new Map(
    readFileSync(helpFile, 'utf8')
      .split(/^@/m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
  );
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs')).flatMap((one) => (/\.md$/.test(one) ? [`docs/${one}`] : [])),
  ];
  const unknown = pages.flatMap((page) =>
    readFileSync(join(root, page), 'utf8')
      .split('\n')
      .flatMap((line) => [...line.matchAll(/\.\/cumulet ((?:[a-z0-9-]+ ?)+)([^`;|&)#"]*)/g)])
      .flatMap(([call, words = '', rest = '']) => {
        const [first = '', second] = words.trim().split(' ');
        const options = [...`${words} ${rest}`.matchAll(/(?:^|\s)(--[a-z][a-z0-9-]*)/g)].map(
          ([, option = '']) => option,
        );
        const section = help.get(`${first} ${second}`) ?? help.get(first);
        const isUnknown = (option: string) => !section?.includes(`${option}`);
        return options.some(isUnknown) ? [`${page}: ${call.trim()}`] : [];
      }),
  );
  assert.deepEqual(unknown, []);
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
