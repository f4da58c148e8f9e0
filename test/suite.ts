// All checks and tests: types, lint and format, then the tests. --quick: only the unit tests, one real client and
// a few black-box tests. --full: random seeds, more rounds, and clients that must be built. With patterns, only the
// test files whose path contains one of them (or matches it as a glob), and no other check.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bundleIfStale } from '../bin/bundle.ts';
import { bound } from '../src/testing/bound.ts';
import { limits } from '../src/testing/limits.ts';
import { type PostgresServer, startPostgres } from '../src/testing/postgres.ts';
import { buildFor } from './clients/builds.ts';
import { startSharedBrowser } from './harness/browser.ts';
import { byFolder, type Duration, noteDurations, readTimes, slowest, slowestTests, watchOthers } from './times.ts';

const root = join(import.meta.dirname, '..');
const preload = join(import.meta.dirname, 'preload.ts');
const idleShare = 0.1;

// Of --quick: a start, the rules for all calls, a resource's whole life, a client. Crashes and PostgreSQL take longer,
// and so do Kafka clients, attacks, random networks and contracts of engines: each of those files uses two seconds of a
// core or more.
const slowUnits = [
  'streaming/broker/(?:attacks|handshake|kafkajs|memory|platformatic)',
  'compute/(?:flow-log/scale|network/(?:spec-from-rows|verdicts))',
  'objects/engine/(?:embedded|remote)/engine',
  'monitoring/(?:engine/embedded/(?:engine|writer)|alerts/rules/check|push/decode)',
  'logging/(?:push/decode|threads/threads)',
  'core/state/(?:dump/portable|sqlite/engine)',
  'streaming/access/pkcs12',
  '(?:pipeline-keys|scaling-day)',
];
const quick = {
  in: /^src\/|^test\/(?:tidy\/|region\/(?:general|core-dialect|lists)|identity\/auth|clients\/sdk\/node)/,
  out: new RegExp(`/crash\\.test|/postgres/|^src/(?:${slowUnits.join('|')})\\.test`),
};

// Tests next to the code that are not run in the processes of the unit tests: they kill their own processes, need
// a server, or measure the processor time or the memory of their process.
const ownProcess = quick.out;

// Each uses a core for 15 s or more. They go first, so that the end of the run is not one of them alone.
const longest = [
  'test/console/every-resource/every-resource-browser.test.ts',
  'test/clients/schemathesis.test.ts',
  'test/dns/attacks.test.ts',
  'test/crash/steps.test.ts',
  'test/state/savepoint-export.test.ts',
  'test/sweep/rights-first.test.ts',
  'test/region/attacks/logs.test.ts',
  'test/crash/nodes.test.ts',
  'test/state/crash.test.ts',
  'test/cli/seed.test.ts',
  'test/sweep/bodies.test.ts',
  'test/region/attacks/bodies.test.ts',
  'test/state/damage.test.ts',
  'test/state/portable.test.ts',
  'test/region/attacks/queries.test.ts',
  'test/state/objects.test.ts',
  'test/state/savepoints.test.ts',
  'test/cli/up.test.ts',
  'test/state/moving.test.ts',
  'test/cli/commands.test.ts',
  'test/agent/tools.test.ts',
  'test/state/starting-nodes.test.ts',
  'test/region/concurrency-pairs.test.ts',
  'test/state/hostile-archives.test.ts',
  'test/region/attacks/pushes-and-questions.test.ts',
  'test/region/attacks/objects.test.ts',
  'test/region/attacks/memory.test.ts',
  'test/console/forms/forms-browser.test.ts',
  'test/clients/inference/smollm2.test.ts',
];

const durations: Duration[] = [];
const nothing: Tests = { passed: 0, failed: 0, skipped: 0, success: true };

export interface Modes {
  quick: boolean;
  full: boolean;
  slowest: boolean;
}

// True if nothing failed.
export async function runSuite(modes: Modes, patterns: string[]): Promise<boolean> {
  process.chdir(root);
  const timesFile = join(mkdtempSync(join(tmpdir(), 'cumulet-times-')), 'times');
  process.env.CUMULET_TEST_TIMES = timesFile;
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/tests');
  const started = performance.now();
  const othersShare = watchOthers();
  const failedChecks = patterns.length > 0 ? [] : await check();
  const files = select(modes, patterns);
  if (patterns.length > 0 && files.length === 0) stop(`no test file matches ${patterns.join(' or ')}`);
  await bundleIfStale();
  await buildFor(files, print);
  const server = await statesServer();
  const browser = files.some((file) => file.includes('browser')) ? await startSharedBrowser() : undefined;
  const tests = await runTests(files);
  await browser?.close();
  await server?.stop();

  const times = readTimes(timesFile);
  print(`\n${slowest(times, modes.slowest ? 20 : 10)}`);
  if (modes.slowest) print(`\n${slowestTests(durations, 20)}\n\n${byFolder(times)}`);
  print(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  const tookMs = performance.now() - started;
  print(`${seconds(tookMs)} in all; other processes used ${Math.round(othersShare() * 100)} % of the machine`);
  if (!modes.full && patterns.length === 0 && tookMs > limits.plainRun && othersShare() < idleShare)
    print(
      `A plain run may take ${limits.plainRun / 60_000} minutes on an idle machine with two cores: --slowest shows why.`,
    );
  if (failedChecks.length > 0) print(`FAILED above, before the tests: ${failedChecks.join('; ')}`);
  return failedChecks.length === 0 && tests.success;
}

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
    ['types', ...typeCheck('tsconfig.json')],
    ['types of the console', ...typeCheck('tsconfig.console.json')],
    ['lint and format', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--log-level=warn'],
  ];
  const passed = await Promise.all(checks.map((one) => tool(...one)));
  return checks.filter((_, index) => !passed[index]).map(([name]) => name);
}

