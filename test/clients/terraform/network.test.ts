// Terraform with networks: load balancers, gateways, security groups, cross connects.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { provideBuckets } from '../../harness/objects.ts';
import { startRegion } from '../../harness/region.ts';
import { nothingLeft } from '../left.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

test('Terraform on networks', { skip, concurrency: true }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  const ways = await Promise.all((['direct', 'proxy'] as const).map((name) => wayTo(region, name, folder)));
  await provideBuckets(region, ...ways.map((way) => `${tagOf(way)}-logs`)); // for flow logs
  await Promise.all(
    ways.map((way) => t.test(way.name, (inner) => journey(inner, way, join(folder, `network-${way.name}`)))),
  );
  await nothingLeft(t, region);
});

const tagOf = (way: Way): string => `tf${way.name}`;

async function journey(t: TestContext, way: Way, folder: string): Promise<void> {
  const tag = tagOf(way);
  const first = workspace(way, folder, 'network', { tag });
  const wish = { stage: 'second', port: 9090, algorithm: 'LEAST_CONNECTION', groups: 2 };
  const second = first.with({ wish });

  await t.test('[CORE-20] apply creates everything; data sources find it', async () => {
    assert.match(await first.apply(), /27 added, 0 changed, 0 destroyed/);
    assert.deepEqual(await first.output('seen'), {
      nlb: `${tag}-nlb-first`,
      nlb_rule: 'ROUND_ROBIN',
      alb: `${tag}-alb-first`,
      alb_rule: ['FORWARD', 'REDIRECT'],
      targets: 2,
      nat: `${tag}-nat-first`,
      nat_rule: 8080,
      rules: ['http', 'ping'],
      peers: ['here', 'there'],
      backup: 'first@example.com',
    });
  });
  await t.test('[CORE-04] a plan right after it finds nothing to change', () => first.isSettled());
  await t.test('[CORE-20] mutable properties change in place, and settle', async () => {
    assert.match(await second.apply(), /0 added, 16 changed, 0 destroyed/);
    await second.isSettled();
    const { nat_rule, nlb_rule } = await second.output<Record<string, unknown>>('seen');
    assert.deepEqual({ nat_rule, nlb_rule }, { nat_rule: wish.port, nlb_rule: wish.algorithm });
  });
  await t.test('[CORE-01] imported resources equal the created ones', async () => {
    await second.importAll();
    await second.isSettled();
  });
  await t.test('[CORE-05] destroy deletes everything', async () => {
    assert.match(await second.destroy(), /27 destroyed/);
  });
}
