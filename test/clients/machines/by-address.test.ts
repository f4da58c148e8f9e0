// Clients that log in to servers at their public addresses: Terraform, Packer and docker-machine. They run in the
// network of the engine's host, which routes these addresses to the machines.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { type DockerEngine, dockerEngine } from '../../harness/machines/docker-engine.ts';
import { relayToHost } from '../../harness/machines/host-relay.ts';
import { core, done, inside, makeDatacenter, serverBody } from '../../harness/machines/servers.ts';
import { ownerPassword, type Region, startRegion } from '../../harness/region.ts';
import { nothingLeft } from '../left.ts';
import { mustRun, wayTo } from '../run.ts';
import { skip as noTerraform, workspace } from '../terraform/terraform.ts';
import { dockerMachine, machineDriver, packer, packerPlugin } from './programs.ts';

const found = isFull ? await dockerEngine() : { skip: 'runs with ./cumulet test --full' };
const [packerProgram, machineProgram] = found.skip === undefined ? [await packer(), await dockerMachine()] : [];
const [noPacker, noMachine] = [packerProgram?.skip ?? false, machineProgram?.skip ?? false];

suite('clients that log in at public addresses', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-by-address-'));
  const key = join(folder, 'key');
  let region: Region;
  let relay: { close(): void } | undefined;

  before(async () => {
    await mustRun(['ssh-keygen', '-q', '-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '', '-f', key]);
    region = await startRegion({ args: ['--machines', engine.setting] });
    relay = await relayToHost(engine, Number(new URL(region.url).port));
  });

  after(async () => {
    relay?.close();
    await region.stop();
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  test('Terraform copies a file and runs commands in a server that it has created', { skip: noTerraform }, async () => {
    const way = await wayTo(region, 'direct', folder);
    const web = workspace(way, join(folder, 'terraform'), 'remote-exec', { tag: 'terraform', key }, engine.onHost);
    await web.apply();
    const server = `${core}/datacenters/${await web.output<string>('server')}`;
    assert.equal(await inside(engine, server, 'cat /root/note'), 'written by Terraform\nterraform-web\nroot');
    await web.isSettled();
    await web.destroy();
  });

  test('Packer logs in and takes a snapshot, from which a server boots', { skip: noPacker }, async () => {
    const { env } = await wayTo(region, 'proxy', folder);
    const options = {
      cwd: folder,
      env: {
        ...env,
        IONOS_USERNAME: region.owner.email,
        IONOS_PASSWORD: ownerPassword,
        PACKER_CONFIG_DIR: folder,
        PACKER_PLUGIN_PATH: join(folder, 'plugins'),
        CHECKPOINT_DISABLE: '1',
      },
      limitMs: limits.clientSuite,
    };
    const run = (...args: string[]) => mustRun([...engine.onHost, packerProgram?.path ?? '', ...args], options);
    cpSync(join(import.meta.dirname, 'packer'), folder, { recursive: true });
    await run('plugins', 'install', '--path', packerPlugin.path ?? '', 'github.com/ionos-cloud/ionoscloud');
    const { stdout } = await run('build', '-color=false', '-var', `key=${key}`, 'web.pkr.hcl');
    assert.match(stdout, /A snapshot was created: 'web'/);

    const { body } = await region.call('GET', `${core}/snapshots`);
    assert.equal(body.items.length, 1);
    const snapshot = body.items[0]?.id ?? '';
    const datacenter = await makeDatacenter(region);
    const volume = { name: 'boot', type: 'HDD', size: 10, image: snapshot };
    const made = await done(region, 'POST', `${datacenter}/servers`, serverBody('copy', [volume]));
    assert.equal(await inside(engine, `${datacenter}/servers/${made.body.id}`, 'cat /root/note'), 'web');
    await done(region, 'DELETE', datacenter);
    await done(region, 'DELETE', `${core}/snapshots/${snapshot}`);
  });

  test('docker-machine logs in, runs a script, stops and removes a server', { skip: noMachine }, async () => {
    const { env } = await wayTo(region, 'direct', folder);
    const programs = join(folder, 'bin');
    mkdirSync(programs);
    symlinkSync(machineDriver.path ?? '', join(programs, 'docker-machine-driver-ionoscloud'));
    const access = { IONOSCLOUD_ENDPOINT: region.url, IONOSCLOUD_TOKEN: region.token };
    const options = {
      cwd: folder,
      env: { ...env, ...access, PATH: `${programs}:${process.env.PATH}` },
      limitMs: limits.clientSuite,
    };
    const machine = async (...args: string[]): Promise<string> => {
      const store = ['--storage-path', join(folder, 'machines')];
      return (await mustRun([...engine.onHost, machineProgram?.path ?? '', ...store, ...args], options)).stdout;
    };
    const script = join(folder, 'script');
    writeFileSync(script, '#!/bin/sh\nhostname > /root/note\n');
    const size = ['--ionoscloud-cores', '1', '--ionoscloud-ram', '1024', '--ionoscloud-disk-size', '10'];
    const image = ['--ionoscloud-image', 'debian:latest', '--ionoscloud-nic-dhcp'];
    const name = 'tool-1'; // the driver waits for a minute unless a name ends with this digit
    await machine('create', '--driver', 'ionoscloud', ...size, ...image, '--custom-install-script', script, name);
    // The driver adds lines of its log.
    assert.match(await machine('ip', name), /^198\.1[89]\./);
    assert.match(await machine('ssh', name, 'cat /root/note'), /^tool-1$/m);
    await machine('stop', name);
    assert.match(await machine('status', name), /^Stopped$/m);
    await machine('rm', '-y', name);
  });

  test('the clients have removed all', (t) => nothingLeft(t, region));
});
