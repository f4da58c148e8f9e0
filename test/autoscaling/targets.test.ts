// Replicas as targets of an application load balancer: they join and leave with actions, and the targets are kept right
// whatever a user does to NICs, target groups, the group or its datacenter.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import {
  addGroup,
  advance,
  autoscaling,
  type GroupOfTest,
  gone,
  putGroup,
  replicaConfiguration,
  replicasOf,
  serversOf,
  untilSettled,
} from '../harness/autoscaling.ts';
import { done, read } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../harness/region.ts';

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

const foreign = '10.9.9.9 80 1';

interface Scene {
  group: GroupOfTest;
  targets: string; // the path of the target group
  inGroup(): Promise<string[]>; // the targets
  own(): Promise<string[]>; // the expected ones: of the NICs, and foreign ones
}

async function balanced(more: object = {}): Promise<Scene> {
  const properties = { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'HTTP' };
  const { id } = await createDone(region, `${core}/targetgroups`, {
    properties: { ...properties, targets: [{ ip: '10.9.9.9', port: 80 }] },
  });
  const targets = `${core}/targetgroups/${id}`;
  const nics = [{ lan: 1, name: 'inside', targetGroup: { targetGroupId: id, port: 8080, weight: 3 } }];
  const replicas = { ...replicaConfiguration, nics };
  const group = await addGroup(region, { minReplicaCount: 2, replicaConfiguration: replicas, ...more });
  const inGroup = async (): Promise<string[]> =>
    ((await read(region, targets)).properties.targets as Record<string, unknown>[])
      .map(({ ip, port, weight }) => `${ip} ${port} ${weight}`)
      .sort();
  const own = async (): Promise<string[]> => {
    const found = [foreign];
    for (const path of await serversOf(region, group))
      for (const { properties: nic } of (await read(region, `${path}/nics?depth=1`)).items)
        found.push(`${String((nic.ips as string[])[0])} 8080 3`);
    return found.sort();
  };
  return { group, targets, inGroup, own };
}

// Lists show a group that is being deleted; reading it gives 404.
const listed = async (id: string): Promise<ResourceBody | undefined> =>
  (await read(region, `${autoscaling}/groups?depth=1`)).items.find((one) => one.id === id);

test('[SCALE-08] replicas join the target group of their NIC with their address, and leave it when they go', async () => {
  const { group, inGroup, own } = await balanced();
  assert.deepEqual(await inGroup(), await own());
  assert.equal((await inGroup()).length, 3);
  await putGroup(region, group, { minReplicaCount: 3 });
  assert.deepEqual(await inGroup(), await own());
  await putGroup(region, group, { minReplicaCount: 1, maxReplicaCount: 1 });
  assert.deepEqual(await inGroup(), await own());
  assert.equal((await inGroup()).length, 2);
  assert.equal((await region.call('DELETE', group.path)).status, 202);
  await gone(region, group.path);
  assert.deepEqual(await inGroup(), [foreign], 'what others put there stays');
});

test('[SCALE-08] a deleted replica is replaced, and its target with it', async () => {
  const { group, inGroup, own } = await balanced();
  const [lost = '', kept = ''] = await serversOf(region, group);
  await done(region, 'DELETE', `${lost}?deleteVolumes=true`);
  await advance(region, 1);
  const servers = await serversOf(region, group);
  assert.ok(servers.length === 2 && servers.includes(kept) && !servers.includes(lost), String(servers));
  assert.deepEqual(await inGroup(), await own());
});

