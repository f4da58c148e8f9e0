// DNS by Terraform, where it is installed with the platform's provider: what it applies, the name server answers.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ask, dataOf, portOf } from '../../dns/query.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

interface Seen {
  zone: string;
  found: string;
  ip: string;
}

test('Terraform and DNS', { skip }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  for (const name of ['direct', 'proxy'] as const) {
    const way = await wayTo(region, name, folder);
    await t.test(name, (inner) => journey(inner, region, way, join(folder, `terraform-${name}`)));
  }
});

async function journey(t: TestContext, region: Region, way: Way, folder: string): Promise<void> {
  const port = portOf(region);
  const tag = `tf${way.name}`;
  const first = workspace(way, folder, 'dns', { tag });
  const second = first.with({ address: '192.0.2.20' });
  await t.test(
    '[TOOLS-05] apply makes zone and records, which resolve, and a plan finds nothing to change',
    async () => {
      assert.match(await first.apply(), /5 added, 0 changed, 0 destroyed/);
      const { zone, found, ip } = await first.output<Seen>('seen');
      assert.equal(found, zone);
      assert.deepEqual(dataOf(await ask(port, `www.${tag}.example.com`, 'A')), ['192.0.2.10']);
      const reverse = `${ip.split('.').toReversed().join('.')}.in-addr.arpa`;
      assert.deepEqual(dataOf(await ask(port, reverse, 'PTR')), [`host.${tag}.example.com`]);
      await first.isSettled();
    },
  );
  await t.test('[TOOLS-05] another address is a change in place', async () => {
    assert.match(await second.apply(), /0 added, 1 changed, 0 destroyed/);
    assert.deepEqual(dataOf(await ask(port, `www.${tag}.example.com`, 'A')), ['192.0.2.20']);
    await second.isSettled();
  });
  await t.test('[TOOLS-05] destroy leaves nothing that answers', async () => {
    assert.match(await second.destroy(), /5 destroyed/);
    assert.equal((await ask(port, `www.${tag}.example.com`, 'A')).rcode, 'REFUSED');
  });
}
