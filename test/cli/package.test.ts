// The npm package as a user gets it: packed, installed elsewhere, started by the Node on the PATH.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { limits } from '../../src/testing/limits.ts';
import { AgentClient } from '../agent/client.ts';
import { addPipeline, plainText } from '../harness/metrics.ts';
import { cumulet } from '../harness/process.ts';
import { startRegion } from '../harness/region.ts';

const root = join(import.meta.dirname, '../..');
const pinned = `node-linux-${process.arch}`;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

suite('the npm package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-package-'));
  const modules = join(folder, 'node_modules');
  const command = [join(modules, '.bin/cumulet')];

  before(async () => {
    await npm(root, 'pack', '--silent', '--pack-destination', folder);
    const [tarball] = globSync('*.tgz', { cwd: folder });
    assert.ok(tarball, 'npm pack made no tarball');
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    // The pinned Node is 60 MB: we link our own below instead of fetching it again.
    await npm(folder, 'install', '--prefer-offline', '--omit=optional', '--ignore-scripts', `./${tarball}`);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('holds plain JavaScript and what it needs, but no sources and no tests', () => {
    const files = globSync('**/*', { cwd: join(modules, 'cumulet') });
    for (const file of ['bin/cumulet.js', 'bin/start.cjs', 'dist/main.cjs', 'LICENSE'])
      assert.ok(files.includes(file), `${file} is missing`);
    assert.ok(!existsSync(join(modules, '@scarf')), 'something that reports installations came along');
    assert.deepEqual(
      files.filter((file) => /\.ts$|\.test\./.test(file)),
      ['dist/kit/index.d.ts'], // of what test suites import
    );
  });

  test('has the kit for test suites, as cumulet/testing', async () => {
    const kit = (await import(join(modules, 'cumulet/dist/kit/index.js'))) as { startRegion: unknown };
    assert.equal(typeof kit.startRegion, 'function');
    const { exports } = JSON.parse(readFileSync(join(modules, 'cumulet/package.json'), 'utf8')) as {
      exports: Record<string, { default: string }>;
    };
    assert.equal(exports['./testing']?.default, './dist/kit/index.js');
  });

  test('runs on the Node that starts it when npm left out the pinned one, or says in one line what is missing', async () => {
    const script = join(modules, 'cumulet/bin/cumulet.js');
    const fine = await cumulet(['version'], { command: [process.execPath, script] });
    assert.match(fine.stdout, new RegExp(`Node ${process.version}`), fine.stderr);
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.14.1' } })`;
    const command = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(older)}`, script];
    const { code, stderr } = await cumulet(['version'], { command });
    assert.equal(code, 2);
    assert.match(
      stderr,
      new RegExp(`^cumulet: the package ${pinned} is missing, and Node 24\\.14\\.1 is too old.*\n$`),
    );
  });

  test('runs its commands with the pinned Node', async () => {
    linkPinned(modules);
    const { code, stdout, stderr } = await cumulet(['version'], { command, cwd: folder });
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(version), stdout);
    assert.equal(stderr, '');
  });

  test('[TOOLS-01] brings up a region, which cumulet-agent sees, passes SIGTERM on to it and ends with its code', async () => {
    linkPinned(modules);
    await using region = await startRegion({ command });
    const paths = ['/cloudapi/v6/datacenters', '/docs/cloudapi', '/docs/assets/tokens.css', '/console'];
    for (const path of [...paths, '/console/assets/0/main.js', '/console/assets/0/reference.js'])
      assert.equal((await region.call('GET', path)).status, 200, path);
    const pipeline = await addPipeline(region);
    assert.equal((await pipeline.push('packed 1\n', plainText)).status, 204);
    assert.equal((await pipeline.vector('packed')).length, 1);
    const env = { IONOS_API_URL: region.url, IONOS_TOKEN: region.token };
    await using agent = await AgentClient.of([join(modules, '.bin/cumulet-agent')], env);
    assert.deepEqual(await agent.json('list_datacenters'), { count: 0, items: [] }, agent.stderr);
    assert.match(readFileSync(`/proc/${region.pid}/limits`, 'utf8'), /^Max core file size +0 /m); // they hold prompts
    assert.equal(await region.stop(), 0, region.log());
  });

  test('npx cumulet up starts a region, and shows the path of the program, which is not on the PATH', async (t) => {
    linkPinned(modules);
    const data = ['--data', join(folder, 'by-npx')];
    t.after(() => cumulet(['down', ...data], { command }));
    const up = ['up', '--detach', '--port', '0', '--https-port', '0', ...data];
    const { code, stdout, stderr } = await cumulet(up, { command: ['npx', '--no', '--', 'cumulet'], cwd: folder });
    assert.equal(code, 0, stderr);
    const [, program = ''] = /eval "\$\((\S+) env --data \S+\)"/.exec(stdout) ?? [];
    assert.match(program, /^\/.*cumulet(?:\.js)?$/, stdout);
    assert.ok(stdout.includes(`Stop it with: ${program} down --data`));
    const status = await cumulet(['status', ...data], { command: ['npx', '--no', '--', 'cumulet'], cwd: folder });
    assert.match(status.stdout, /^● Cumulet/, status.stderr);
    assert.equal((await cumulet(['version'], { command: [program] })).code, 0);
  });
});

function linkPinned(modules: string): void {
  const link = join(modules, pinned);
  mkdirSync(modules, { recursive: true });
  if (!existsSync(link)) symlinkSync(join(root, 'node_modules', pinned), link);
}

async function npm(cwd: string, ...args: string[]): Promise<void> {
  const run = promisify(execFile);
  await run('npm', [...args, '--no-audit', '--no-fund'], { cwd, timeout: limits.install });
}
