// Terraform with servers of three kinds and their devices, configured only with an endpoint or a proxy, and a token.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Region, type ResourceBody, startRegion } from '../../harness/region.ts';
import { nothingLeft } from '../left.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

test('Terraform on servers', { skip, concurrency: true }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  const ways = await Promise.all((['direct', 'proxy'] as const).map((name) => wayTo(region, name, folder)));
  await Promise.all(
    ways.map((way) => t.test(way.name, (inner) => journey(inner, region, way, join(folder, `servers-${way.name}`)))),
  );
  await nothingLeft(t, region);
});

const born = {
  cores: 2,
  ram: 2048,
  size: 10,
  port: 80,
  stage: 'test',
  vm_state: 'RUNNING',
  cube: 'RUNNING',
  boot: 'data',
};
const grown = { ...born, cores: 3, ram: 3072, size: 12, port: 8080, stage: 'live' };

async function journey(t: TestContext, region: Region, way: Way, folder: string): Promise<void> {
  const tag = `tf${way.name}`;
  const first = workspace(way, folder, 'servers', { tag, wish: born });

  await t.test('[CORE-25] [CORE-18] apply creates everything; data sources find it', async () => {
    assert.match(await first.apply(), /18 added, 0 changed, 0 destroyed/);
    assert.deepEqual(await first.output('seen'), {
      contract: region.contract,
      datacenter: true,
      image: true,
      template: 'Basic Cube M',
      volumes: ['system', 'data'],
      nics: ['outside', 'inside'],
      rules: ['http', 'ping'],
      cube: 'DAS',
      shared: 'VCPU',
      servers: [`${tag}-web-0`, `${tag}-web-1`],
      volume: 10,
      nic: true,
      rule: 80,
      failover: [true],
      consumers: 3,
      snapshot: 10,
    });
  });
  await t.test('[CORE-04] a plan right after it finds nothing to change', () => first.isSettled());
  await t.test('[CORE-19] mutable properties change in place, and settle; a CD-ROM is booted from', async () => {
    const second = first.with({ wish: { ...grown, vm_state: 'SHUTOFF', cube: 'SUSPENDED', boot: 'cdrom' } });
    assert.match(await second.apply(), /0 added, 8 changed, 0 destroyed/);
    await second.isSettled();
    const { volume, rule } = await second.output<{ volume: number; rule: number }>('seen');
    assert.deepEqual({ volume, rule }, { volume: 12, rule: 8080 });
    const { bootCdrom, bootVolume, cores, vmStates } = await machines(region, tag);
    assert.ok(bootCdrom && !bootVolume);
    assert.deepEqual({ cores, vmStates }, { cores: 3, vmStates: ['RUNNING', 'SHUTOFF', 'SUSPENDED', 'RUNNING'] });
  });
  await t.test('[CORE-12] [CORE-19] the server starts, the Cube resumes, the network is booted from', async () => {
    const third = first.with({ wish: { ...grown, boot: 'network' } });
    assert.match(await third.apply(), /0 added, 3 changed, 0 destroyed/);
    const { bootCdrom, bootVolume, vmStates } = await machines(region, tag);
    assert.ok(!bootCdrom && !bootVolume);
    assert.deepEqual(vmStates, ['RUNNING', 'RUNNING', 'RUNNING', 'RUNNING']);
  });
  const last = first.with({ wish: { ...grown, boot: 'system' } });
  await t.test('[CORE-19] and its own volume again', async () => {
    assert.match(await last.apply(), /0 added, 1 changed, 0 destroyed/);
    await last.isSettled();
    const { bootVolume, volumes } = await machines(region, tag);
    assert.equal(bootVolume, volumes[0]);
  });
  await t.test('[CORE-01] imported resources equal the created ones', async () => {
    await last.importAll(['ionoscloud_server.web[0]']); // an import takes one rule of a server
    await last.isSettled();
  });
  await t.test('[CORE-05] destroy deletes everything', async () => {
    assert.match(await last.destroy(), /18 destroyed/);
  });
}

// The state according to the region, because Terraform does not read it if a server has no boot device.
async function machines(region: Region, tag: string) {
  const [datacenter] = (await region.call('GET', `/cloudapi/v6/datacenters?filter.name=${tag}-dc`)).body.items;
  const { body } = await region.call('GET', `/cloudapi/v6/datacenters/${datacenter?.id}/servers?depth=3`);
  const named = (name: string): ResourceBody =>
    body.items.find(({ properties }) => properties.name === `${tag}-${name}`) as ResourceBody;
  const { properties, entities } = named('web-0');
  const [bootCdrom, bootVolume] = [properties.bootCdrom, properties.bootVolume] as (ResourceBody | null)[];
  return {
    bootCdrom: bootCdrom?.id,
    bootVolume: bootVolume?.id,
    volumes: (entities.volumes?.items ?? []).map(({ id }) => id),
    cores: properties.cores,
    vmStates: ['web-0', 'web-1', 'cube', 'vcpu'].map((name) => named(name).properties.vmState),
  };
}