// Checks again what has changed since the last check: a quarter of the time.
const typeCheck = (project: string): [script: string, ...args: string[]] => [
  'node_modules/typescript/bin/tsc',
  ...['--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', `node_modules/.cache/types/${project}`],
];

// Says one line when all is well, and the tool's own words when not.
async function tool(name: string, script: string, ...args: string[]): Promise<boolean> {
  const begun = performance.now();
  const child = spawn(...bound(process.execPath, [script, ...args]), { stdio: ['ignore', 'pipe', 'pipe'] });
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
function select(modes: Modes, wanted: string[]): string[] {
  const found = [...globSync('test/**/*.test.ts').sort(), ...globSync('src/**/*.test.ts').sort()];
  const gone = longest.filter((file) => !found.includes(file));
  if (gone.length > 0) stop(`test/suite.ts names files that do not exist: ${gone.join(', ')}`);
  const every = [...longest, ...found.filter((file) => !longest.includes(file))];
  const all = modes.quick ? every.filter((file) => quick.in.test(file) && !quick.out.test(file)) : every;
  if (wanted.length === 0) return all;
  const names = wanted.map((pattern) => pattern.replace(/^\.\//, ''));
  return all.filter((file) => names.some((name) => file.includes(name) || matchesGlob(file, name)));
}

interface Tests {
  passed: number;
  failed: number;
  skipped: number;
  success: boolean;
}

async function runTests(chosen: string[]): Promise<Tests> {
  if (chosen.length === 0) return nothing;
  const limit = setTimeout(() => stop(`the tests did not end in ${seconds(limits.run)}`, 1), limits.run);
  const units = chosen.filter((file) => isUnit(file));
  if (units.length > 0) print(`unit tests: ${units.length} files, one process per core`);
  const results = await Promise.all([
    ...shares(units, availableParallelism()).map(runUnits),
    runProcesses(chosen.filter((file) => !units.includes(file))),
  ]);
  clearTimeout(limit);
  return results.reduce(added);
}

function isUnit(file: string): boolean {
  return file.startsWith('src/') && !ownProcess.test(file);
}

function added(one: Tests, other: Tests): Tests {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    success: one.success && other.success,
  };
}

interface Summary {
  counts: { tests: number; passed: number; skipped: number; todo: number };
  success: boolean;
}

function testsOf({ counts, success }: Summary): Tests {
  const skipped = counts.skipped + counts.todo;
  return { passed: counts.passed, skipped, failed: counts.tests - counts.passed - skipped, success };
}

// Neighbours are in different shares: they take alike long.
function shares(files: string[], count: number): string[][] {
  return Array.from({ length: count }, (_, share) => files.filter((_, at) => at % count === share));
}

async function runUnits(units: string[]): Promise<Tests> {
  if (units.length === 0) return nothing;
  const program = join(import.meta.dirname, 'unit.ts');
  const child = spawn(...bound(process.execPath, ['--import', preload, program, ...units]), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let tests: Tests = { ...nothing, failed: 1, success: false }; // unless it says otherwise
  child.on('message', (message: Summary & { durations: Duration[] }) => {
    tests = testsOf(message);
    durations.push(...message.durations);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) print(`the process of the unit tests ended with ${code}`);
  return code === 0 || !tests.success ? tests : { ...tests, success: false };
}

async function runProcesses(chosen: string[]): Promise<Tests> {
  if (chosen.length === 0) return nothing;
  // One more than there are cores: black-box tests wait for their regions most of the time.
  const concurrency = availableParallelism() + 1;
  print(`tests: ${chosen.length} files, ${concurrency} at a time\n`);
  const execArgv = ['--import', preload];
  const events = run({ files: chosen, cwd: root, concurrency, timeout: limits.file, execArgv });
  let tests = nothing;
  events.on('test:summary', ({ file, counts, success }) => {
    if (file === undefined) tests = testsOf({ counts, success });
  });
  noteDurations(events, durations);
  for await (const text of events.compose(new spec())) process.stdout.write(text as string);
  return tests;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function stop(message: string, code = 2): never {
  console.error(`cumulet test: ${message}`);
  process.exit(code);
}
