// Servers on a real machine engine, in a full run: first boots, disks that move, limits, failures and crashes.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { isFull } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { type DockerEngine, dockerEngine, startDocker } from '../harness/machines/docker-engine.ts';
import {
  bootVolume,
  containerOf,
  core,
  done,
  endOf,
  idOf,
  inside,
  makeDatacenter,
  makeServer,
  serverBody,
  vmState,
} from '../harness/machines/servers.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';

const found = isFull ? await dockerEngine() : { skip: 'only in a full run (--full)' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const slow = { limitMs: limits.machine, everyMs: 250 };

suite('operations on Docker', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  let region: Region;
  let datacenter: string;

  before(async () => {
    region = await startRegion({ args: ['--machines', engine.setting] });
    datacenter = await makeDatacenter(region);
  });

  after(async () => {
    await region.stop();
    await engine.stop();
  });

  const consoleOf = async (server: string): Promise<string> =>
    (await region.call<{ console: string }>('GET', `/lab/machines/${idOf(server)}`)).body.console;
  const remove = (server: string) => done(region, 'DELETE', `${server}?deleteVolumes=true`);
  const firstVolume = async (server: string): Promise<string> =>
    String((await region.call('GET', `${server}/volumes`)).body.items[0]?.id);

  test('[CORE-14] user data is applied once: #cloud-config, and a service that runs again after a reboot', async () => {
    const config = `#cloud-config
write_files:
- path: /etc/systemd/system/mine.service
  content: |
    [Service]
    Type=oneshot
    ExecStart=/bin/sh -c 'echo started >> /root/starts'
    [Install]
    WantedBy=multi-user.target
runcmd:
- echo ran >> /root/runs
- systemctl enable --now mine.service
`;
    const server = await makeServer(region, datacenter, 'cloud-1', { userData: base64(config) });
    const starts = (): Promise<string> => inside(engine, server, 'cat /root/starts').catch(() => '');
    await until('the service ran', starts, (text) => text === 'started', slow);
    await done(region, 'POST', `${server}/reboot`);
    await until('the service ran again', starts, (text) => text === 'started\nstarted', slow);
    await inside(engine, server, 'cloud-init status --wait');
    assert.equal(await inside(engine, server, 'cat /root/runs'), 'ran');
    assert.match(await consoleOf(server), /Cloud-init v\. .* finished/);
    await remove(server);
  });

  test('[CORE-14] a script runs, and wrong user data is visible on the console without failing the request', async () => {
    const script = await makeServer(region, datacenter, 'script-1', {
      userData: base64('#!/bin/sh\necho ran > /root/ran\n'),
    });
    const ran = (): Promise<string> => inside(engine, script, 'cat /root/ran').catch(() => '');
    await until('the script ran', ran, (text) => text === 'ran', slow);
    await remove(script);
    const wrong = await makeServer(region, datacenter, 'wrong-1', { userData: base64('#cloud-config\nruncmd: [\n') });
    const text = (): Promise<string> => consoleOf(wrong);
    await until('the error is shown', text, (shown) => /(?:Failed|failed|WARNING)/.test(shown), slow);
    await remove(wrong);
  });

  test('[CORE-15] a boot volume is changed by another server, moved back and booted', async () => {
    const owner = await makeServer(region, datacenter, 'owner-1');
    await inside(engine, owner, 'echo mine > /root/file');
    const volume = await firstVolume(owner);
    await done(region, 'POST', `${owner}/stop`);
    await done(region, 'DELETE', `${owner}/volumes/${volume}`);
    const other = await makeServer(region, datacenter, 'other-1');
    await done(region, 'POST', `${other}/volumes`, { id: volume });
    assert.equal(await inside(engine, other, `ls /mnt/${volume}`).catch(() => 'not there'), 'not there');
    await done(region, 'POST', `${other}/reboot`);
    assert.equal(await inside(engine, other, `cat /mnt/${volume}/root/file`), 'mine');
    await inside(engine, other, `echo changed > /mnt/${volume}/root/file`);
    await done(region, 'POST', `${other}/stop`);
    await done(region, 'DELETE', `${other}/volumes/${volume}`);
    await done(region, 'POST', `${owner}/volumes`, { id: volume });
    await done(region, 'PATCH', owner, { bootVolume: { id: volume } });
    await done(region, 'POST', `${owner}/start`);
    assert.equal(await inside(engine, owner, 'cat /root/file'), 'changed');
    for (const server of [owner, other]) await remove(server);
  });

  test('cores and memory grow while the machine runs, and shrink by a reboot', async () => {
    const server = await makeServer(region, datacenter, 'size-1');
    const facts = async (): Promise<string> => {
      const format = '{{.HostConfig.Memory}} {{.HostConfig.CpuQuota}} {{index .Config.Labels "cumulet.boot"}}';
      return engine.docker('inspect', '-f', format, await containerOf(engine, server));
    };
    await done(region, 'PATCH', server, { cores: 2, ram: 512 });
    assert.equal(await facts(), `${512 * 1024 * 1024} 200000 1`);
    await done(region, 'PATCH', server, { ram: 256 });
    assert.equal(await facts(), `${256 * 1024 * 1024} 200000 2`);
    await remove(server);
  });

  test('usage is measured: a busy machine shows it, and the lab sets no load', async () => {
    const server = await makeServer(region, datacenter, 'busy-1');
    await engine.docker('exec', '-d', await containerOf(engine, server), 'sh', '-c', 'while :; do :; done');
    const used = async (): Promise<number> =>
      (await region.call<{ usage: { cpuPercent: number } }>('GET', `/lab/machines/${idOf(server)}`)).body.usage
        .cpuPercent;
    await until('the machine is busy', used, (percent) => percent > 10, slow);
    const { status, body } = await region.call('PUT', `/lab/machines/${idOf(server)}/load`, { cpuPercent: 90 });
    assert.equal(status, 422);
    assert.match(body.messages[0]?.message ?? '', /engine "docker" measures/);
    await remove(server);
  });

  test('a reboot from inside boots the machine again', async () => {
    const server = await makeServer(region, datacenter, 'reboot-1');
    await inside(engine, server, 'systemctl reboot').catch(() => undefined);
    const boots = async (): Promise<number> =>
      (await region.call<{ boots: number }>('GET', `/lab/machines/${idOf(server)}`)).body.boots;
    await until('the second boot', boots, (count) => count === 2, slow);
    await until(
      'it answers',
      () =>
        inside(engine, server, 'true').then(
          () => true,
          () => false,
        ),
      undefined,
      slow,
    );
    assert.equal(await vmState(region, server), 'RUNNING');
    await remove(server);
  });

  test('too much memory and a missing image end the request FAILED with the reason, and everything is undone', async () => {
    const limited = await startRegion({ args: ['--machines', engine.setting, '--machines-memory', '600'] });
    try {
      const place = await makeDatacenter(limited);
      const first = await makeServer(limited, place, 'first-1');
      const large = await limited.call(
        'POST',
        `${place}/servers`,
        serverBody('second-1', [bootVolume()], { ram: 512 }),
      );
      const refused = await endOf(limited, large);
      assert.equal(refused.status, 'FAILED');
      assert.match(refused.message, /may use 600 MB.*256 MB are in use.*needs 512 MB/);
      const ubuntu = bootVolume({ imageAlias: 'ubuntu:latest' });
      const missing = await endOf(limited, await limited.call('POST', `${place}/servers`, serverBody('u-1', [ubuntu])));
      assert.equal(missing.status, 'FAILED');
      assert.match(missing.message, /reach an image registry|no such image/);
      assert.equal((await limited.call('GET', `${place}/servers`)).body.items.length, 1);
      assert.equal((await limited.call('GET', `${place}/volumes`)).body.items.length, 1);
      await done(limited, 'DELETE', `${first}?deleteVolumes=true`);
      await makeServer(limited, place, 'third-1');
    } finally {
      await limited.stop();
    }
  });

  test('a save point and a backup are refused and name the engine; another engine is refused with the remedy', async () => {
    const server = await makeServer(region, datacenter, 'kept-1');
    const saved = await cumulet(['savepoint', 'create', 'a', '--data', region.data]);
    assert.match(saved.stderr, /A save point would lack the contents of the disks.*"docker"/);
    const backedUp = await cumulet(['state', 'backup', `${region.data}/b.backup`, '--data', region.data]);
    assert.match(backedUp.stderr, /A backup would lack the contents of the disks.*"docker"/);
    await region.halt('SIGTERM');
    assert.equal(await containerOf(engine, server), '', 'the machine was shut down with the region');
    const other = await cumulet(['up', '--port', '0', '--data', region.data]);
    assert.notEqual(other.code, 0);
    assert.match(other.stderr, /servers or disks of the machine engine "docker".*--machines docker/s);
    await region.start();
    const runs = (): Promise<boolean> =>
      inside(engine, server, 'true').then(
        () => true,
        () => false,
      );
    await until('it boots with the region', runs, undefined, slow);
    await remove(server);
  });

  test('without an engine `up` fails with the reason and the remedy', async () => {
    const { code, stderr } = await cumulet([
      ...['up', '--port', '0', '--data', `${region.data}-none`],
      ...['--machines', 'docker+unix:///nowhere/docker.sock'],
    ]);
    assert.notEqual(code, 0);
    assert.match(stderr, /the socket does not exist.*Install and start Docker.*--machines simulated/s);
  });

  test('machines that are kept by `down` are found again', async () => {
    const server = await makeServer(region, datacenter, 'stays-1');
    const container = await containerOf(engine, server);
    await inside(engine, server, 'touch /run/since-boot');
    await cumulet(['down', '--keep-machines', '--data', region.data]);
    assert.equal(await engine.docker('inspect', '-f', '{{.State.Running}}', container), 'true');
    await region.kill();
    await region.start();
    assert.equal(await containerOf(engine, server), container);
    await inside(engine, server, 'ls /run/since-boot');
    assert.equal(await vmState(region, server), 'RUNNING');
    await remove(server);
  });

  test('20 rounds of kill -9 lose no disk and leave no orphan and no duplicate', async () => {
    const rounds = 20;
    const server = await makeServer(region, datacenter, 'steady-1');
    const volume = await firstVolume(server);
    await inside(engine, server, 'echo kept > /root/kept; sync');
    const works = [
      () => region.call('POST', `${datacenter}/servers`, serverBody('new-1', [bootVolume()])),
      () => region.call('POST', `${server}/reboot`),
      () => region.call('POST', `${datacenter}/volumes/${volume}/create-snapshot`, { properties: { name: 's' } }),
      () => region.call('POST', `${server}/stop`).then(() => region.call('POST', `${server}/start`)),
    ];
    for (let round = 0; round < rounds; round++) {
      await works[round % works.length]?.().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, (round * 137) % 1500)); // deadline
      await region.kill();
      await region.start();
      const idle = async (): Promise<boolean> =>
        (await region.call<{ running: number }>('GET', '/lab/idle')).body.running === 0;
      await until('the region is idle', idle, undefined, slow);
      const { body } = await region.call('GET', `${datacenter}/servers?depth=1`);
      for (const { id, properties } of body.items)
        if (properties.name === 'new-1') await done(region, 'DELETE', `${datacenter}/servers/${id}?deleteVolumes=true`);
      for (const { id } of (await region.call('GET', `${core}/snapshots`)).body.items)
        await done(region, 'DELETE', `${core}/snapshots/${id}`);
    }
    if ((await vmState(region, server)) !== 'RUNNING') await done(region, 'POST', `${server}/start`);
    const kept = (): Promise<string> => inside(engine, server, 'cat /root/kept').catch(() => '');
    await until('the file', kept, (text) => text === 'kept', slow);
    const container = await containerOf(engine, server);
    const regionId = await engine.docker('inspect', '-f', '{{index .Config.Labels "cumulet.region"}}', container);
    const ours = `label=cumulet.region=${regionId}`;
    const left = (): Promise<string[]> =>
      Promise.all([
        engine.docker('ps', '-aq', '--filter', ours, '--filter', 'label=cumulet.machine'),
        engine.docker('volume', 'ls', '-q', '--filter', ours),
      ]);
    const isOne = (all: string[]): boolean => all.every((one) => one.split('\n').length === 1);
    await until('one machine and one disk are left', left, isOne, slow);
    await remove(server);
  });

  test('when the engine ends, a request fails with the reason; the next one works when it is back', async () => {
    const other = (await startDocker()) as DockerEngine;
    const alone = await startRegion({ args: ['--machines', other.setting] });
    try {
      const place = await makeDatacenter(alone);
      await other.stop();
      const answer = await alone.call('POST', `${place}/servers`, serverBody('gone-1', [bootVolume()]));
      const { status, message } = await endOf(alone, answer);
      assert.equal(status, 'FAILED');
      assert.match(message, /The Docker Engine at .* does not answer/);
      assert.equal((await alone.call('GET', `${place}/servers`)).body.items.length, 0);
    } finally {
      await alone.stop();
    }
  });
});
