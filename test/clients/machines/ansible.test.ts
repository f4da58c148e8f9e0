// Ansible over the configuration that `cumulet ssh --config` prints: it enters real servers through the machine engine.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { type DockerEngine, dockerEngine } from '../../harness/machines/docker-engine.ts';
import { inside, makeDatacenter, makeServer } from '../../harness/machines/servers.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { find, pythonWith } from '../install.ts';
import { mustRun } from '../run.ts';

const cumulet = join(import.meta.dirname, '../../../cumulet');
const python = find('CUMULET_PYTHON', 'python3');
const found = python.path ? await dockerEngine() : python;

suite('Ansible on servers of a Docker Engine', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-ansible-'));
  const names = ['web-1', 'web-2'];
  let region: Region;
  let servers: string[];
  let programs: string;

  before(async () => {
    programs = dirname(await pythonWith(python.path ?? '', 'ansible-core'));
    const key = join(folder, 'key');
    await mustRun(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const sshKeys = [readFileSync(`${key}.pub`, 'utf8').trim()];
    region = await startRegion({ args: ['--machines', engine.setting] });
    const datacenter = await makeDatacenter(region);
    servers = await Promise.all(names.map((name) => makeServer(region, datacenter, name, { sshKeys })));
    const { stdout } = await mustRun([cumulet, 'ssh', '--config', '--identity', key, '--data', region.data]);
    writeFileSync(join(folder, 'ssh-config'), stdout);
  });

  after(async () => {
    await region.stop();
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  // With its files in a folder of the test. One connection for each server, as Ansible does without these arguments.
  const ansible = async (program: string, ...args: string[]): Promise<string> => {
    const env = {
      HOME: folder,
      ANSIBLE_HOME: folder,
      ANSIBLE_SSH_ARGS: `-F ${join(folder, 'ssh-config')} -o ControlMaster=auto -o ControlPersist=30s`,
      ANSIBLE_NOCOLOR: '1',
      LC_ALL: 'C.UTF-8',
    };
    const command = [join(programs, program), '--inventory', `${names.join(',')},`, ...args];
    return (await mustRun(command, { cwd: folder, env, limitMs: limits.client })).stdout;
  };

  test('ping answers from every server', async () => {
    const printed = await ansible('ansible', 'all', '--one-line', '-m', 'ping');
    for (const name of names) assert.match(printed, new RegExp(`^${name} \\| SUCCESS => .*"ping": "pong"`, 'm'));
  });

  test('a playbook copies a file and starts a service, and changes nothing the second time', async () => {
    const playbook = join(folder, 'site.json');
    const unit = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n';
    const systemd = { name: 'sleeper', state: 'started', enabled: true, daemon_reload: true };
    const tasks = [
      { 'ansible.builtin.copy': { dest: '/etc/systemd/system/sleeper.service', content: unit, mode: '0644' } },
      { 'ansible.builtin.systemd_service': systemd },
    ];
    writeFileSync(playbook, JSON.stringify([{ hosts: 'all', tasks }]));
    const first = await ansible('ansible-playbook', playbook);
    for (const name of names) assert.match(first, new RegExp(`${name} +: ok=3 +changed=2 +unreachable=0 +failed=0`));
    for (const server of servers) assert.equal(await inside(engine, server, 'systemctl is-active sleeper'), 'active');
    const second = await ansible('ansible-playbook', playbook);
    for (const name of names) assert.match(second, new RegExp(`${name} +: ok=3 +changed=0 +unreachable=0 +failed=0`));
  });
});
