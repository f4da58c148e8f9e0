// The parts of a data folder that products declare.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { products } from '../products.ts';
import { backupParts, parts, savedParts, stateFiles } from './parts.ts';

test('each part belongs to one product, and its name is not that of a file of the state', () => {
  assert.equal(new Set(savedParts).size, stateFiles.length + parts.length);
  assert.ok(parts.every(({ name }) => /^[a-z]+(\.json)?$/.test(name)));
});

test('a part in backups can be copied and restored, and each file belongs to one part only', async () => {
  const hooks = await Promise.all(backupParts.map((part) => part.load()));
  assert.ok(hooks.every(({ snapshot, restore }) => snapshot?.pieces && restore));
  for (const piece of ['metrics.db', 'logs-manifest.json', 'small.segment', 'state.db', '../escape', 'models.json'])
    assert.ok(hooks.filter(({ restore }) => restore?.fileOf(piece) !== undefined).length <= 1, piece);
  assert.ok(hooks.every(({ restore }) => restore?.fileOf('../escape') === undefined));
});

test('a reset keeps users and S3 keys, and no other resource', async () => {
  const loaded = await Promise.all(products.map(({ data }) => data?.load()));
  const isKept = (path: string): boolean => loaded.some((hooks) => hooks?.reset?.keepsPath?.(path));
  for (const path of ['um/users/1/tokens', 'um/groups', 'objectstorage-management/accesskeys']) assert.ok(isKept(path));
  for (const path of ['um/groups/1/shares', 'datacenters/1/servers', 'zones', 'pipelines']) assert.ok(!isKept(path));
});
