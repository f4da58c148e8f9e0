// Auto scaling by measured load, in real time, which takes about four minutes: the machines are real and the API's
// shortest range and cooldown are two minutes.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { isFull } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { addGroup, type GroupOfTest, policy, replicasOf, serversOf } from '../harness/autoscaling.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import { bootVolume, containerOf, inside, makeDatacenter } from '../harness/machines/servers.ts';
import { type Region, startRegion } from '../harness/region.ts';

const found = isFull ? await dockerEngine() : { skip: 'runs with ./cumulet test --full' };

suite('auto scaling on Docker', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  let region: Region;

  before(async () => {
    region = await startRegion({ args: ['--machines', engine.setting] });
  });

  after(async () => {
    await region.stop();
    await engine.stop();
  });

  interface Look {
    value: number | null;
    actions: { type: string; status: string; message?: string }[];
  }
  const look = async ({ id }: GroupOfTest): Promise<Look> => (await region.call<Look>('GET', `/lab/groups/${id}`)).body;
  const untilCount = async (group: GroupOfTest, count: number): Promise<void> => {
    await until(
      `${count} replicas`,
      async () => ({ count: (await replicasOf(region, group)).length, ...(await look(group)) }),
      (seen) => seen.count === count && seen.actions.every(({ status }) => status !== 'IN_PROGRESS'),
      { limitMs: limits.scaling, everyMs: 500 },
    );
  };

  test('[SCALE-09] a busy loop in the replica scales the group out, and an idle group scales in', async () => {
    const { type: _, ...volume } = bootVolume();
    const action = { amount: 1, amountType: 'ABSOLUTE', cooldownPeriod: 'PT2M' };
    const group = await addGroup(
      region,
      {
        maxReplicaCount: 2,
        policy: {
          ...policy,
          range: 'PT2M',
          scaleInThreshold: 20,
          scaleOutThreshold: 40,
          scaleOutAction: action,
          scaleInAction: { ...action, terminationPolicy: 'NEWEST_SERVER_FIRST', deleteVolumes: true },
        },
        replicaConfiguration: {
          cores: 1,
          ram: 256,
          nics: [],
          volumes: [{ ...volume, type: 'HDD', bootOrder: 'AUTO' }],
        },
      },
      await makeDatacenter(region),
    );
    const [first = ''] = await serversOf(region, group);
    await inside(engine, first, 'systemd-run --quiet --unit busy sh -c "while :; do :; done"');
    await untilCount(group, 2);
    const out = (await look(group)).actions[0];
    assert.deepEqual([out?.type, out?.status], ['SCALE_OUT', 'SUCCESSFUL']);
    const second = (await serversOf(region, group)).find((server) => server !== first) ?? '';
    assert.match(await inside(engine, second, 'cat /etc/hostname'), /^web-/, 'the new replica has booted');

    await inside(engine, first, 'systemctl stop busy');
    await untilCount(group, 1);
    const back = (await look(group)).actions[0];
    assert.deepEqual([back?.type, back?.status], ['SCALE_IN', 'SUCCESSFUL']);
    assert.deepEqual(await serversOf(region, group), [first]);
    assert.equal(await containerOf(engine, second), '');
  });
});
