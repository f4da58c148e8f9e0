// Servers on a real machine engine: they boot, hold their files, end by themselves, and leave nothing behind.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import { containerOf, done, idOf, inside, makeDatacenter, makeServer, vmState } from '../harness/machines/servers.ts';
import { type Region, startRegion } from '../harness/region.ts';

const found = await dockerEngine();
const endsInMs = 2000;

suite('servers on Docker', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  let region: Region;
  let datacenter: string;
  let server: string;

  before(async () => {
    region = await startRegion({ args: ['--machines', engine.setting] });
    datacenter = await makeDatacenter(region);
  });

  after(async () => {
    await region.stop();
    await engine.stop();
  });

  test('[CORE-14] a server is DONE when its init runs and sshd listens', async () => {
    server = await makeServer(region, datacenter, 'web-1', {
      sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 ada@example'],
    });
    assert.equal(await inside(engine, server, 'cat /proc/1/comm /etc/hostname'), 'systemd\nweb-1');
    assert.match(await inside(engine, server, 'cat /proc/net/tcp'), /:0016 00000000:0000 0A/);
    assert.equal(
      await inside(engine, server, 'cat /root/.ssh/authorized_keys'),
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 ada@example',
    );
    assert.match(await inside(engine, server, 'grep ^root: /etc/shadow'), /^root:\$6\$/);
    const { body } = await region.call<{ vmState: string; console: string }>('GET', `/lab/machines/${idOf(server)}`);
    assert.equal(body.vmState, 'RUNNING');
    await until('the prompt', async () => {
      const shown = await region.call<{ console: string }>('GET', `/lab/machines/${idOf(server)}`);
      return shown.body.console.endsWith('web-1 login: ');
    });
  });

  test('its init can neither mount nor load modules, and it has no path of the host', async () => {
    const container = await containerOf(engine, server);
    const [status, config] = [
      await inside(engine, server, 'grep CapBnd /proc/1/status'),
      JSON.parse(await engine.docker('inspect', container)) as [
        { HostConfig: { Privileged: boolean; Binds: unknown }; Mounts: { Type: string }[] },
      ],
    ];
    const bounding = BigInt(`0x${status.split(/\s+/)[1]}`);
    const [sysModule, sysRawIo, sysPtrace, sysAdmin, mknod] = [16n, 17n, 19n, 21n, 27n];
    for (const capability of [sysModule, sysRawIo, sysPtrace, sysAdmin, mknod])
      assert.equal((bounding >> capability) & 1n, 0n, `capability ${capability}`);
    assert.equal(config[0].HostConfig.Privileged, false);
    assert.deepEqual([...new Set(config[0].Mounts.map(({ Type }) => Type))], ['volume']);
  });

  test('a program in it may set its host name, without effect', async () => {
    const set = 'systemd-run --quiet --wait hostname other && hostname';
    assert.equal(await inside(engine, server, set), 'web-1');
  });

  test('a machine that powers itself off is SHUTOFF, one that is killed from outside CRASHED', async () => {
    const wait = { limitMs: endsInMs };
    await inside(engine, server, 'echo kept > /root/file; systemctl poweroff').catch(() => undefined);
    await until(
      'SHUTOFF',
      () => vmState(region, server),
      (state) => state === 'SHUTOFF',
      { limitMs: 2 * endsInMs },
    );
    await done(region, 'POST', `${server}/start`);
    assert.equal(await inside(engine, server, 'cat /root/file'), 'kept');
    await engine.docker('kill', await containerOf(engine, server));
    await until(
      'CRASHED',
      () => vmState(region, server),
      (state) => state === 'CRASHED',
      wait,
    );
    await done(region, 'POST', `${server}/start`);
  });

  test('[CORE-17] a snapshot holds the bytes of a running server, and a restore brings them back', async () => {
    const [volume] = (await region.call(`GET`, `${server}/volumes`)).body.items;
    const at = `${datacenter}/volumes/${volume?.id}`;
    await inside(engine, server, 'echo first > /root/state');
    const { body } = await done(region, 'POST', `${at}/create-snapshot`, { properties: { name: 's' } });
    await inside(engine, server, 'echo second > /root/state');
    await done(region, 'POST', `${at}/restore-snapshot`, { properties: { snapshotId: body.id } });
    assert.equal(await inside(engine, server, 'cat /root/state'), 'second', 'until the next boot');
    await done(region, 'POST', `${server}/reboot`);
    assert.equal(await inside(engine, server, 'cat /root/state'), 'first');
    await done(region, 'DELETE', `/cloudapi/v6/snapshots/${body.id}`);
  });

  test('a removed server leaves nothing on the engine, and nothing of others is touched', async () => {
    await engine.docker('volume', 'create', 'mine');
    await engine.docker('create', '--name', 'mine', '--network', 'none', 'cumulet/debian:latest', 'true');
    await done(region, 'DELETE', `${server}?deleteVolumes=true`);
    const left = (): Promise<string[]> =>
      Promise.all([
        engine.docker('ps', '-aq', '--filter', 'label=cumulet.region'),
        engine.docker('volume', 'ls', '-q', '--filter', 'label=cumulet.region'),
      ]);
    await until('nothing is left', left, (all) => all.every((one) => one === ''), { limitMs: limits.machine });
    assert.equal(await engine.docker('ps', '-a', '--format', '{{.Names}}'), 'mine');
    assert.equal(await engine.docker('volume', 'ls', '-q'), 'mine');
  });
});
