// The region in a container with the settings of the kit's Compose file: it has the socket of the engine that runs it.
// The container has this checkout instead of the image, whose build takes minutes.
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { parse } from 'yaml';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { until } from '../../../src/testing/waiting.ts';
import { type DockerEngine, dockerEngine } from '../../harness/machines/docker-engine.ts';
import { bootVolume, containerOf, core, inside, serverBody } from '../../harness/machines/servers.ts';
import { askInside } from '../container/inside.ts';
import { debianTree } from '../debian.ts';
import { mustRun } from '../run.ts';

const found = isFull ? await dockerEngine() : { skip: 'runs with ./cumulet test --full' };
// Node needs it, and the image of machines lacks it.
const library = found.skip === undefined ? await debianTree('libatomic1', ['libatomic1']) : found;

const root = join(import.meta.dirname, '../../..');
const wait = { limitMs: limits.machine, everyMs: 250 };
const owner = '1000:1000'; // as in the image of the Containerfile

interface Service {
  command: string[];
  group_add: string[];
  volumes: string[];
  ports: string[];
}

suite('the region in a container with the socket of its Docker Engine', { skip: library.skip ?? false }, () => {
  const { docker, env, socket } = found as DockerEngine;
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-compose-'));
  const key = join(folder, 'key');
  let server: string;

  const isHealthy = (): Promise<boolean> =>
    exec('cumulet', 'wait', '--url', 'http://127.0.0.1:7070', '--timeout', '2s').then(
      () => true,
      () => false,
    );
  const untilHealthy = (): Promise<unknown> => until('the region is healthy', isHealthy, undefined, wait);
  const exec = (...command: string[]): Promise<string> => docker('exec', 'region', ...command);
  const ask = <T>(method: string, path: string, body?: object): Promise<T> =>
    askInside(exec, method, path, body) as Promise<T>;
  const stateOf = async (): Promise<string> =>
    (await ask<{ metadata: { state: string } }>('GET', server)).metadata.state;

  before(async () => {
    await mustRun(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key]);
  });

  after(async () => {
    await (found as DockerEngine).stop();
    rmSync(folder, { recursive: true });
  });

  test('a server of it boots in a container next to it, and ssh enters it through the region', async () => {
    const text = readFileSync(join(root, 'kit/container/compose-machines.yaml'), 'utf8');
    const group = String(statSync(socket).gid);
    const set = text.replace(/\$\{DOCKER_GROUP:[^}]*\}/, group).replace(/\$\{DOCKER_SOCKET:[^}]*\}/, socket);
    const { region } = (parse(set) as { services: { region: Service } }).services;
    assert.ok(region.ports.every((port) => port.startsWith('127.0.0.1:')));
    const mounts = [...region.volumes, `${root}:/opt/cumulet:ro`, `${library.path}/usr/lib:/libraries:ro`];
    const folders = globSync('*-linux-gnu', { cwd: `${library.path}/usr/lib` }).map((name) => `/libraries/${name}`);
    const image = 'cumulet/debian:latest';
    await docker('run', '--rm', '--network', 'none', '--volume', 'data:/data', image, 'chown', owner, '/data');
    await docker(
      ...['run', '--detach', '--name', 'region', '--network', 'none', '--user', owner],
      ...region.group_add.flatMap((one) => ['--group-add', one]),
      ...mounts.flatMap((mount) => ['--volume', mount]),
      ...['--env', 'CUMULET_DATA=/data', '--env', `LD_LIBRARY_PATH=${folders.join(':')}`],
      ...['--env', 'PATH=/opt/cumulet/node_modules/.bin:/opt/cumulet:/usr/bin:/bin', image],
      ...['cumulet', ...region.command],
    );
    await untilHealthy();

    const sshKeys = [readFileSync(`${key}.pub`, 'utf8').trim()];
    const { id } = await ask<{ id: string }>('POST', `${core}/datacenters`, {
      properties: { name: 'd', location: 'de/txl' },
    });
    const servers = `${core}/datacenters/${id}/servers`;
    const made = async (): Promise<{ id: string } | undefined> =>
      ask<{ id: string }>('POST', servers, serverBody('web-1', [bootVolume({ sshKeys })])).catch(() => undefined);
    server = `${servers}/${(await until('the datacenter takes a server', made, undefined, { everyMs: 500 })).id}`;
    await until('it has booted', stateOf, (state) => state === 'AVAILABLE', wait);
    assert.notEqual(await containerOf(found as DockerEngine, server), '');

    const way = `ProxyCommand=docker exec --interactive region cumulet machines connect web-1`;
    const options = ['-o', way, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-i', key];
    const said = await mustRun(['ssh', ...options, 'root@web-1', 'echo kept > file; hostname'], { env });
    assert.equal(said.stdout, 'web-1\n');
  });

  test('the machine shuts down with the container of the region, and boots again with it', async () => {
    await docker('stop', '--time', '60', 'region');
    assert.equal(await docker('ps', '--quiet'), '');
    await docker('start', 'region');
    await untilHealthy();
    const kept = (): Promise<string> => inside(found as DockerEngine, server, 'cat /root/file').catch(() => '');
    await until('the file in the machine', kept, (text) => text === 'kept', wait);
  });
});
