// An existing Terraform state works against a copy of its contract: a plan finds nothing to change.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeStorageKey, provideBuckets } from '../../harness/objects.ts';
import { cumulet } from '../../harness/process.ts';
import { startRegion } from '../../harness/region.ts';
import { wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

const landscapes = ['network', 'servers', 'dns'];

test('Terraform on a copy of a contract', { skip }, async (t) => {
  const folder = workFolder(t);
  await using source = await startRegion();
  const way = await wayTo(source, 'direct', folder);
  await provideBuckets(source, 'tfcopy-logs'); // for flow logs
  const originals = landscapes.map((name) => workspace(way, join(folder, name), name, { tag: 'tfcopy' }));
  await Promise.all(originals.map((one) => one.apply()));
  await Promise.all(originals.map((one) => one.isSettled()));

  const file = join(folder, 'cloud.yaml');
  const key = await makeStorageKey(source);
  const keyFile = join(folder, 's3-key');
  writeFileSync(keyFile, `${key.accessKeyId}\n${key.secretAccessKey}\n`);
  const dump = ['seed', '--dump', '--from', source.url, '--s3-key-file', keyFile, '--output', file];
  const { code, stdout, stderr } = await cumulet(dump, { env: { IONOS_TOKEN: source.token } });
  assert.equal(code, 0, stdout + stderr);
  await using copy = await startRegion({ args: ['--seed', file, '--keep-ids'] });
  const there = await wayTo(copy, 'direct', folder);
  for (const [at, name] of landscapes.entries())
    await t.test(`[CORE-04] ${name}: the state of the source fits the copy`, async () => {
      await originals[at]?.at(there).isSettled();
    });
});
