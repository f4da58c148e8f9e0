// Terraform with every resource of core and as few arguments as possible: right after apply, nothing is left to change.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../../harness/region.ts';
import { nothingLeft } from '../left.ts';
import { wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

test('Terraform on resources with few arguments', { skip }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  const way = await wayTo(region, 'proxy', folder);
  const minimal = workspace(way, join(folder, 'minimal'), 'minimal', { tag: 'minimal' });

  await t.test('[CORE-25] apply creates everything, and a plan after it is empty', async () => {
    assert.match(await minimal.apply(), /\d+ added, 0 changed, 0 destroyed/);
    await minimal.isSettled();
  });

  await t.test('[CORE-25] destroy leaves nothing', async () => {
    await minimal.destroy();
  });
  await nothingLeft(t, region);
});
