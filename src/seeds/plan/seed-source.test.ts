// Malicious seeds that would take too much time or memory.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { planOf } from './seed-plan.ts';
import { readSeeds } from './seed-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'cumulet-seed-source-'));
const file = join(folder, 'seed.yaml');
after(() => rmSync(folder, { recursive: true, force: true }));

const limitMs = 3000; // of CPU; without limits each takes 8 s or more, or gigabytes

const repeat = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join('');
const list = (of: string, count: number): string => `[${Array(count).fill(of).join(',')}]`;

const cases: [string, string, RegExp][] = [
  [
    'billion laughs',
    `a0: &a0 ${list('x', 9)}\n${repeat(12, (at) => `a${at + 1}: &a${at + 1} ${list(`*a${at}`, 9)}\n`)}`,
    /an alias is undefined, circular or expands to too much/,
  ],
  [
    'a long text, 900 times',
    `a: &a "${'x'.repeat(400_000)}"\nb: ${list('*a', 900)}\n`,
    /an alias is undefined, circular or expands to too much/,
  ],
  [
    '30,000 aliases',
    `${repeat(300, (at) => `k${at}: &k${at} 1\n`)}b: [${repeat(300, (at) => `*k${at},`.repeat(100))}0]\n`,
    /seed\.yaml:301: a seed has at most 1000 aliases/,
  ],
  ['40,000 unknown keys', repeat(40_000, (at) => `k${at}: 1\n`), /unknown section k0/],
  ['a key twice', 'datacenters: []\ndatacenters: []\n', /seed\.yaml:2: Map keys must be unique/],
  ['deep lists', `a: ${'['.repeat(100)}1${']'.repeat(100)}`, /nested deeper than 64 levels/],
  ['lists without an end', `a: ${'['.repeat(100_000)}`, /seed\.yaml/],
  ['deep objects', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, /seed\.yaml/],
  ['a large file', `a: "${'x'.repeat(17 * 1024 * 1024)}"`, /has more than 16 MB\. Split the seed/],
];

for (const [what, text, pattern] of cases)
  test(`${what}: the seed is refused at once`, () => {
    writeFileSync(file, text);
    const before = process.cpuUsage();
    assert.throws(
      () => planOf(readSeeds(file), new Map()),
      (error) =>
        error instanceof Fault && error.problems.length <= 100 && pattern.test(error.problems[0]?.message ?? ''),
    );
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 < limitMs, `${(user + system) / 1000} ms`);
  });
