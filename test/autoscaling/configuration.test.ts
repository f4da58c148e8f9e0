// The configuration of a group: what a PUT replaces, what is kept and not shown, and what the contract's limits allow.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  addGroup,
  autoscaling,
  groupIn,
  policy,
  putGroup,
  replicaConfiguration,
  serversOf,
} from '../harness/autoscaling.ts';
import { addDatacenter, assertRefused, read } from '../harness/landscape.ts';
import { type Region, startRegion } from '../harness/region.ts';

suite('configurations of groups', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  test('[SCALE-01] a PUT replaces: it needs what a POST needs, and other omitted values get their defaults', async () => {
    const rich = {
      policy: { ...policy, range: 'PT1H', scaleInAction: { ...policy.scaleInAction, terminationPolicy: 'RANDOM' } },
      replicaConfiguration: { ...replicaConfiguration, cpuFamily: 'INTEL_SKYLAKE' },
    };
    const group = await addGroup(region, rich);
    const { name: _, ...nameless } = group.properties;
    assertRefused(
      await region.call('PUT', group.path, { properties: nameless }),
      '100 [(root).properties.name] Attribute is required',
    );
    const bare = await region.call('PUT', group.path, { properties: {} });
    const missing = ['datacenter', 'name', 'minReplicaCount', 'maxReplicaCount', 'policy', 'replicaConfiguration'];
    assertRefused(bare, ...missing.map((name) => `[(root).properties.${name}] Attribute is required`));
    const { range: __, scaleInAction, ...spare } = policy;
    const { terminationPolicy: ___, deleteVolumes: ____, ...scaleIn } = scaleInAction;
    const put = await putGroup(region, group, { policy: { ...spare, scaleInAction: scaleIn }, replicaConfiguration });
    assert.equal(put.status, 202, JSON.stringify(put.body));
    const { properties } = await read(region, group.path);
    const shown = properties.policy as typeof policy;
    assert.deepEqual(
      [shown.range, shown.scaleInAction.terminationPolicy, shown.scaleInAction.deleteVolumes],
      ['PT2M', 'OLDEST_SERVER_FIRST', false],
    );
    assert.equal((properties.replicaConfiguration as { cpuFamily?: string }).cpuFamily, undefined);
  });

  test('a zone and a CPU family that clients can not read are kept, not shown, and stay when what was read is sent back', async () => {
    const group = await addGroup(region, {
      replicaConfiguration: { ...replicaConfiguration, availabilityZone: 'ZONE_2', cpuFamily: 'INTEL_ICELAKE' },
    });
    const { properties } = await read(region, group.path);
    const shown = properties.replicaConfiguration as Record<string, unknown>;
    assert.deepEqual([shown.availabilityZone, shown.cpuFamily], [undefined, undefined]);
    const replicas = async (): Promise<unknown[]> => {
      const servers = await Promise.all((await serversOf(region, group)).map((path) => read(region, path)));
      return servers.map(({ properties: { availabilityZone, cpuFamily } }) => `${availabilityZone} ${cpuFamily}`);
    };
    assert.deepEqual(await replicas(), ['ZONE_2 INTEL_ICELAKE']);
    await putGroup(region, group, { ...properties, minReplicaCount: 2 });
    assert.deepEqual(await replicas(), ['ZONE_2 INTEL_ICELAKE', 'ZONE_2 INTEL_ICELAKE']);
    const readable = { ...shown, availabilityZone: 'AUTO', cpuFamily: 'INTEL_SKYLAKE' };
    await putGroup(region, group, { ...properties, minReplicaCount: 3, replicaConfiguration: readable });
    assert.deepEqual((await replicas())[2], 'AUTO INTEL_SKYLAKE');
    assert.deepEqual((await read(region, group.path)).properties.replicaConfiguration, readable);
  });

  test('[SCALE-02] a minimum that the limits of the contract do not allow is refused at once; a maximum is not', async () => {
    const datacenter = await addDatacenter(region);
    const huge = { ...replicaConfiguration, cores: 62, ram: 1024 };
    const many = groupIn(datacenter, { minReplicaCount: 200, maxReplicaCount: 200, replicaConfiguration: huge });
    assertRefused(
      await region.call('POST', `${autoscaling}/groups`, { properties: many }),
      /200 \[\(root\)\.properties\.replicaConfiguration\.cores\] The limit coresPerContract of the contract is \d+: \d+ are in use, and 12400 more would exceed it/,
    );
    assert.deepEqual((await read(region, `${datacenter}/servers`)).items, []);
    const group = await addGroup(region, { maxReplicaCount: 200, replicaConfiguration: huge }, datacenter);
    const { status, body } = await putGroup(region, group, { minReplicaCount: 200, maxReplicaCount: 200 });
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal((await read(region, group.path)).properties.minReplicaCount, 1);
  });

  test('what is secret in a volume is never shown, and new replicas get it all the same, also after a PUT without it', async () => {
    const [volume] = replicaConfiguration.volumes;
    const userData = Buffer.from('#cloud-config\n{}').toString('base64');
    const secret = { imagePassword: 'Secret1234', sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA a@b'], userData };
    const configuration = { ...replicaConfiguration, volumes: [{ ...volume, ...secret }] };
    const group = await addGroup(region, { replicaConfiguration: configuration });
    const { properties } = await read(region, group.path);
    for (const text of [secret.imagePassword, userData, 'ssh-ed25519'])
      assert.ok(!JSON.stringify(properties).includes(text));
    await putGroup(region, group, { ...properties, minReplicaCount: 2 });
    const { replicaConfiguration: shown } = properties as { replicaConfiguration: typeof replicaConfiguration };
    const renamed = { ...shown, volumes: shown.volumes.map((one) => ({ ...one, name: 'renamed' })) };
    await putGroup(region, group, { ...properties, minReplicaCount: 3, replicaConfiguration: renamed });
    await region.call('PUT', '/lab/clock', { advanceMs: 2000 }); // a boot takes a second
    const servers = await serversOf(region, group);
    assert.equal(servers.length, 3);
    for (const path of servers) {
      const { console: text } = (
        await region.call<{ console: string }>('GET', `/lab/machines/${path.split('/').at(-1)}`)
      ).body;
      for (const pattern of [/password set for root/, /SSH key installed/, /user data is/]) assert.match(text, pattern);
    }
  });

  test('a secret of a volume is ended by null', async () => {
    const [volume] = replicaConfiguration.volumes;
    const userData = Buffer.from('#cloud-config\n{}').toString('base64');
    const configuration = { ...replicaConfiguration, volumes: [{ ...volume, userData }] };
    const group = await addGroup(region, { replicaConfiguration: configuration });
    const without = { ...replicaConfiguration, volumes: [{ ...volume, userData: null }] };
    await putGroup(region, group, { replicaConfiguration: without, minReplicaCount: 2 });
    await region.call('PUT', '/lab/clock', { advanceMs: 2000 });
    const consoles = await Promise.all(
      (await serversOf(region, group)).map(
        async (path) =>
          (await region.call<{ console: string }>('GET', `/lab/machines/${path.split('/').at(-1)}`)).body.console,
      ),
    );
    assert.deepEqual(
      consoles.map((text) => /user data is/.test(text)),
      [true, false],
      consoles.join('\n---\n'),
    );
  });
});