test('[SCALE-08] targets follow the NICs of replicas, and are restored after a removal', async () => {
  const { group, targets, inGroup, own } = await balanced();
  const [first = '', second = ''] = await serversOf(region, group);
  const [nic] = (await read(region, `${first}/nics?depth=1`)).items;
  const address = String(nic?.properties.ips);
  const other = address.replace(/\d+$/, (last) => String(last === '200' ? 201 : 200));
  await done(region, 'PATCH', `${first}/nics/${nic?.id}`, { ips: [other] });
  await advance(region, 1);
  assert.deepEqual(await inGroup(), await own(), 'another address');
  assert.ok((await inGroup()).includes(`${other} 8080 3`));

  await done(region, 'PATCH', targets, { targets: [{ ip: '10.9.9.9', port: 80 }] });
  await advance(region, 1);
  assert.deepEqual(await inGroup(), await own(), 'a target group that was emptied');

  await done(region, 'DELETE', `${first}/nics/${nic?.id}`);
  await advance(region, 1);
  assert.deepEqual(await inGroup(), await own(), 'without its NIC, a replica is not a target');
  assert.equal((await inGroup()).length, 2);
  await done(region, 'POST', `${first}/nics`, { properties: { lan: 1 } });
  await advance(region, 1);
  assert.deepEqual(await inGroup(), await own(), 'it is one again with another NIC in that LAN');
  assert.equal((await inGroup()).length, 3);
  assert.deepEqual((await serversOf(region, group)).sort(), [first, second].sort(), 'no replica was replaced for it');
  assert.equal((await read(region, `${group.path}/actions`)).items.length, 1, 'nor did an action begin');
});

test('[SCALE-08] values that a user sets at a target of a group are kept', async () => {
  const { targets } = await balanced();
  const { properties } = await read(region, targets);
  const drained = (properties.targets as { ip: string }[]).map((one) =>
    one.ip === '10.9.9.9' ? one : { ...one, weight: 7, maintenanceEnabled: true },
  );
  await done(region, 'PATCH', targets, { targets: drained });
  const before = (await read(region, targets)).metadata.etag;
  await advance(region, 1);
  const after = await read(region, targets);
  assert.deepEqual(after.properties.targets, drained);
  assert.equal(after.metadata.etag, before, 'it was not even written');
});

test('[SCALE-08] the targets of a group leave with its deletion, before its servers: the target group can be deleted', async () => {
  const { group, targets, inGroup } = await balanced();
  const stall = { kind: 'server', step: 'remove.halt', mode: 'stall' };
  assert.equal((await region.call('PUT', '/lab/faults', { faults: [stall] })).status, 200);
  assert.equal((await region.call('DELETE', group.path)).status, 202);
  assert.deepEqual(await inGroup(), [foreign]);
  await done(region, 'DELETE', targets);
  assert.equal((await region.call('GET', group.path)).status, 404, 'for clients it is gone');
  assert.equal((await listed(group.id))?.metadata.state, 'BUSY', 'its servers are still being deleted');
  assert.equal((await region.call('PUT', '/lab/faults', { faults: [] })).status, 200);
  await gone(region, group.path);
});

test('[SCALE-08] a deletion that fails leaves the group with its targets', async () => {
  const { group, inGroup, own } = await balanced();
  const fail = { kind: 'server', step: 'remove.halt', mode: 'fail', message: 'not today' };
  assert.equal((await region.call('PUT', '/lab/faults', { faults: [fail] })).status, 200);
  const removal = await region.call('DELETE', group.path);
  assert.equal(removal.status, 202);
  await until(
    'the group is AVAILABLE again',
    () => listed(group.id),
    (shown) => shown?.metadata.state === 'AVAILABLE',
  );
  assert.equal((await region.call('GET', group.path)).status, 200);
  await advance(region, 1);
  assert.deepEqual(await inGroup(), await own());
  assert.equal((await inGroup()).length, 3);
});

test('a group whose datacenter is deleted is INACTIVE, has no replicas and no targets, and can be deleted', async () => {
  const { group, inGroup } = await balanced();
  await done(region, 'DELETE', group.datacenter);
  await advance(region, 1);
  await untilSettled(region, group.path);
  const shown = await read(region, `${group.path}?depth=2`);
  assert.deepEqual([shown.metadata.state, shown.entities.servers?.items], ['INACTIVE', []]);
  assert.deepEqual(await replicasOf(region, group), []);
  assert.deepEqual(await inGroup(), [foreign]);
  const [newest] = shown.entities.actions?.items ?? [];
  assert.deepEqual([newest?.properties.actionType, newest?.properties.actionStatus], ['SCALE_IN', 'SUCCESSFUL']);
  await advance(region, 5);
  assert.equal((await read(region, `${group.path}/actions`)).items.length, 2, 'nothing more is tried');
  assert.equal((await region.call('DELETE', group.path)).status, 202);
  await gone(region, group.path);
});
