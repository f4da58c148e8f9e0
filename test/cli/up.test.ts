// `up` and `down`: screens, the background, the end, and every reason not to start.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, suite, type TestContext, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { cumulet, endsWithin, isRunning, launch, signalIfAlive } from '../harness/process.ts';
import { createDone, type Ready, startRegion } from '../harness/region.ts';
import { noFile, onPostgres, openRows, stateFor } from '../harness/states.ts';

const root = mkdtempSync(join(tmpdir(), 'cumulet-up-'));
after(() => rmSync(root, { recursive: true, force: true }));
const folder = (name: string): string => join(root, name);
const datacenter = { properties: { name: 'one', location: 'de/fra' } };
const open = ['--port', '0', '--pace', '0'];

// Starts `up` for people and gives what it has printed when it is ready.
async function upOnScreen(data: string, t: TestContext): Promise<{ child: ChildProcess; screen(): string }> {
  const child = launch(['up', '--data', data, ...(await stateFor(data)), ...open], {});
  t.after(() => signalIfAlive(child.exitCode === null ? child.pid : undefined, 'SIGKILL'));
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await until(
    'the screen is complete',
    () => (child.exitCode === null ? text : `up has ended: ${text}`),
    (shown) => shown.includes('all data is kept'),
    { limitMs: limits.regionStart },
  );
  return { child, screen: () => text };
}

async function refused(args: string[], message: RegExp, env: Record<string, string> = {}): Promise<void> {
  const { code, stdout, stderr } = await cumulet(['up', '--json', ...args], { env });
  assert.match(stderr, message);
  assert.match(stderr, /^cumulet: [^\n]+\n$/);
  assert.equal(stdout, '');
  assert.equal(code, 2);
}

suite('the screen', () => {
  test('shows addresses, the owner on the first start only, and how to continue and to stop', async (t) => {
    const data = folder('screen');
    const first = await upOnScreen(data, t);
    const owner = JSON.parse(readFileSync(join(data, 'owner.json'), 'utf8')) as { email: string; password: string };
    assert.equal(statSync(join(data, 'owner.json')).mode & 0o777, 0o600);
    for (const part of [owner.email, owner.password, join(data, 'owner.json'), '/cloudapi/v6', data, 'Ctrl-C'])
      assert.ok(first.screen().includes(part), part);
    const [gateway] = /http:\/\/127\.0\.0\.1:\d+/.exec(first.screen()) ?? [];
    const facts = await (await fetch(`${gateway}/console/facts`)).text();
    assert.equal((JSON.parse(facts) as { ownerFile: string }).ownerFile, join(data, 'owner.json'));
    assert.ok(!facts.includes(owner.password), 'the sign-in page shows the file only');
    assert.match(first.screen(), /eval "\$\(cumulet env --data /);
    assert.match(first.screen(), /HTTPS +https:\/\/127\.0\.0\.1:\d+/);
    assert.ok(!first.screen().includes('\u001b'), 'no colours where no terminal is');
    first.child.kill('SIGINT');
    await endsWithin(first.child, limits.regionStop);
    assert.equal(first.child.exitCode, 0);
    assert.match(first.screen(), /Stopping: .*Stopped\. All data is in the data folder/s);

    const again = await upOnScreen(data, t);
    assert.ok(!again.screen().includes(owner.password) && !again.screen().includes('Password'));
    again.child.kill('SIGTERM');
    await endsWithin(again.child, limits.regionStop);
    assert.equal(again.child.exitCode, 0);
    const lines = readFileSync(join(data, 'cumulet.log'), 'utf8').trim().split('\n');
    const messages = lines.map((line) => (JSON.parse(line) as { message: string }).message);
    assert.deepEqual(messages, ['ready', 'stopped', 'ready', 'stopped']);
  });

  test('as JSON lines has the events, and structured logs next to them [GEN-10]', async () => {
    await using region = await startRegion();
    await createDone(region, '/cloudapi/v6/datacenters', datacenter);
    const { services, version } = region.ready as Ready & { services: Record<string, string>; version: string };
    assert.equal(services.activitylog, `${region.url}/activitylog/v1`);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.equal(await region.stop(), 0);
    const lines = region.log().trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { event?: string; level?: string; time?: string });
    assert.deepEqual(events.map(({ event }) => event).filter(Boolean), ['ready', 'stopping', 'stopped']);
    for (const line of events) assert.ok(line.event || (line.level && line.time), JSON.stringify(line));
  });
});

