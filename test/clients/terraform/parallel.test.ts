// Terraform runs ten calls at once, some of them on the same resource: none is refused because another is in progress.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../../harness/region.ts';
import { nothingLeft } from '../left.ts';
import { wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

for (const pace of ['5', '20'])
  test(`[CORE-03] parallel Terraform calls on one resource, at a pace of ${pace} ms`, { skip }, async (t) => {
    await using region = await startRegion({ args: ['--pace', pace] });
    const folder = workFolder(t);
    const way = await wayTo(region, 'direct', folder);
    const all = workspace(way, join(folder, 'parallel'), 'parallel', { tag: `tf${pace}` });
    await all.apply();
    await all.destroy();
    assert.doesNotMatch(region.log(), /"level":"error"/);
    await nothingLeft(t, region);
  });
