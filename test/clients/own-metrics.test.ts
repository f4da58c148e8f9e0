// The region's own metrics, checked by Prometheus' own tool.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { core } from '../harness/people.ts';
import { startRegion } from '../harness/region.ts';
import { openPipeline } from './agents/pipeline.ts';
import { promtool3 } from './agents/programs.ts';
import { run, workFolder } from './run.ts';

const found = await promtool3();

test('[GEN-10] promtool accepts /metrics without remarks', { skip: found.skip ?? false }, async (t) => {
  await using region = await startRegion();
  await region.call('POST', `${core}/datacenters`, { properties: { name: 'n', location: 'de/txl' } });
  const pipeline = await openPipeline(region, 'own-metrics');
  assert.equal((await pipeline.push('up 1\n', { 'content-type': 'text/plain' })).status, 204);
  const { body } = await region.call<string>('GET', '/metrics');
  for (const name of ['state_syncs_total', 'metrics_samples_total', 'operations_done_total'])
    assert.match(body, new RegExp(`^cumulet_${name} [1-9]`, 'm'));
  const file = join(workFolder(t), 'metrics.txt');
  writeFileSync(file, body);
  const { code, stdout, stderr } = await run(['sh', '-c', '"$0" check metrics < "$1"', found.path ?? '', file]);
  assert.deepEqual([stdout, stderr, code], ['', '', 0]);
});
