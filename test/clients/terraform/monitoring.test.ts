// Metric pipelines by Terraform, where it is installed with the platform's provider.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pipelines } from '../../harness/pipelines.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

interface Seen {
  id: string;
  key: string;
  http: string;
  grafana: string;
  found: string;
  named: string;
  endpoint: string;
}

test('Terraform and metric pipelines', { skip }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  for (const name of ['direct', 'config', 'proxy'] as const) {
    const way = await wayTo(region, name, folder);
    for (const location of ['de/txl', undefined]) {
      const folderOf = join(folder, `terraform-${name}-${location === undefined ? 'home' : 'named'}`);
      await t.test(`${name}, ${location ?? 'no location'}`, (inner) => journey(inner, region, way, folderOf, location));
    }
  }
});

async function journey(t: TestContext, region: Region, way: Way, folder: string, location?: string): Promise<void> {
  const tag = `tf${way.name}`;
  const first = workspace(way, folder, 'monitoring', { tag, ...(location && { location }) });
  const second = first.with({ name: 'second' });
  let made: Seen;

  await t.test('[METRIC-01] apply makes it, keeps the key and finds it by id and by name', async () => {
    assert.match(await first.apply(), /1 added, 0 changed, 0 destroyed/);
    made = await first.output<Seen>('seen');
    const { body } = await region.call('GET', `${pipelines}/${made.id}`);
    assert.equal(body.metadata.status, 'AVAILABLE');
    assert.deepEqual(
      [made.found, made.named, made.http, made.endpoint, made.grafana],
      [body.id, `${tag}-first`, body.metadata.httpEndpoint, body.metadata.httpEndpoint, body.metadata.grafanaEndpoint],
    );
    assert.match(made.key, /^\S{32,}$/);
  });
  await t.test('[METRIC-02] a plan right after it finds nothing to change', () => first.isSettled());
  await t.test('[METRIC-02] a new name is a change in place, and keeps the key', async () => {
    assert.match(await second.apply(), /0 added, 1 changed, 0 destroyed/);
    await second.isSettled();
    const { id, key, named } = await second.output<Seen>('seen');
    assert.deepEqual([id, key, named], [made.id, made.key, `${tag}-second`]);
  });
  await t.test('[METRIC-02] destroy leaves none', async () => {
    assert.match(await second.destroy(), /1 destroyed/);
    assert.equal((await region.call('GET', `${pipelines}/${made.id}`)).status, 404);
  });
}