test('docs/up.svg shows what up prints', async () => {
  const script = join(import.meta.dirname, '../../bin/up-picture.ts');
  const { stdout, stderr } = await cumulet([], { command: [process.execPath, script] });
  const kept = readFileSync(join(import.meta.dirname, '../../docs/up.svg'), 'utf8');
  assert.equal(stdout, kept, `draw it again: node_modules/.bin/node bin/up-picture.ts > docs/up.svg ${stderr}`);
});

suite('the end', () => {
  test('drains running calls, and a second Ctrl-C ends at once', async () => {
    await using region = await startRegion({ args: ['--hold', '60000'] });
    const faults = [{ kind: 'datacenter', step: 'create.*', mode: 'stall' }];
    await region.call('PUT', '/lab/faults', { faults });
    const { headers } = await region.call('POST', '/cloudapi/v6/datacenters', datacenter);
    assert.ok(headers.location);
    const path = new URL(headers.location, region.url).pathname;
    // A call that is held as long as its request runs.
    const held = get(new URL(path, region.url), { headers: { authorization: `Bearer ${region.token}` } });
    held.on('error', () => {});
    await once(held, 'finish');
    assert.equal((await region.call('GET', '/health')).status, 200);
    const { pid } = region;
    process.kill(pid, 'SIGINT');
    await region.logged('"stopping"');
    process.kill(pid, 'SIGINT');
    await until('the process ends', () => !isRunning(pid));
    assert.ok(!region.log().includes('"stopped"'), 'it did not wait for the call');
    await region.halt('SIGKILL');
    await region.start();
    assert.equal((await region.call('GET', path.replace(/\/status$/, ''))).status, 200, 'and nothing is lost');
  });

  test('takes the socket along, and a stale one is replaced', async () => {
    const data = folder('socket');
    await using region = await startRegion({ data });
    const socket = join(data, 'admin.sock');
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    assert.equal(statSync(data).mode & 0o777, 0o700);
    await region.kill();
    assert.ok(existsSync(socket));
    await region.start();
    assert.equal((await cumulet(['status', '--data', data])).code, 0);
    await region.halt('SIGTERM');
    assert.ok(!existsSync(socket) && !existsSync(join(data, 'pid')));
  });
});

suite('in the background', () => {
  const detach = (data: string, ...more: string[]) => cumulet(['up', '--detach', '--data', data, ...open, ...more]);

  test('it returns when it is ready; down returns when it is gone', async (t) => {
    const data = folder('detached');
    t.after(() => cumulet(['down', '--data', data]));
    const up = await detach(data);
    assert.equal(up.code, 0, up.stderr);
    assert.match(up.stdout, /is up in the background, pid \d+.*Password +\S+.*cumulet down --data /s);
    const gateway = /Gateway +(\S+)/.exec(up.stdout)?.[1] ?? '';
    assert.equal((await fetch(`${gateway}/health`)).status, 200);
    const pid = Number(/pid (\d+)/.exec(up.stdout)?.[1]);

    const second = await detach(data);
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stdout, new RegExp(`was already up, pid ${pid}.*Gateway +${gateway}`, 's'));
    const third = await cumulet(['up', ...open, '--data', data]);
    assert.equal(third.code, 2);
    assert.match(
      third.stderr,
      new RegExp(`^cumulet: The data folder .* is in use by another process \\(pid ${pid}\\)`),
    );

    const down = await cumulet(['down', '--data', data]);
    assert.equal(down.code, 0, down.stderr);
    assert.match(down.stdout, new RegExp(`^Stopped the region on .*detached \\(pid ${pid}\\)\\.\n$`));
    await assert.rejects(fetch(`${gateway}/health`));
    assert.ok(!existsSync(join(data, 'admin.sock')));

    const json = await detach(data, '--json');
    const ready = JSON.parse(json.stdout) as Ready & { event: string };
    assert.equal(ready.event, 'ready');
    assert.equal(ready.owner, undefined, 'the password is shown once');
  });

  test('down waits for the end of a process that lets its folder go long before', async (t) => {
    const data = folder('lingering');
    const preload = folder('linger.mjs');
    writeFileSync(
      preload,
      "process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700));",
    );
    const up = await cumulet(['up', '--detach', '--data', data, ...open, '--json'], {
      env: { NODE_OPTIONS: `--import=${preload}` },
    });
    assert.equal(up.code, 0, up.stderr);
    const { pid } = JSON.parse(up.stdout) as { pid: number };
    t.after(() => signalIfAlive(isRunning(pid) ? pid : undefined, 'SIGKILL'));
    assert.ok(isRunning(pid));
    const down = await cumulet(['down', '--data', data]);
    assert.ok(!isRunning(pid), 'it still runs');
    assert.equal(down.code, 0, down.stderr);
  });

  test('it says why it does not start', { skip: noFile }, async () => {
    const data = folder('background-foreign');
    mkdirSync(data);
    writeFileSync(join(data, 'state.db'), 'no database at all');
    const { code, stdout, stderr } = await detach(data);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^cumulet: .*state\.db is not a database.*\n$/);
  });
});

