// Log pipelines by Terraform, where it is installed with the platform's provider.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { logPipelines, untilState } from '../../harness/logs.ts';
import { startRegion } from '../../harness/region.ts';
import { wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

interface Seen {
  id: string;
  key: string;
  tcp: string;
  http: string;
  named: string;
}

test('[LOG-01] [LOG-08] Terraform makes, finds, renames and destroys a log pipeline', { skip }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  const way = await wayTo(region, 'direct', folder);
  const first = workspace(way, join(folder, 'terraform-logging'), 'logging', { tag: 'tf' });
  assert.match(await first.apply(), /1 added, 0 changed, 0 destroyed/);
  const made = await first.output<Seen>('seen');
  const { body } = await region.call('GET', `${logPipelines}/${made.id}`);
  assert.equal(body.metadata.state, 'AVAILABLE');
  assert.deepEqual([made.tcp, made.http], [body.properties.tcpAddress, body.properties.httpAddress]);
  assert.match(made.key, /^\S{32,}$/);
  await first.isSettled();
  const second = first.with({ name: 'second' });
  assert.match(await second.apply(), /0 added, 1 changed, 0 destroyed/);
  const { id, key, named } = await second.output<Seen>('seen');
  assert.deepEqual([id, key, named], [made.id, made.key, 'tf-second']);
  assert.match(await second.destroy(), /1 destroyed/);
  await untilState(region, `${logPipelines}/${made.id}`, 404);
});
