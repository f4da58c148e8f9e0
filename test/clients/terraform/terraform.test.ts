// Terraform, where it is installed with the platform's provider, against a fresh region: by IONOS_API_URL, by the
// config file, and by the proxy without any address.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Region, type ResourceBody, startRegion } from '../../harness/region.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

test('Terraform', { skip }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  // One after another, because an injected fault affects the next caller.
  for (const name of ['direct', 'config', 'proxy'] as const) {
    const way = await wayTo(region, name, folder);
    await t.test(name, (inner) => journey(inner, region, way, join(folder, `terraform-${name}`)));
  }
});

async function journey(t: TestContext, region: Region, way: Way, folder: string): Promise<void> {
  const tag = `tf${way.name}`;
  const first = workspace(way, folder, 'basics', { tag });
  const second = first.with({ description: 'second', public: false });

  await t.test('[CORE-01] apply creates everything; data sources find it', async () => {
    assert.match(await first.apply(), /10 added, 0 changed, 0 destroyed/);
    const { lans, ips, ...rest } = await first.output<Seen>('seen');
    const { user, datacenter } = await placed(region, tag);
    assert.deepEqual(rest, { datacenter, location: 'de/txl', lan: true, user: 'first', members: [user] });
    assert.deepEqual(lans, ['1', '2', '3', '4']);
    assert.equal(new Set(ips).size, 2);
  });
  await t.test('[CORE-04] a plan right after it finds nothing to change', () => first.isSettled());
  await t.test('[CORE-01] mutable properties change in place, and settle', async () => {
    assert.match(await second.apply(), /0 added, 10 changed, 0 destroyed/);
    await second.isSettled();
    const { lan, user } = await second.output<Seen>('seen');
    assert.deepEqual({ lan, user }, { lan: false, user: 'second' });
  });
  await t.test('[CORE-23] a failed request fails the apply, and the next one repairs it', async () => {
    const broken = second.with({ blocks: 2 });
    const message = `No address for ${tag}, says the lab`;
    const fault = { kind: 'ipblock', step: 'create.reserve', mode: 'fail', message };
    await region.call('PUT', '/lab/faults', { faults: [fault] });
    const { code, stderr } = await broken.tryApply();
    assert.notEqual(code, 0);
    assert.match(stderr.replace(/\s+/g, ' '), /No address for/);
    assert.match(await broken.apply(), /1 added, 0 changed, 0 destroyed/);
  });
  await t.test('[CORE-05] destroy leaves nothing', async () => {
    assert.match(await second.destroy(), /destroyed/);
    assert.deepEqual(await placed(region, tag), {
      datacenter: undefined,
      ipblock: undefined,
      group: undefined,
      user: undefined,
    });
  });
}

interface Seen {
  datacenter: string;
  location: string;
  lans: string[];
  lan: boolean;
  ips: string[];
  user: string;
  members: string[];
}

// The ids of the resources that a run has created, by name.
async function placed(region: Region, tag: string): Promise<Record<string, string | undefined>> {
  const find = async (path: string, filter: string): Promise<string | undefined> => {
    const { body } = await region.call('GET', `/cloudapi/v6/${path}?depth=1&filter.${filter}=${tag}`);
    return body.items.find((item: ResourceBody) => JSON.stringify(item.properties).includes(tag))?.id;
  };
  return {
    datacenter: await find('datacenters', 'name'),
    ipblock: await find('ipblocks', 'name'),
    group: await find('um/groups', 'name'),
    user: await find('um/users', 'email'),
  };
}