suite('regions', () => {
  test('keep everything over restarts and kill -9 [GEN-06]', async () => {
    await using region = await startRegion({ data: folder('kept') });
    const { id } = await createDone(region, '/cloudapi/v6/datacenters', datacenter);
    await cumulet(['user', 'add', '--email', 'kept@example.com', '--password', 'keep-me', '--data', region.data]);
    await region.restart();
    await region.kill();
    await region.start();
    assert.equal(region.ready.owner, undefined);
    assert.equal((await region.call('GET', `/cloudapi/v6/datacenters/${id}`)).status, 200);
    const basic = { email: 'kept@example.com', password: 'keep-me' };
    assert.equal((await region.call('GET', '/auth/v1/tokens', undefined, { basic })).status, 200);
  });

  test('run side by side, each by its own accounts [GEN-07]', async () => {
    await using one = await startRegion();
    await using two = await startRegion({ args: ['--contract', '77', '--owner', 'two@example.com'] });
    assert.deepEqual([one.contract, two.contract], [31_000_001, 77]);
    assert.equal(new Set([one.url, one.https, two.url, two.https]).size, 4);
    assert.equal((await two.call('GET', '/cloudapi/v6/datacenters', undefined, { token: one.token })).status, 401);
    await two.restart();
    assert.equal(two.contract, 77, 'the first start decided');
  });

  test('start from a config file, in a folder however deep and with any name', async () => {
    const data = join(root, `it's a "long" $name ${'x'.repeat(120)}`);
    const config = folder('config.json');
    writeFileSync(config, JSON.stringify({ domain: 'cloud.test', lab: false, 'rate-limit': 12_345 }));
    await using region = await startRegion({ data, args: ['--config', config] });
    const { headers } = await region.call('GET', '/cloudapi/v6/datacenters');
    assert.equal(headers['x-ratelimit-limit'], '12345');
    assert.equal((await region.call('GET', '/lab/clock')).status, 404);
    const status = await cumulet(['status', '--json', '--data', data]);
    assert.equal(status.code, 0, status.stderr);
  });
});

