// Auto scaling groups by ionosctl, where it is installed: by IONOS_API_URL and by the proxy.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  addGroup,
  autoscaling,
  gone,
  groupIn,
  replicaConfiguration,
  serversOf,
  untilSettled,
} from '../../harness/autoscaling.ts';
import { addDatacenter, read } from '../../harness/landscape.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { wayTo, workFolder } from '../run.ts';
import { type Ctl, ctlOf } from './ionosctl.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl and auto scaling groups', { skip: ionosctl.skip ?? false }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const home = workFolder(t);
  for (const name of ['direct', 'proxy'] as const) {
    const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, name, home));
    await t.test(name, (inner) => journey(inner, ctl, region, home));
  }
});

async function journey(t: TestContext, ctl: Ctl, region: Region, folder: string): Promise<void> {
  const { tag } = ctl;
  const call = (...args: string[]): string[] => ['vm-autoscaling', ...args, '--force'];
  const datacenter = await addDatacenter(region);
  const body = (name: string, more: object): string => {
    const file = join(folder, `${tag}-${name}.json`);
    writeFileSync(file, JSON.stringify({ properties: groupIn(datacenter, { name: tag, ...more }) }));
    return file;
  };
  let id = '';
  let path = '';

  await t.test('[SCALE-01] group create --json-properties, and list with the count of replicas', async () => {
    const made = await ctl.shown(
      ...call('group', 'create', '--json-properties', body('first', { minReplicaCount: 2 })),
    );
    id = made.id;
    path = `${autoscaling}/groups/${id}`;
    await untilSettled(region, path);
    assert.match(await ctl.text(...call('group', 'list')), new RegExp(`${id}.*${tag}`));
    const counted = await ctl.text(...call('group', 'list', '--depth', '2', '--cols', 'GroupId,Replicas,State'));
    assert.match(counted, new RegExp(`${id}\\s+2\\s+AVAILABLE`));
    assert.equal((await read(region, path)).properties.name, tag);
  });
  await t.test("group get can't be called: it requires a flag that it does not have", async () => {
    assert.match(await ctl.fails(...call('group', 'get', '--group-id', id)), /requires at least 2 options/);
  });
  await t.test(
    "[SCALE-03] a group with a zone and a CPU family that it can't read does not break its list",
    async () => {
      const unreadable = { ...replicaConfiguration, availabilityZone: 'ZONE_1', cpuFamily: 'INTEL_ICELAKE' };
      const other = await addGroup(region, { replicaConfiguration: unreadable }, datacenter);
      assert.match(await ctl.text(...call('group', 'list')), new RegExp(other.id));
      await ctl.text(...call('group', 'delete', '--group-id', other.id));
      await gone(region, other.path);
    },
  );
  await t.test('action list; action get requests a wrong path', async () => {
    const [action] = (await read(region, `${path}/actions`)).items;
    const listed = await ctl.text(...call('action', 'list', '--group-id', id));
    assert.match(listed, new RegExp(`${action?.id}\\s+${id}`));
    // It puts the two ids into the path in the wrong order, so nothing is found.
    const got = ['action', 'get', '--group-id', id, '--action-id', String(action?.id)];
    assert.match(await ctl.fails(...call(...got)), /404 Not Found/);
  });
  await t.test('[SCALE-07] server list and get, with their servers in the datacenter', async () => {
    const [server] = (await read(region, `${path}/servers`)).items;
    const listed = await ctl.text(...call('server', 'list', '--group-id', id));
    for (const one of await serversOf(region, { path }))
      assert.match(listed, new RegExp(String(one.split('/').at(-1))));
    const got = await ctl.text(...call('server', 'get', '--group-id', id, '--server-id', String(server?.id)));
    assert.match(got, new RegExp(String(server?.properties.name)));
  });
  await t.test('[SCALE-02] refusals are shown with their message', async () => {
    const said = await ctl.fails(...call('group', 'create', '--json-properties', body('none', { minReplicaCount: 0 })));
    assert.match(said, /minReplicaCount\] Attribute value 0 is below the minimum of 1/);
  });
  await t.test('group put --json-properties: the new bounds apply at once', async () => {
    const file = body('second', { minReplicaCount: 3, maxReplicaCount: 4 });
    await ctl.text(...call('group', 'put', '--group-id', id, '--json-properties', file));
    await untilSettled(region, path);
    assert.equal((await serversOf(region, { path })).length, 3);
  });
  await t.test('group delete: its replicas are deleted with it', async () => {
    await ctl.text(...call('group', 'delete', '--group-id', id));
    await gone(region, path);
    assert.deepEqual((await read(region, `${datacenter}/servers`)).items, []);
  });
}
