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
  auto: string | null;
  issued: string | null;
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
  const issues = way.name === 'proxy';
  const made = issues ? 4 : 3;
  const uploaded = { certificate, key, chain: authority.certificate };
  const first = workspace(way, folder, 'certificates', { tag, issues, ...uploaded });
  const second = first.with({ name: 'second' });
  await t.test('[TOOLS-05] apply uploads one and has one issued, and a plan finds nothing to change', async () => {
    assert.match(await first.apply(), new RegExp(`${made} added, 0 changed, 0 destroyed`));
    const seen = await first.output<Seen>('seen');
    assert.deepEqual([seen.uploaded, seen.server], [`${tag}-first`, letsEncrypt]);
    assert.equal(seen.issued, issues ? `www.${tag}.example.net` : null);
    if (seen.auto !== null) assert.equal((await settled(region, seen.auto)).metadata.state, 'AVAILABLE');
    await first.isSettled();
  });
  await t.test('[TOOLS-05] other names are changes in place', async () => {
    assert.match(await second.apply(), new RegExp(`0 added, ${made - 1} changed, 0 destroyed`));
    assert.equal((await second.output<Seen>('seen')).uploaded, `${tag}-second`);
    await second.isSettled();
  });
  await t.test('[TOOLS-05] destroy keeps only the issued certificates', async () => {
    assert.match(await second.destroy(), new RegExp(`${made} destroyed`));
    const { body } = await callerOn(region)('GET', `/certificates?filter.name=${tag}`);
    const left = body.items.map(({ metadata }) => typeof metadata.autoCertificate);
    assert.deepEqual(left, issues ? ['string'] : []);
  });
}
