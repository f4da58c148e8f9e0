// Checks that clients have left nothing behind.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Region } from '../harness/region.ts';

const everywhere = ['datacenters', 'ipblocks', 'snapshots', 'pccs', 'targetgroups', 'backupunits', 'labels'];

export async function nothingLeft(t: TestContext, region: Region): Promise<void> {
  await t.test('[CORE-05] nothing is left behind', async () => {
    for (const plural of everywhere) {
      const { body } = await region.call('GET', `/cloudapi/v6/${plural}?depth=1`);
      assert.deepEqual(body.items, [], plural);
    }
    const { body } = await region.call('GET', '/cloudapi/v6/contracts');
    const limits = body.items[0]?.properties.resourceLimits as Record<string, number>;
    const used = Object.entries(limits).filter(([name]) => /provisioned$|InUse$|OnContract$/i.test(name));
    assert.ok(used.length >= 9);
    assert.deepEqual(
      used.filter(([, count]) => count !== 0),
      [],
      'counted against the limits of the contract',
    );
  });
}