suite('does not start', () => {
  test('on a folder that another process holds, until that is gone by any means', async () => {
    const data = folder('held');
    await using region = await startRegion({ data });
    await refused(['--data', data, ...open], new RegExp(`in use by another process \\(pid ${region.pid}\\)`));
    assert.equal((await region.call('GET', '/health')).status, 200);
    await region.kill();
    await region.start();
  });

  test('on a state in another folder that another process holds, nor the other way round', {
    skip: noFile,
  }, async () => {
    const [data, other] = [folder('seat'), folder('guest')];
    await using region = await startRegion({ data });
    const key = join(data, 'region.key');
    const guest = ['--data', other, '--state', `sqlite:${data}`, '--key', key];
    await refused([...guest, ...open], new RegExp(`The state sqlite:${data} is in use by .* \\(pid ${region.pid}\\)`));
    await region.halt('SIGTERM');
    await using moved = await startRegion({ data: other, args: guest.slice(2) });
    await refused(['--data', data, ...open], new RegExp(`${data} is in use by another process \\(pid ${moved.pid}\\)`));
    const status = await cumulet(['status', '--json', '--data', data]); // leads to the region that has its state there
    assert.equal(JSON.parse(status.stdout).pid, moved.pid, status.stderr);
    assert.match((await cumulet(['down', '--data', data])).stdout, new RegExp(`^Stopped .*pid ${moved.pid}`));
  });

  test('on a folder or a state of a newer version', async () => {
    const data = folder('newer');
    await (await startRegion({ data })).stop();
    await makeNewer(data);
    await refused(['--data', data, ...open], /was written by a newer version of Cumulet \(4711, /);
    writeFileSync(join(data, 'folder.json'), '{"format":2}');
    await refused(['--data', data, ...open], /newer version of Cumulet \(format 2, this one knows 1\)/);
  });

  test('on a foreign state', { skip: noFile }, async () => {
    const data = folder('foreign');
    mkdirSync(data);
    writeFileSync(join(data, 'state.db'), 'x'.repeat(4096));
    await refused(['--data', data, ...open], /state\.db is not a database/);
  });

  test('on a state whose key is not there', async () => {
    const keyless = folder('keyless');
    await (await startRegion({ data: keyless })).stop();
    const key = readFileSync(join(keyless, 'region.key'));
    rmSync(join(keyless, 'region.key'));
    await refused(['--data', keyless, ...open], /region\.key is missing, and this state can't be read without it/);
    writeFileSync(join(keyless, 'region.key'), `${Buffer.alloc(32).toString('base64')}\n`);
    await refused(['--data', keyless, ...open], /region\.key is not the key of this state/);
    writeFileSync(join(keyless, 'region.key'), key);
    await (await startRegion({ data: keyless })).stop();
  });

  test('on a port that is in use, and leaves the folder free', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    t.after(() => taken.close());
    const { port } = taken.address() as { port: number };
    const data = folder('port');
    await refused(['--data', data, '--port', String(port)], new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use`));
    await refused(
      ['--data', data, '--port', '0', '--https-port', String(port)],
      new RegExp(`port ${port} .* is in use`),
    );
    await (await startRegion({ data })).stop();
  });

  test('on an address that is none of ours, and says so of the address', () =>
    refused(
      ['--data', folder('address'), '--host', '192.0.2.1', ...open],
      /^cumulet: The address 192\.0\.2\.1 .*--host\.$/m,
    ));

  test('with an owner whose password no user may have, and makes nothing', async () => {
    const data = folder('password');
    for (const [password, more] of [
      ['abc', []],
      ['x'.repeat(256), ['--detach']],
    ] as const) {
      const env = { CUMULET_OWNER_PASSWORD: password };
      await refused(['--data', data, ...open, ...more], /CUMULET_OWNER_PASSWORD expects 5 to 255 characters/, env);
    }
    assert.ok(!existsSync(data));
  });

  test('ephemeral ones, and leaves no folder', async (t) => {
    const [tmp, bad] = [folder('tmp'), folder('bad.yaml')];
    const [starting, killed] = ['cumulet-ephemeral-starting', 'cumulet-ephemeral-killed'];
    for (const name of [starting, killed]) {
      mkdirSync(join(tmp, name), { recursive: true });
      writeFileSync(join(tmp, name, 'lock'), ''); // that no process holds: not yet, or not any more
    }
    writeFileSync(join(tmp, killed, 'pid'), '1\n');
    writeFileSync(bad, 'datacenters: [');
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    t.after(() => taken.close());
    const { port } = taken.address() as { port: number };
    for (const [args, pattern] of [
      [['--seed', folder('nofile.yaml')], /nofile\.yaml/],
      [['--seed', bad], /bad\.yaml/],
      [['--inference', 'bogus://'], /--inference/],
      [['--https-port', String(port)], /is in use/],
    ] as const) {
      await refused(['--ephemeral', '--port', '0', ...args], pattern, { TMPDIR: tmp });
      assert.deepEqual(
        readdirSync(tmp).filter((name) => name.startsWith('cumulet-ephemeral-') && name !== killed),
        [starting],
      );
    }
    assert.ok(!existsSync(join(tmp, killed)), 'what a killed one leaves is removed by the next one');
  });

  test('where there can be no folder', () =>
    refused(['--data', '/proc/nowhere', ...open], /can't be created there\. Name another --data/));
});

async function makeNewer(data: string): Promise<void> {
  if (onPostgres) {
    await using state = await openRows(data);
    await state.ask('INSERT INTO migration (version) VALUES (4711)');
    return;
  }
  using db = new DatabaseSync(join(data, 'state.db'));
  db.exec('PRAGMA user_version=4711');
}
