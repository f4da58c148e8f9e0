// Auto scaling groups, black box: the API, its rules, and replicas as servers of the datacenter.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  addGroup,
  autoscaling,
  type GroupOfTest,
  gone,
  groupIn,
  policy,
  putGroup,
  replicaConfiguration,
  replicasOf,
  serversOf,
  untilSettled,
} from '../harness/autoscaling.ts';
import { addDatacenter, assertRefused, done, read } from '../harness/landscape.ts';
import { provideBuckets } from '../harness/objects.ts';
import { addPerson, core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../harness/region.ts';

suite('auto scaling groups', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
    await provideBuckets(region, 'flow-logs');
  });
  after(() => region.stop());

  const post = (properties: object, at = autoscaling) => region.call('POST', `${at}/groups`, { properties });

  test('[SCALE-01] a group is made, listed, read, changed and deleted, with actions and servers, at both addresses', async () => {
    const datacenter = await addDatacenter(region);
    const made = await post(groupIn(datacenter, { minReplicaCount: 2 }), '/autoscaling/v1.ea');
    assert.equal(made.status, 202);
    assert.equal(made.body.metadata.state, 'BUSY');
    const [begun] = (made.body as unknown as { startedActions: ResourceBody[] }).startedActions;
    const path = `${autoscaling}/groups/${made.body.id}`;
    const [action] = (await read(region, `${path}/actions`)).items as [ResourceBody];
    assert.equal(action.id, begun?.id);
    assert.equal(action.properties.actionType, 'SCALE_OUT');
    await untilSettled(region, path);
    const ended = await read(region, `${path}/actions/${action.id}`);
    assert.equal(ended.properties.actionStatus, 'SUCCESSFUL');
    assert.deepEqual(
      ['createdDate', 'lastModifiedDate', 'etag', 'state'].filter((name) => !(name in ended.metadata)),
      [],
    );
    for (const base of [autoscaling, '/autoscaling/v1.ea']) {
      const { items, type } = await read(region, `${base}/groups?depth=2.0`);
      const shown = items.find(({ id }) => id === made.body.id);
      assert.deepEqual([type, shown?.metadata.state], ['collection', 'AVAILABLE']);
      assert.equal(shown?.entities.servers?.items.length, 2);
      assert.ok(String(shown?.href).endsWith(`${base}/groups/${made.body.id}`));
    }
    const bare = (await read(region, `${autoscaling}/groups?depth=0`)).items[0] as ResourceBody;
    assert.deepEqual(Object.keys(bare), ['id', 'type', 'href']);
    assert.equal((await read(region, path)).entities.servers?.items, undefined);
    const [server] = (await read(region, `${path}/servers`)).items as [ResourceBody];
    assert.equal((await read(region, `${path}/servers/${server.id}`)).properties.name, server.properties.name);

    const put = await region.call('PUT', path, {
      properties: groupIn(datacenter, { name: 'other', minReplicaCount: 2 }),
    });
    assert.equal(put.status, 202, JSON.stringify(put.body));
    const [newest] = await untilSettled(region, path);
    assert.notEqual(newest?.id, action.id, 'every PUT makes an action, which lists first');
    assert.equal(newest?.properties.actionStatus, 'SUCCESSFUL');
    assert.deepEqual((await read(region, path)).properties.name, 'other');

    const removed = await region.call('DELETE', path);
    assert.deepEqual([removed.status, removed.body], [202, '']);
    await gone(region, path);
    const left = await read(region, `${datacenter}?depth=2`);
    assert.deepEqual([left.entities.servers?.items, left.entities.volumes?.items], [[], []]);
  });

  test('[SCALE-02] at least one replica; min is not above max; over 100 is warned of; over 200 refused', async () => {
    const datacenter = await addDatacenter(region);
    const refuse = async (more: object, ...texts: (string | RegExp)[]) =>
      assertRefused(await post(groupIn(datacenter, more)), ...texts);
    await refuse(
      { minReplicaCount: 0 },
      '[(root).properties.minReplicaCount] Attribute value 0 is below the minimum of 1',
    );
    await refuse({ minReplicaCount: 4 }, '[(root).properties.minReplicaCount] Attribute value 4 is above');
    await refuse({ maxReplicaCount: 201 }, 'above the maximum of 200');
    const updated = await addGroup(region, { minReplicaCount: 2 }, datacenter);
    assert.equal((await putGroup(region, updated, { minReplicaCount: 0 })).status, 202);
    assert.equal((await read(region, updated.path)).properties.minReplicaCount, 1, 'Ansible updates to 0: it is 1');
    const many = await addGroup(region, { maxReplicaCount: 150 }, datacenter);
    const { metadata } = await read(region, many.path);
    assert.match(String((metadata.warnings as string[])[0]), /150 is allowed, but more than 100 are not recommended/);
    const few = await addGroup(region, { maxReplicaCount: 100 }, datacenter);
    assert.equal((await read(region, few.path)).metadata.warnings, undefined);
  });

  test('[SCALE-03] [SCALE-04] the policy has its metrics, units, durations and amounts, and says what is wrong with one', async () => {
    const datacenter = await addDatacenter(region);
    const refuse = async (more: object, ...texts: (string | RegExp)[]) =>
      assertRefused(await post(groupIn(datacenter, { policy: { ...policy, ...more } })), ...texts);
    const at = '[(root).properties.policy';
    await refuse({ metric: 'LOAD' }, `109 ${at}.metric] Attribute value 'LOAD' not allowed`);
    await refuse({ unit: 'PER_DAY' }, `109 ${at}.unit]`);
    await refuse({ range: 'PT1M' }, `${at}.range] 'PT1M' is not within PT2M to P30D`);
    await refuse({ range: 'soon' }, `${at}.range] 'soon' is not an ISO 8601 duration`);
    await refuse(
      { scaleOutThreshold: 39, scaleInThreshold: 10 },
      `${at}.scaleOutThreshold] Attribute value 39 is below`,
    );
    await refuse({ scaleInThreshold: 70 }, `${at}.scaleOutThreshold] Attribute value 70 is not above`);
    const scaleOutAction = { amount: 11, amountType: 'ABSOLUTE', cooldownPeriod: 'PT1M' };
    const scaleInAction = { ...policy.scaleInAction, amount: 201, amountType: 'PERCENTAGE', terminationPolicy: 'BEST' };
    await refuse(
      { scaleOutAction, scaleInAction },
      `${at}.scaleOutAction.amount] Attribute value 11 is above the maximum of 10`,
      `${at}.scaleOutAction.cooldownPeriod] 'PT1M' is not within PT2M to PT24H`,
      `${at}.scaleInAction.amount] Attribute value 201 is above the maximum of 200`,
      `109 ${at}.scaleInAction.terminationPolicy]`,
    );
    for (const metric of ['IN_BYTES', 'IN_PACKETS', 'OUT_BYTES', 'OUT_PACKETS'].map(
      (name) => `INSTANCE_NETWORK_${name}`,
    )) {
      const { path } = await addGroup(region, { policy: { ...policy, metric, unit: 'PER_MINUTE' } }, datacenter);
      const shown = (await read(region, path)).properties.policy as typeof policy;
      assert.deepEqual([shown.metric, shown.unit], [metric, 'PER_MINUTE']);
    }
    const { cooldownPeriod: _, ...unsaid } = policy.scaleOutAction;
    const { range: __, ...shorter } = policy;
    const usual = await addGroup(region, { policy: { ...shorter, scaleOutAction: unsaid } }, datacenter);
    const shown = (await read(region, usual.path)).properties.policy as typeof policy;
    assert.deepEqual([shown.range, shown.scaleOutAction.cooldownPeriod], ['PT2M', 'PT5M']);
  });

  test('the names of declarative configuration are accepted, and answered in the spelling of clients', async () => {
    const datacenter = await addDatacenter(region);
    const action = { amount: 50, amount_type: 'PERCENTAGE', cooldown_period: '5m' };
    const answer = await region.call('POST', `${autoscaling}/groups`, {
      datacenter_id: datacenter.split('/').at(-1),
      name: 'declared',
      min_replica_count: 1,
      max_replica_count: 2,
      policy: {
        metric: 'INSTANCE_CPU_UTILIZATION_AVERAGE',
        range: 'PT24H',
        scale_in_threshold: 33,
        scale_out_threshold: 77,
        unit: 'PERCENTAGE',
        scale_in_action: action,
        scale_out_action: action,
      },
      replica_configuration: {
        cores: 2,
        ram: 2048,
        cpu_family: '',
        availability_zone: 'ZONE_1',
        nic: { lan: 1, name: 'n', dhcp: true },
        volume: {
          image: '',
          image_alias: 'ubuntu:latest',
          name: 'v',
          size: 30,
          type: 'SSD Premium',
          image_password: 'passw0rd1',
        },
      },
    });
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const path = `${autoscaling}/groups/${answer.body.id}`;
    await untilSettled(region, path);
    const { policy: shown, replicaConfiguration: replica } = (await read(region, path)).properties as unknown as {
      policy: typeof policy;
      replicaConfiguration: { availabilityZone?: string; cpuFamily?: string; volumes: Record<string, unknown>[] };
    };
    assert.deepEqual([shown.unit, shown.scaleOutAction.cooldownPeriod], ['TOTAL', 'PT5M']);
    assert.deepEqual([replica.cpuFamily, replica.availabilityZone], [undefined, undefined]);
    const { type, imagePassword, bootOrder } = replica.volumes[0] ?? {};
    assert.deepEqual([type, imagePassword, bootOrder], ['SSD_PREMIUM', undefined, 'AUTO']);
    const [server = ''] = await serversOf(region, { path });
    assert.equal((await read(region, server)).properties.availabilityZone, 'ZONE_1', 'it is kept, though not shown');
    const [volume] = (await read(region, `${server}/volumes?depth=1`)).items;
    assert.equal(volume?.properties.type, 'SSD Premium');
  });

  test('what the core refuses of a replica is refused at once, at its place in the group', async () => {
    const datacenter = await addDatacenter(region);
    const refuse = async (more: object, ...texts: (string | RegExp)[]) =>
      assertRefused(
        await post(groupIn(datacenter, { replicaConfiguration: { ...replicaConfiguration, ...more } })),
        ...texts,
      );
    const [volume] = replicaConfiguration.volumes;
    const at = '[(root).properties.replicaConfiguration';
    await refuse({ cores: 63 }, `${at}.cores] Attribute value 63 is above the maximum of 62`);
    await refuse({ ram: 1000 }, `${at}.ram] Attribute value 1000 is not a multiple of 256`);
    await refuse({ volumes: [{ ...volume, imageAlias: 'nix:latest' }] }, `${at}.volumes.[0].imageAlias] Image nix`);
    await refuse({ volumes: [{ ...volume, image: volume?.imageAlias }] }, `${at}.volumes.[0].imageAlias] Only one of`);
    await refuse({ volumes: [{ ...volume, imagePassword: 'short' }] }, `${at}.volumes.[0].imagePassword]`);
    const rule = { protocol: 'TCP', portRangeStart: 90, portRangeEnd: 80 };
    await refuse(
      { nics: [{ lan: 1, name: 'n', firewallRules: [rule] }] },
      `${at}.nics.[0].firewallRules.[0].portRangeEnd] The end of the range, 80, is below`,
    );
    const targetGroupId = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
    const nic = { lan: 1, name: 'n', targetGroup: { targetGroupId, port: 80, weight: 1 } };
    await refuse({ nics: [nic] }, `${at}.nics.[0].targetGroup.targetGroupId] Target group`);
    assertRefused(
      await post(groupIn('datacenters/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')),
      'datacenter.id] Datacenter 0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b does not exist',
    );
    assert.deepEqual((await read(region, `${datacenter}/servers`)).items, [], 'nothing was made');
  });

  test('[SCALE-07] replicas are servers of the datacenter with all their parts; their names are not ids', async () => {
    const nics = [
      {
        lan: 3,
        name: 'outside',
        firewallActive: true,
        firewallRules: [{ name: 'ssh', protocol: 'TCP', portRangeStart: 22, portRangeEnd: 22 }],
        flowLogs: [{ name: 'log', action: 'ALL', direction: 'INGRESS', bucket: 'flow-logs' }],
      },
    ];
    const group = await addGroup(region, {
      minReplicaCount: 2,
      replicaConfiguration: { ...replicaConfiguration, nics },
    });
    const shown = (await read(region, `${group.datacenter}/servers?depth=5`)).items;
    assert.deepEqual(
      shown.map(({ id }) => id).sort(),
      (await serversOf(region, group)).map((path) => path.split('/').at(-1)).sort(),
    );
    for (const { id, properties, entities, metadata } of shown) {
      const name = String(properties.name);
      assert.match(name, /^web-[0-9a-f]{8}$/);
      assert.deepEqual([metadata.state, properties.vmState], ['AVAILABLE', 'RUNNING']);
      const [nic] = entities.nics?.items ?? [];
      assert.deepEqual([nic?.properties.lan, entities.volumes?.items.length], [3, 1]);
      assert.equal(nic?.entities.firewallrules?.items[0]?.properties.name, 'ssh');
      assert.equal(nic?.entities.flowlogs?.items[0]?.properties.bucket, 'flow-logs');
      for (const path of [
        `${group.datacenter}/servers/${name}`,
        `${group.path}/servers/${name}`,
        `${group.path}/servers/${id}`,
      ])
        assert.equal((await region.call('GET', path)).status, 404, path);
    }
    const names = (await replicasOf(region, group)).map(({ properties }) => properties.name);
    assert.deepEqual(names.sort(), shown.map(({ properties }) => properties.name).sort());
  });

  test('[SCALE-05] [SCALE-06] another configuration is for new replicas only, and no replica is ever resized', async () => {
    const group = await addGroup(region);
    const [first = ''] = await serversOf(region, group);
    const before = (await read(region, first)).properties;
    const bigger = { ...replicaConfiguration, cores: 4, ram: 4096 };
    assert.equal((await putGroup(region, group, { replicaConfiguration: bigger })).status, 202);
    assert.deepEqual((await read(region, first)).properties, before);
    await putGroup(region, group, { replicaConfiguration: bigger, minReplicaCount: 2 });
    const servers = await Promise.all((await serversOf(region, group)).map((path) => read(region, path)));
    assert.deepEqual(
      servers.map(({ properties }) => [properties.cores, properties.ram]),
      [
        [1, 1024],
        [4, 4096],
      ],
    );
    assert.deepEqual((await read(region, first)).properties, before);
  });

  test('a change of the bounds is enforced at once: fewer go by the termination policy, with their volumes or without', async () => {
    const keeping = { ...policy, scaleInAction: { ...policy.scaleInAction, deleteVolumes: false } };
    const group = await addGroup(region, { minReplicaCount: 3, policy: keeping });
    const [oldest, ...others] = await serversOf(region, group);
    await putGroup(region, group, { minReplicaCount: 1, maxReplicaCount: 2, policy: keeping });
    assert.deepEqual(await serversOf(region, group), others);
    assert.equal((await region.call('GET', String(oldest))).status, 404);
    assert.equal((await read(region, `${group.datacenter}/volumes`)).items.length, 3, 'its volume stays');
    const newest = { ...policy, scaleInAction: { ...policy.scaleInAction, terminationPolicy: 'NEWEST_SERVER_FIRST' } };
    await putGroup(region, group, { minReplicaCount: 1, maxReplicaCount: 1, policy: newest });
    assert.deepEqual(await serversOf(region, group), others.slice(0, 1));
    assert.equal((await read(region, `${group.datacenter}/volumes`)).items.length, 2, 'this one goes with its server');
    const [action] = (await read(region, `${group.path}/actions`)).items;
    assert.equal(action?.properties.actionType, 'SCALE_IN');
  });

  test('a group follows the rights of its datacenter', async () => {
    const group: GroupOfTest = await addGroup(region);
    const person = await addPerson(region);
    const options = { token: person.token };
    assert.equal((await region.call('GET', group.path, undefined, options)).status, 404);
    assert.deepEqual((await region.call('GET', `${autoscaling}/groups`, undefined, options)).body.items, []);
    const refused = await region.call('POST', `${autoscaling}/groups`, { properties: group.properties }, options);
    assert.equal(refused.status, 403, 'they can have no datacenter');
    const team = await createDone(region, `${core}/um/groups`, { properties: { name: 'team' } });
    await done(region, 'POST', `${core}/um/groups/${team.id}/users`, { id: person.user.id });
    const share = `${core}/um/groups/${team.id}/shares/${group.properties.datacenter.id}`;
    await done(region, 'POST', share, { properties: { editPrivilege: false } });
    assert.equal((await region.call('GET', group.path, undefined, options)).status, 200);
    assert.equal((await region.call('DELETE', group.path, undefined, options)).status, 403);
  });
});
