// Real machines in a region of several nodes: one node keeps them, and the other, which reaches no Docker Engine,
// forwards to it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { limits } from '../../src/testing/limits.ts';
import { freshUrl } from '../../src/testing/postgres.ts';
import { until } from '../../src/testing/waiting.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import {
  bootVolume,
  containerOf,
  done,
  endOf,
  idOf,
  makeDatacenter,
  makeServer,
  serverBody,
  vmState,
} from '../harness/machines/servers.ts';
import { Nodes } from '../harness/nodes.ts';
import { cumulet } from '../harness/process.ts';
import type { Region } from '../harness/region.ts';

const found = await dockerEngine();
const run = promisify(execFile);
const program = join(import.meta.dirname, '../../cumulet');

suite('real machines with several nodes', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-login-'));
  const key = join(folder, 'key');
  let nodes: Nodes;
  let home: Region;
  let other: Region;
  let datacenter: string;
  let server: string;

  before(async () => {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    nodes = new Nodes(await freshUrl(), []);
    home = await nodes.add(['--machines', engine.setting]);
    other = await nodes.add(['--machines', `docker+unix://${join(folder, 'absent.sock')}`]);
    datacenter = await makeDatacenter(other);
    const sshKeys = [readFileSync(`${key}.pub`, 'utf8').trim()];
    server = await makeServer(other, datacenter, 'web-1', { sshKeys });
  });

  after(async () => {
    await nodes[Symbol.asyncDispose]();
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  test('a server that is created at the other node runs, and both nodes log in to it', async () => {
    assert.equal(await vmState(home, server), 'RUNNING');
    for (const node of [home, other]) {
      const args = ['ssh', 'web-1', '--identity', key, '--data', node.data, '--', 'hostname'];
      const { stdout } = await run(program, args, { timeout: limits.command });
      assert.equal(stdout, 'web-1\n');
    }
  });

  test('the other node shows the console and the measured usage', async () => {
    const look = async (node: Region) => (await node.call('GET', `/lab/machines/${idOf(server)}`)).body;
    await until(
      'a login prompt',
      () => look(other),
      ({ console }) => /login:/.test(String(console)),
      {
        limitMs: limits.machine,
      },
    );
    const { stdout } = await cumulet(['status', '--json', '--data', other.data]);
    assert.match(stdout, /Docker Engine/);
    assert.equal((await other.call('GET', `/lab/machines/${idOf(server)}/load`)).status, 200);
  });

  test('the other node lets the home send a real packet', async () => {
    const packet = { from: { address: '203.0.113.7' }, to: { address: '198.18.0.1', port: 80 }, protocol: 'TCP' };
    const { status, body } = await other.call('POST', '/lab/traffic', { ...packet, real: true });
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(JSON.stringify(body), /"result":"REJECTED","detail":"Nothing has answered/);
  });

  test('actions at the other node change the machine', async () => {
    await done(other, 'POST', `${server}/stop`);
    assert.equal(await engine.docker('ps', '-q', '--filter', `label=cumulet.machine=${idOf(server)}`), '');
    await done(other, 'POST', `${server}/start`);
    assert.notEqual(await containerOf(engine, server), '');
  });

  test('only nodes of the region can call the engine of the home', async () => {
    const { status } = await home.call('POST', '/internal/machines', Buffer.from('guess'), {
      token: null,
      headers: { 'content-type': 'application/octet-stream' },
    });
    assert.equal(status, 401);
  });

  test('without the home an operation waits, and ends when the home is back', async () => {
    await home.kill();
    const answer = await other.call('POST', `${datacenter}/servers`, serverBody('late', [bootVolume()]));
    assert.equal(answer.status, 202);
    const screen = await other.call('GET', `/lab/machines/${idOf(server)}`);
    assert.equal(screen.status, 503, JSON.stringify(screen.body));
    await home.start();
    assert.deepEqual(await endOf(other, answer), { status: 'DONE', message: 'Request has been successfully executed' });
  });

  test('a node that takes the machines over finds them running', async () => {
    const before = await containerOf(engine, server);
    await home.kill();
    const next = await nodes.add(['--machines', engine.setting, '--machines-here']);
    assert.equal(await containerOf(engine, server), before);
    await done(next, 'POST', `${server}/reboot`);
    const late = (await next.call('GET', `${datacenter}/servers?depth=1`)).body.items.find(
      ({ properties }) => properties.name === 'late',
    );
    await done(other, 'DELETE', `${datacenter}/servers/${late?.id}`);
    await until(
      'no machine of the deleted server',
      () => engine.docker('ps', '-aq', '--filter', `label=cumulet.machine=${late?.id}`),
      (ids) => ids === '',
    );
  });
});
