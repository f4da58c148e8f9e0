// Certificates by Terraform, where it is installed with the platform's provider.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { authorityFor, callerOn, leafOf, letsEncrypt, settled } from '../../certificates/certificates.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

interface Seen {
  uploaded: string;
  auto: string;
  issued: string;
  server: string;
}

test('Terraform and certificates', { skip }, async (t) => {
  await using region = await startRegion();
  const folder = workFolder(t);
  for (const name of ['direct', 'proxy'] as const) {
    const way = await wayTo(region, name, folder);
    await t.test(name, (inner) => journey(inner, region, way, join(folder, `terraform-${name}`)));
  }
});

async function journey(t: TestContext, region: Region, way: Way, folder: string): Promise<void> {
  const tag = `tf${way.name}`;
  const authority = await authorityFor('Terraform CA');
  const { certificate, key } = await leafOf(authority, [`www.${tag}.example.com`]);
  const first = workspace(way, folder, 'certificates', { tag, certificate, key, chain: authority.certificate });
  const second = first.with({ name: 'second' });
  await t.test('[TOOLS-05] apply uploads one and has one issued, and a plan finds nothing to change', async () => {
    assert.match(await first.apply(), /4 added, 0 changed, 0 destroyed/);
    const { uploaded, auto, issued, server } = await first.output<Seen>('seen');
    assert.deepEqual([uploaded, issued, server], [`${tag}-first`, `www.${tag}.example.net`, letsEncrypt]);
    assert.equal((await settled(region, auto)).metadata.state, 'AVAILABLE');
    await first.isSettled();
  });
  await t.test('[TOOLS-05] other names are changes in place', async () => {
    assert.match(await second.apply(), /0 added, 3 changed, 0 destroyed/);
    assert.equal((await second.output<Seen>('seen')).uploaded, `${tag}-second`);
    await second.isSettled();
  });
  await t.test('[TOOLS-05] destroy leaves what was issued and nothing else', async () => {
    assert.match(await second.destroy(), /4 destroyed/);
    const { body } = await callerOn(region)('GET', `/certificates?filter.name=${tag}`);
    assert.equal(body.items.length, 1);
    assert.equal(typeof body.items[0]?.metadata.autoCertificate, 'string');
  });
}
