// `./cumulet test [--quick] [pattern…]`: types, lint and format, then the tests. --quick: only the unit tests, one real
// client and a few black-box tests. With patterns, only the test files whose path contains one of them (or matches it
// as a glob), and no other check. Exit 1 when anything failed.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, matchesGlob, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bundleIfStale } from '../bin/bundle.ts';
import { helpOf } from '../src/cli/help.ts';
import { type PostgresServer, startPostgres } from '../src/testing/postgres.ts';
import { buildFor } from './clients/builds.ts';
import { testCommand } from './command.ts';

const root = join(import.meta.dirname, '..');
const testLimitMs = 10 * 60_000; // a test that takes half a minute alone takes many beside others
const runLimitMs = 60 * 60_000;

// Of --quick: a start, the rules for all calls, a resource's whole life, a client. Crashes and PostgreSQL take longer.
const quick = {
  in: /^src\/|^test\/(?:tidy\/|region\/(?:general|core-dialect|lists)|identity\/auth|clients\/sdk\/node)/,
  out: /\/crash\.test|\/postgres\//,
};

// Each takes more than a minute on two cores. They go first, so that the end of the run is not one of them alone.
const longest = [
  'test/clients/schemathesis.test.ts',
  'test/console/every-resource-browser.test.ts',
  'test/sweep/bodies.test.ts',
  'test/crash/steps.test.ts',
  'test/clients/sdk/node.test.ts',
  'test/clients/inference/smollm2.test.ts',
  'test/state/savepoint-export.test.ts',
  'test/console/monitoring-browser.test.ts',
];

const isQuick = process.argv.includes('--quick');
const patterns = process.argv.slice(2).filter((word) => word !== '--quick');
if (patterns.some((pattern) => pattern === '--help' || pattern === '-h')) help();
if (patterns.some((pattern) => pattern.startsWith('-')))
  stop('usage: cumulet test [--quick] [part of a path, or a glob …]');
process.chdir(root);

const started = performance.now();
const failedChecks = patterns.length > 0 ? [] : await check();
const files = select(patterns);
if (patterns.length > 0 && files.length === 0) stop(`no test file matches ${patterns.join(' or ')}`);
await bundleIfStale();
await buildFor(files, print);
const server = await statesServer();
const tests = await runTests(files);
await server?.stop();

print(`\n${summary(tests.times)}`);
print(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
if (failedChecks.length > 0) print(`FAILED above, before the tests: ${failedChecks.join('; ')}`);
process.exitCode = failedChecks.length === 0 && tests.success ? 0 : 1;

// CUMULET_STATE=postgres: one server for the regions of all tests.
async function statesServer(): Promise<PostgresServer | undefined> {
  if (process.env.CUMULET_STATE !== 'postgres' || process.env.CUMULET_POSTGRES_URL) return undefined;
  const started = await startPostgres();
  process.env.CUMULET_POSTGRES_URL = started.url;
  return started;
}

// The names of the checks that failed.
async function check(): Promise<string[]> {
  const checks: [name: string, script: string, ...args: string[]][] = [
    ['types', 'node_modules/typescript/bin/tsc', '--noEmit'],
    ['types of the console', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.console.json'],
    ['lint and format', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--log-level=warn'],
  ];
  const passed = await Promise.all(checks.map((one) => tool(...one)));
  return checks.filter((_, index) => !passed[index]).map(([name]) => name);
}

// Says one line when all is well, and the tool's own words when not.
async function tool(name: string, script: string, ...args: string[]): Promise<boolean> {
  const begun = performance.now();
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk;
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const code = await new Promise<number | null>((done) => child.on('close', done));
  print(`${name}: ${code === 0 ? 'fine' : 'FAILED'} (${seconds(performance.now() - begun)})`);
  if (code !== 0) print(output.trimEnd());
  return code === 0;
}

// The longest first, then the other black-box tests; unit tests fill up the end.
function select(wanted: string[]): string[] {
  const found = [...globSync('test/**/*.test.ts').sort(), ...globSync('src/**/*.test.ts').sort()];
  const gone = longest.filter((file) => !found.includes(file));
  if (gone.length > 0) stop(`test/run.ts names what is not there: ${gone.join(', ')}`);
  const every = [...longest, ...found.filter((file) => !longest.includes(file))];
  const all = isQuick ? every.filter((file) => quick.in.test(file) && !quick.out.test(file)) : every;
  if (wanted.length === 0) return all;
  const names = wanted.map((pattern) => pattern.replace(/^\.\//, ''));
  return all.filter((file) => names.some((name) => file.includes(name) || matchesGlob(file, name)));
}

interface Tests {
  passed: number;
  failed: number;
  skipped: number;
  success: boolean;
  times: Map<string, number>; // file → ms
}

async function runTests(chosen: string[]): Promise<Tests> {
  const result: Tests = { passed: 0, failed: 0, skipped: 0, success: true, times: new Map() };
  if (chosen.length === 0) return result;
  // One more than there are cores: black-box tests wait for their regions most of the time.
  const concurrency = availableParallelism() + 1;
  print(`tests: ${chosen.length} files, ${concurrency} at a time\n`);
  const limit = setTimeout(() => {
    const open = chosen.filter((file) => !result.times.has(file));
    stop(`the tests did not end in ${seconds(runLimitMs)}; still open: ${open.join(', ')}`, 1);
  }, runLimitMs);
  const events = run({ files: chosen, cwd: root, concurrency, timeout: testLimitMs });
  events.on('test:summary', ({ file, counts, success, duration_ms }) => {
    if (file !== undefined) {
      result.times.set(relative(root, file), duration_ms);
      return;
    }
    const { tests, passed } = counts;
    const skipped = counts.skipped + counts.todo;
    Object.assign(result, { passed, skipped, failed: tests - passed - skipped, success });
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text as string);
  clearTimeout(limit);
  return result;
}

function summary(times: Map<string, number>): string {
  const slowest = [...times].sort((a, b) => b[1] - a[1]).slice(0, 10);
  const lines = slowest.map(([file, ms]) => `  ${seconds(ms).padStart(7)}  ${file}`);
  return [`the slowest of ${times.size} files, in ${seconds(performance.now() - started)} altogether:`, ...lines].join(
    '\n',
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function help(): never {
  print(helpOf(testCommand));
  process.exit(0);
}

function stop(message: string, code = 2): never {
  console.error(`cumulet test: ${message}`);
  process.exit(code);
}
