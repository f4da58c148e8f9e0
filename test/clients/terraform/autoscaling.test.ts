// Auto scaling groups by Terraform, where it is installed with the platform's provider.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { autoscaling, gone, serversOf } from '../../harness/autoscaling.ts';
import { read } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

interface Seen {
  id: string;
  found: string;
  datacenter: string;
  targets: string;
  servers: number;
}

// The slow one is for `destroy`: the provider does not wait for the end of a group, and deletes the target group while
// replicas are still leaving.
const paces = { direct: '400', proxy: '20' } as const;

test('Terraform and auto scaling groups', { skip }, async (t) => {
  const folder = workFolder(t);
  for (const name of ['direct', 'proxy'] as const) {
    await using region = await startRegion({ args: ['--pace', paces[name]] });
    const way = await wayTo(region, name, folder);
    await t.test(name, (inner) => journey(inner, region, way, join(folder, `terraform-${name}-scaling`)));
  }
});

async function journey(t: TestContext, region: Region, way: Way, folder: string): Promise<void> {
  const tag = `tf${way.name}scaling`;
  const first = workspace(way, folder, 'autoscaling', { tag });
  const second = first.with({ least: '2', cores: '2' });
  let made: Seen;
  const cores = async (): Promise<unknown[]> => {
    const paths = await serversOf(region, { path: `${autoscaling}/groups/${made.id}` });
    return Promise.all(paths.map(async (path) => (await read(region, path)).properties.cores));
  };
  const targets = async (): Promise<number> =>
    ((await read(region, `${core}/targetgroups/${made.targets}`)).properties.targets as unknown[]).length;

  await t.test('[SCALE-01] apply creates the group and waits for its replicas, which are targets', async () => {
    assert.match(await first.apply(), /4 added, 0 changed, 0 destroyed/);
    made = await first.output<Seen>('seen');
    assert.deepEqual([made.found, made.servers], [made.id, 1]);
    assert.deepEqual([await cores(), await targets()], [[1], 1]);
  });
  await t.test('a plan right after it finds nothing to change', () => first.isSettled());
  await t.test('[SCALE-06] a change is made in place: another replica, of the new size', async () => {
    assert.match(await second.apply(), /0 added, 1 changed, 0 destroyed/);
    await second.isSettled();
    assert.deepEqual([await cores(), await targets()], [[1, 2], 2]);
  });
  await t.test('[SCALE-08] destroy deletes everything', async () => {
    assert.match(await second.destroy(), /4 destroyed/);
    for (const path of [`${core}/targetgroups/${made.targets}`, `${core}/datacenters/${made.datacenter}`])
      assert.equal((await region.call('GET', path)).status, 404, path);
    await gone(region, `${autoscaling}/groups/${made.id}`);
  });
}
