// Builds before the tests: they are shown, and no test builds anything within its own time.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { type Build, buildFor, builds } from './builds.ts';

const root = join(import.meta.dirname, '../..');
const installers = [
  /\b(?:goProgram|pythonWith|npmPackages|nodeOf|prometheus3?|promtool3?|victoriaMetrics|vmagent|collector|telegraf)\(/,
  /\b(?:loki|logcli|victoriaLogs|browserProgram|kcat|pythonClient|franzGo|apacheKafka|javaClient|actionlint|helm)\(/,
];

// The modules that a test file imports.
function modulesOf(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}) .*from '(\.[^']+)';$/gm)) {
    const imported = join(dirname(file), path);
    if (imported.startsWith(join(root, 'test'))) modulesOf(imported, known);
  }
  return known;
}

test('every test that uses an installed program has it built before the tests begin', () => {
  const programs = globSync('test/clients/*/programs.ts', { cwd: root });
  const homes = new Set(['test/clients/install.ts', ...programs, 'test/harness/browser.ts']);
  const missing = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => {
    const modules = [...modulesOf(join(root, file))].filter((one) => !homes.has(relative(root, one)));
    const texts = modules.filter((one) => !one.endsWith('builds.ts')).map((one) => readFileSync(one, 'utf8'));
    const uses = installers.some((installer) => texts.some((text) => installer.test(text)));
    return uses && !builds.some(({ needs }) => needs.test(file));
  });
  assert.deepEqual(missing, []);
});

test('a build is announced before it begins, in between and at its end, and existing results are not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let clock = 0;
  t.mock.method(performance, 'now', () => clock);
  const lines: string[] = [];
  const lasting =
    (ms: number, fails = false) =>
    async () => {
      clock += ms;
      t.mock.timers.tick(ms);
      if (fails) throw new Error('no compiler');
    };
  const every: Build[] = [
    { what: 'slow', needs: /a\.test/, make: lasting(65_000) },
    { what: 'broken', needs: /a\.test/, make: lasting(2000, true) },
    { what: 'there', needs: /a\.test/, make: lasting(100) },
    { what: 'unneeded', needs: /b\.test/, make: lasting(5000) },
  ];
  await buildFor(['test/a.test.ts'], (line) => lines.push(line.replace(/, in \S+/, '')), every);
  assert.deepEqual(lines, [
    'building slow, once for this machine …',
    'still building slow (65.0 s)',
    'still building slow (65.0 s)',
    'slow is ready (65.0 s)',
    'building broken, once for this machine …',
    'broken could not be built (2.0 s): no compiler',
  ]);
});
