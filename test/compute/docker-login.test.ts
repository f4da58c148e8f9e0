// Ways into a real server: ssh, scp, a forwarded port and a terminal. They go through the machine engine, so the server
// has no NIC.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import { done, idOf, inside, makeDatacenter, makeServer } from '../harness/machines/servers.ts';
import { addContract, addPerson } from '../harness/people.ts';
import { launch } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';

const found = await dockerEngine();
const program = join(import.meta.dirname, '../../cumulet');
const run = promisify(execFile);

suite('ways into a server on Docker', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-login-'));
  const key = join(folder, 'key');
  let region: Region;
  let server: string;
  let datacenter: string;

  const cumulet = (...args: string[]) => run(program, [...args, '--data', region.data], { timeout: limits.command });
  const refusalOf = (failed: Promise<unknown>): Promise<string> =>
    failed.then(
      () => 'no refusal',
      ({ stderr }: { stderr: string }) => stderr,
    );

  before(async () => {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    region = await startRegion({ args: ['--machines', engine.setting] });
    datacenter = await makeDatacenter(region);
    const sshKeys = [readFileSync(`${key}.pub`, 'utf8').trim()];
    server = await makeServer(region, datacenter, 'web-1', { sshKeys });
  });

  after(async () => {
    await region.stop();
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  test('ssh runs a command by the name of the server, and passes its exit code on', async () => {
    const args = ['ssh', 'web-1', '--identity', key, '--data', region.data, '--'];
    const { stdout } = await run(program, [...args, 'hostname; id -un'], { timeout: limits.command });
    assert.equal(stdout, 'web-1\nroot\n');
    const failed = await run(program, [...args, 'exit 7']).catch((error: { code: number }) => error);
    assert.equal((failed as { code: number }).code, 7);
    assert.match(await refusalOf(cumulet('ssh', 'web-2')), /No server has the name or id 'web-2'.*web-1/);
  });

  test('ssh and scp use the printed configuration', async () => {
    const { stdout } = await cumulet('ssh', '--config', '--identity', key);
    const config = join(folder, 'config');
    writeFileSync(config, stdout);
    const large = Buffer.alloc(3_000_000, 'some bytes ');
    writeFileSync(join(folder, 'large'), large);
    await run('scp', ['-q', '-F', config, join(folder, 'large'), 'web-1:/root/large'], { timeout: limits.command });
    const back = join(folder, 'back');
    await run('scp', ['-q', '-F', config, `${idOf(server)}:/root/large`, back], { timeout: limits.command });
    assert.ok(readFileSync(back).equals(large));
    const said = await run('ssh', ['-F', config, 'web-1', 'wc -c < /root/large'], { timeout: limits.command });
    assert.equal(said.stdout.trim(), '3000000');
  });

  test('forward leads a local port to a port of the server', async () => {
    await inside(engine, server, 'echo hello > /srv/a; systemd-run --quiet python3 -m http.server 80 --directory /srv');
    const child = launch(['forward', 'web-1', '0:80', '--data', region.data], {});
    try {
      let printed = '';
      for (const output of [child.stdout, child.stderr])
        output?.on('data', (text: Buffer) => {
          printed += text;
        });
      const port = await until(
        'the local port',
        () => /:(\d+) to port 80/.exec(printed)?.[1],
        (found) => found !== undefined,
        { limitMs: limits.command },
      );
      const fetched = (): Promise<string> =>
        fetch(`http://127.0.0.1:${port}/a`).then(
          (answer) => answer.text(),
          (error: Error) => `${error.message}: ${error.cause}\n${printed}`,
        );
      await until('the web server answers', fetched, (text) => text === 'hello\n', { limitMs: limits.machine });
    } finally {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
  });

  const dial = (at: string, token: string): WebSocket =>
    new WebSocket(`${region.ready.gateway.replace('http', 'ws')}${server}/${at}`, {
      headers: { authorization: `Bearer ${token}` },
    });

  test('a terminal is a login shell of the size that the client names', async () => {
    const socket = dial('terminal?columns=100&rows=30', region.token);
    let screen = '';
    socket.on('message', (data: Buffer) => {
      screen += data;
    });
    await once(socket, 'open');
    const shows = (what: RegExp) =>
      until(
        `the terminal shows ${what}`,
        () => screen,
        (text) => what.test(text),
        { limitMs: limits.command },
      );
    socket.send(Buffer.from('stty size; id -un\n'));
    await shows(/30 100\r\nroot/);
    socket.send(JSON.stringify({ columns: 60, rows: 20 }));
    socket.send(Buffer.from('sleep 0.2; stty size\n'));
    await shows(/20 60\r\n/);
    socket.send(Buffer.from('exit\n'));
    await once(socket, 'close');
  });

  const statusOf = async (at: string, token: string): Promise<number> => {
    const socket = dial(at, token);
    socket.on('error', () => undefined);
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    socket.terminate();
    return answer.statusCode;
  };

  test('only users who may change the server can enter it, and the opening is in the activity log', async () => {
    const other = await addContract(region, 31000077);
    const reader = await addPerson(region);
    for (const at of ['terminal', 'ssh', 'ports/80']) {
      assert.equal(await statusOf(at, other.token), 404, at);
      assert.equal(await statusOf(at, reader.token), 404, at);
    }
    assert.equal(await statusOf('ports/0', region.token), 422);
    const { body } = await region.call<{ hits: { hits: { _source: { meta: { operation?: string } } }[] } }>(
      'GET',
      '/activitylog/v1/contracts/31000001?limit=100',
    );
    assert.match(JSON.stringify(body), /server_terminal|terminal/);
  });

  test('a stopped server refuses with its state', async () => {
    await done(region, 'POST', `${server}/stop`);
    assert.equal(await statusOf('terminal', region.token), 422);
    assert.match(await refusalOf(cumulet('machines', 'connect', 'web-1')), /'web-1'.*is SHUTOFF\. Start it first/);
  });
});
