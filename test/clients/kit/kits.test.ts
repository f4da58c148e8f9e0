// The kits for test suites as users use them: node:test, vitest, pytest and Go, with a contract per test.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { CallError, type RegionOptions, startRegion } from '../../../src/testing/black-box/kit.ts';
import { bound } from '../../../src/testing/bound.ts';
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import { isRunning } from '../../harness/process.ts';
import { find, npmPackages, pythonWith } from '../install.ts';
import { mustRun, workFolder } from '../run.ts';

const root = join(import.meta.dirname, '../../..');
const command = [process.execPath, join(root, 'bin/start.cjs')];
const kit = join(root, 'src/kit/index.ts');
const env = { CUMULET_BIN: command.join(' '), CUMULET_KIT: kit };
const datacenters = '/cloudapi/v6/datacenters';
const python = find('CUMULET_PYTHON', 'python3');
const go = find('CUMULET_GO', 'go');

const untilGone = (isThere: () => boolean): Promise<boolean> => until('it is gone', () => !isThere());

suite('npm', () => {
  test('contracts side by side, faults, the clock, save points and reset', async () => {
    await using region = await startRegion({ command });
    const lists = await Promise.all(
      Array.from({ length: 50 }, async (_, count) => {
        const contract = await region.contract();
        await contract.call('POST', datacenters, { properties: { name: `mine ${count}`, location: 'de/txl' } });
        return (await contract.call('GET', `${datacenters}?depth=1`)).body as { items: object[] };
      }),
    );
    assert.ok(lists.every(({ items }) => items.length === 1));
    await region.call('POST', datacenters, { properties: { name: 'first', location: 'de/txl' } });
    await region.waitUntilIdle();
    await region.savePoint('one');
    await region.advance('1h30m');
    await region.fault({ kind: 'datacenter', step: 'create.*', mode: 'fail', message: 'planted' });
    await region.call('POST', datacenters, { properties: { name: 'failed', location: 'de/txl' } });
    await region.waitUntilIdle();
    const names = async () =>
      (
        (await region.call('GET', `${datacenters}?depth=1`)).body as { items: { properties: { name: string } }[] }
      ).items.map(({ properties }) => properties.name);
    assert.deepEqual(await names(), ['first']);
    await region.clearFaults();
    await region.restore('one');
    assert.deepEqual(await names(), ['first']);
    const contract = await region.contract();
    const { token } = region;
    await region.advance('400d');
    assert.notEqual(region.token, token, 'a token that has expired is renewed');
    assert.equal(region.env().IONOS_TOKEN, region.token);
    assert.equal((await contract.call('GET', datacenters)).status, 200);
    await region.reset();
    assert.deepEqual(await names(), []);
    await assert.rejects(region.call('GET', `${datacenters}/none`), (error: CallError) => {
      assert.ok(error instanceof CallError && error.status === 404 && error.body !== undefined);
      return true;
    });
    await assert.rejects(region.advance('soon'), /Expected a time such as/);
    await assert.rejects(region.restore('missing'), /Save point missing does not exist/);
    const named = { CUMULET_URL: region.url, CUMULET_TOKEN: region.token };
    const other = await startWith(named);
    await assert.rejects(startWith(named, { seed: 'shop.yaml' }), /CUMULET_SEEDED=shop\.yaml/);
    await startWith({ ...named, CUMULET_SEEDED: 'shop.yaml' }, { seed: './shop.yaml' });
    await assert.rejects(startWith({ CUMULET_URL: region.url }), /there is no CUMULET_TOKEN/);
    await assert.rejects(startWith({ ...named, CUMULET_URL: 'http://127.0.0.1:1' }), /at CUMULET_URL, http/);
    assert.equal(other.contractNumber, region.contractNumber);
    await assert.rejects(other.reset(), /started elsewhere/);
  });

  test('a region that does not start reports why', async () => {
    await assert.rejects(startRegion({ command, args: ['--port', 'x'] }), /--port/);
    await assert.rejects(startRegion({ seeds: 'shop.yaml' } as RegionOptions), /has no option seeds; it has seed/);
    await assert.rejects(startRegion({ command: ['cumulet-has-no-such-program'] }), /ENOENT/);
  });

  test('a test run that is killed leaves neither a region nor a folder', async () => {
    const script = `import { startRegion } from ${JSON.stringify(kit)};
      const { dataFolder: data, pid } = await startRegion();
      console.log(JSON.stringify({ data, pid }));
      setInterval(() => {}, 1000);`;
    const child = spawn(...bound(process.execPath, ['--input-type=module', '-e', script]), {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (text: Buffer) => resolve(String(text))),
    );
    const { data, pid } = JSON.parse(line) as { data: string; pid: number };
    assert.ok(existsSync(data) && isRunning(pid));
    child.kill('SIGKILL');
    await untilGone(() => isRunning(pid) || existsSync(data));
    assert.ok(!isRunning(pid), 'the region outlived its test run');
    assert.ok(!existsSync(data), 'the folder outlived its region');
  });

  test('200 tests of vitest, in parallel', async (t) => {
    const folder = workFolder(t);
    cpSync(join(import.meta.dirname, 'vitest'), folder, { recursive: true });
    cpSync(join(folder, 'shop.test.mjs'), join(folder, 'shop-2.test.mjs'));
    const modules = await npmPackages('vitest');
    symlinkSync(modules, join(folder, 'node_modules'));
    const ms = limits.regionStart; // of one test or hook, which may start a region
    writeFileSync(
      join(folder, 'vitest.config.mjs'),
      `export default { test: { globalSetup: './setup.mjs', testTimeout: ${ms}, hookTimeout: ${ms} } };\n`,
    );
    const program = [process.execPath, join(modules, 'vitest/vitest.mjs'), 'run'];
    const { stdout } = await mustRun(program, { cwd: folder, env, limitMs: limits.clientSuite });
    assert.match(stripVTControlCharacters(stdout), /Tests\s+200 passed/);
  });
});

