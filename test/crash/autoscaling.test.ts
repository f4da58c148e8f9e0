// The operation of a scaling action, broken at every step of scale out and scale in by kill -9: after the restart it
// continues, the count is right, no server, volume or address is left over, and the targets are those of the replicas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { addGroup, type GroupOfTest, replicaConfiguration, serversOf, untilSettled } from '../harness/autoscaling.ts';
import { assertWhole } from '../harness/invariants.ts';
import { read } from '../harness/landscape.ts';
import { startNodes } from '../harness/nodes.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';
import { plant, planted } from './scenes.ts';

interface Point {
  kind: string;
  step: string;
  when?: 'after';
}

// The steps of all parts, in the order in which they come.
const ways: Record<string, { count: number; points: Point[] }> = {
  'scale out': {
    count: 3,
    points: [
      { kind: 'autoscalinggroup', step: 'scale.scale' },
      { kind: 'autoscalinggroup', step: 'scale.scale', when: 'after' },
      { kind: 'server', step: 'create.allocate' },
      { kind: 'nic', step: 'create.connect' },
      { kind: 'volume', step: 'create.allocate', when: 'after' },
      { kind: 'targetgroup', step: 'change.reconfigure' },
      { kind: 'server', step: 'create.boot', when: 'after' },
      { kind: 'autoscalinggroup', step: 'scale.commit' },
    ],
  },
  'scale in': {
    count: 1,
    points: [
      { kind: 'autoscalinggroup', step: 'scale.scale' },
      { kind: 'server', step: 'remove.halt' },
      { kind: 'server', step: 'remove.release', when: 'after' },
      { kind: 'volume', step: 'remove.release' },
      { kind: 'autoscalinggroup', step: 'scale.commit' },
    ],
  },
};

interface Scene {
  group: GroupOfTest;
  targets: string; // the path of the target group
}

async function targeted(region: Region): Promise<Scene> {
  const properties = { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'HTTP' };
  const { id } = await createDone(region, `${core}/targetgroups`, { properties });
  const nics = [{ lan: 1, name: 'inside', targetGroup: { targetGroupId: id, port: 80, weight: 1 } }];
  const more = { minReplicaCount: 2, replicaConfiguration: { ...replicaConfiguration, nics } };
  const group = await addGroup(region, more);
  return { group, targets: `${core}/targetgroups/${id}` };
}

// All servers of the datacenter belong to replicas, and the targets are theirs.
async function assertConsistent(region: Region, { group, targets }: Scene, count: number): Promise<void> {
  const { entities } = await read(region, `${group.datacenter}?depth=4`);
  const servers = entities.servers?.items ?? [];
  assert.equal(servers.length, count);
  assert.equal(entities.volumes?.items.length, count, 'a volume for each');
  const own = (await serversOf(region, group)).map((path) => path.split('/').at(-1));
  assert.deepEqual(servers.map(({ id }) => id).sort(), own.sort());
  const ips = servers.flatMap(({ entities: { nics } }) =>
    (nics?.items ?? []).map(({ properties }) => String(properties.ips)),
  );
  const joined = (await read(region, targets)).properties.targets as { ip: string }[];
  assert.deepEqual(joined.map(({ ip }) => ip).sort(), ips.sort());
}

const change = (region: Region, { path, properties }: GroupOfTest, count: number) =>
  region.call('PUT', path, { properties: { ...properties, minReplicaCount: count, maxReplicaCount: count } });

const untilStruck = (region: Region): Promise<object[]> =>
  until(
    'the fault strikes',
    () => planted(region),
    ({ length }) => length === 0,
  );

for (const [name, { count, points }] of Object.entries(ways))
  test(`[GEN-06] [SCALE-08] a kill -9 at every step of ${name} is gone on with, once`, async (t) => {
    await using region = await startRegion();
    for (const point of points)
      await t.test(`${point.when ?? 'before'} ${point.kind} ${point.step}`, async () => {
        const scene = await targeted(region);
        const before = (await read(region, `${scene.group.path}/actions`)).items.length;
        await plant(region, [{ when: 'before', ...point, mode: 'stall' }]);
        const put = await change(region, scene.group, count);
        assert.equal(put.status, 202, JSON.stringify(put.body));
        await untilStruck(region);
        await region.kill();
        await region.start();
        await plant(region, []);
        const actions = await untilSettled(region, scene.group.path);
        assert.deepEqual([actions.length, actions[0]?.properties.actionStatus], [before + 1, 'SUCCESSFUL']);
        await assertConsistent(region, scene, count);
        await assertWhole(region.data);
      });
  });

// The PUT is answered when the operation is accepted, so a kill before that must leave an action that is still begun.
test('[GEN-06] an action that was begun and not started is started by the next process', async () => {
  await using region = await startRegion();
  const scene = await targeted(region);
  await plant(region, [{ kind: 'targetgroup', step: 'change.reconfigure', mode: 'stall' }]);
  // While the target group is changed by another request, the action can't start.
  const stalled = await region.call('PATCH', scene.targets, { name: 'busy' });
  assert.equal(stalled.status, 202);
  await untilStruck(region);
  assert.equal((await change(region, scene.group, 3)).status, 202);
  const [action] = (await read(region, `${scene.group.path}/actions`)).items;
  assert.equal(action?.properties.actionStatus, 'IN_PROGRESS');
  assert.equal((await read(region, `${scene.group.datacenter}/servers`)).items.length, 2);
  await region.kill();
  await region.start();
  await plant(region, []);
  await region.call('PUT', '/lab/clock', { advanceMs: 60_000 });
  const actions = await untilSettled(region, scene.group.path);
  assert.deepEqual([actions[0]?.id, actions[0]?.properties.actionStatus], [action?.id, 'SUCCESSFUL']);
  await assertConsistent(region, scene, 3);
  await assertWhole(region.data);
});

test('[GEN-06] two processes on one state scale a group once, and one continues when the other is killed', async () => {
  await using nodes = await startNodes(2, ['--pace', '5']);
  const [one, other] = nodes.all as [Region, Region];
  const scene = await targeted(one);
  await one.call('PUT', `/lab/groups/${scene.group.id}/load`, { cpuPercent: 300 });
  for (let minutes = 0; minutes < 4; minutes++)
    await Promise.all([one, other].map((node) => node.call('PUT', '/lab/clock', { advanceMs: 60_000 })));
  await untilSettled(other, scene.group.path);
  const actions = (await read(other, `${scene.group.path}/actions`)).items;
  assert.equal(actions.length, 2, JSON.stringify(actions.map(({ properties }) => properties)));
  await assertConsistent(other, scene, 3);
  await plant(one, [{ kind: 'server', step: 'remove.halt', mode: 'stall' }]);
  assert.equal((await change(one, scene.group, 1)).status, 202);
  await untilStruck(one);
  await one.kill();
  const [last] = await untilSettled(other, scene.group.path);
  assert.equal(last?.properties.actionStatus, 'SUCCESSFUL');
  await assertConsistent(other, scene, 1);
});
