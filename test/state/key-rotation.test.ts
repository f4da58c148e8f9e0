// `key rotate`: the secrets of a stopped region are sealed with a new key. The old one opens the older backups only.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { startNodes } from '../harness/nodes.ts';
import { makeStorageKey, provideBuckets, s3Client } from '../harness/objects.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { noFile } from '../harness/states.ts';

test('a region serves all its secrets after its key was rotated; older backups need the old key', {
  skip: noFile,
}, async () => {
  await using region = await startRegion();
  await provideBuckets(region, 'sealed');
  const s3Key = await makeStorageKey(region);
  await s3Client(region, s3Key).send(new PutObjectCommand({ Bucket: 'sealed', Key: 'one', Body: 'content' }));
  const at = ['--data', region.data];
  const file = join(region.data, 'monday.state');
  assert.equal((await cumulet(['state', 'backup', file, ...at])).code, 0);
  const running = await cumulet(['key', 'rotate', ...at]);
  assert.equal(running.code, 2);
  assert.match(running.stderr, /A region runs on/);
  await region.halt('SIGTERM');

  const before = readFileSync(join(region.data, 'region.key'), 'utf8');
  const dry = await cumulet(['key', 'rotate', '--dry-run', ...at]);
  assert.match(dry.stdout, /opens all \d+ secrets of .*Nothing was changed/);
  const { stdout, code, stderr } = await cumulet(['key', 'rotate', ...at]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Sealed \d+ secrets .* with a new key/);
  const old = join(region.data, 'region.key.old');
  assert.equal(readFileSync(old, 'utf8'), before);
  assert.notEqual(readFileSync(join(region.data, 'region.key'), 'utf8'), before);
  assert.ok(!existsSync(join(region.data, 'region.key.next')));

  await region.start();
  const { Body } = await s3Client(region, s3Key).send(new GetObjectCommand({ Bucket: 'sealed', Key: 'one' }));
  assert.equal(await Body?.transformToString(), 'content', 'its secret and the token key are the same');
  assert.equal((await cumulet(['state', 'check', ...at])).code, 0);
  const refused = await cumulet(['state', 'restore', '--yes', file, ...at]);
  assert.match(refused.stderr, /is not the key of that state/);
  await region.halt('SIGTERM');
  const restored = await cumulet(['state', 'restore', '--yes', '--key', old, file, ...at]);
  assert.equal(restored.code, 0, restored.stderr);
});

test('nodes on PostgreSQL are stopped for a rotation, and start with the new key only', async () => {
  await using nodes = await startNodes(2);
  const [first, second] = nodes.all as [Region, Region];
  const rotate = (...more: string[]) =>
    cumulet(['key', 'rotate', '--state', nodes.url, '--key', nodes.key, '--data', first.data, ...more]);
  await first.halt('SIGTERM');
  assert.match((await rotate()).stderr, /1 node runs on .* stop it first/);
  await second.halt('SIGTERM');
  const copy = join(nodes.root, 'copy.key');
  copyFileSync(nodes.key, copy);
  const { code, stdout, stderr } = await rotate();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Give the new key to all nodes/);
  await first.start();
  assert.equal((await first.call('GET', '/cloudapi/v6/datacenters')).status, 200, 'the token is valid');
  const args = second.options.args ?? [];
  args[args.indexOf('--key') + 1] = copy;
  await assert.rejects(second.start(), /is not the key of this state/);
});