suite('jest', () => {
  test('50 tests, in its mode for modules', async (t) => {
    const folder = workFolder(t);
    cpSync(join(import.meta.dirname, 'jest'), folder, { recursive: true });
    writeFileSync(join(folder, 'kit.mjs'), stripTypeScriptTypes(readFileSync(kit, 'utf8')));
    const modules = await npmPackages('jest');
    symlinkSync(modules, join(folder, 'node_modules'));
    const settings = { transform: {}, testMatch: ['**/*.test.mjs'], globalSetup: './setup.mjs' };
    writeFileSync(
      join(folder, 'jest.config.json'),
      JSON.stringify({ ...settings, globalTeardown: './teardown.mjs', testEnvironment: 'node' }),
    );
    const program = [process.execPath, '--experimental-vm-modules', join(modules, 'jest/bin/jest.js'), '--ci'];
    const { stderr } = await mustRun(program, { cwd: folder, env, limitMs: limits.clientSuite });
    assert.match(stripVTControlCharacters(stderr), /Tests:\s+50 passed/);
  });

  test('the test files of a worker share a region, although each loads the kit again', async (t) => {
    const folder = workFolder(t);
    writeFileSync(join(folder, 'kit.mjs'), stripTypeScriptTypes(readFileSync(kit, 'utf8')));
    writeFileSync(join(folder, 'shop.yaml'), 'datacenters: [{ name: seeded, location: de/fra }]\n');
    for (const name of ['one', 'two'])
      cpSync(join(import.meta.dirname, 'jest-shared.mjs'), join(folder, `${name}.test.mjs`));
    const modules = await npmPackages('jest');
    symlinkSync(modules, join(folder, 'node_modules'));
    const settings = { transform: {}, testMatch: ['**/*.test.mjs'], testEnvironment: 'node' };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(settings));
    const jest = ['--experimental-vm-modules', join(modules, 'jest/bin/jest.js'), '--ci', '--runInBand'];
    const { stderr } = await mustRun([process.execPath, ...jest], { cwd: folder, env, limitMs: limits.clientSuite });
    assert.match(stripVTControlCharacters(stderr), /Tests:\s+2 passed/);
    const [first, second] = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n');
    assert.equal(second, first, 'the second file has started another region');
    await untilGone(() => isRunning(Number(first)));
    assert.ok(!isRunning(Number(first)), 'it outlived its worker');
  });
});

suite('python', { skip: python.skip ?? false }, () => {
  test('202 tests of pytest, with a seed', async (t) => {
    const folder = workFolder(t);
    const interpreter = await pythonWith(python.path as string, 'pytest');
    cpSync(join(import.meta.dirname, 'python'), folder, { recursive: true });
    writeFileSync(join(folder, 'shop.yaml'), 'datacenters: [{ name: seeded, location: de/fra }]\n');
    writeFileSync(join(folder, 'pytest.ini'), '[pytest]\ncumulet_seed = shop.yaml\n');
    const { stdout } = await mustRun(
      [interpreter, '-m', 'pytest', '-q', '-p', 'cumulet.pytest_plugin', '-p', 'no:cacheprovider'],
      {
        cwd: folder,
        env: { ...env, PYTHONPATH: join(root, 'kit/python'), PYTHONDONTWRITEBYTECODE: '1' },
        limitMs: limits.clientSuite,
      },
    );
    assert.match(stdout, /202 passed/);
  });
});

suite('go', { skip: go.skip ?? false }, () => {
  test('50 tests in parallel', async (t) => {
    const folder = workFolder(t);
    cpSync(join(root, 'kit/go'), folder, { recursive: true });
    cpSync(join(import.meta.dirname, 'go/kit_test.go'), join(folder, 'kit_test.go'));
    const { stdout } = await mustRun([go.path as string, 'test', '-v', './...'], {
      cwd: folder,
      env,
      limitMs: limits.clientSuite,
    });
    assert.match(stdout, /--- PASS: TestRegion /);
  });
});

async function startWith(more: Record<string, string>, options?: RegionOptions) {
  Object.assign(process.env, more);
  try {
    return await startRegion(options);
  } finally {
    for (const name of Object.keys(more)) delete process.env[name];
  }
}
