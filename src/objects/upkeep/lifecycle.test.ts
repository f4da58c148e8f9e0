// Lifecycle rules with concurrent writers.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSqlite } from '../../core/state/sqlite/engine.ts';
import { Store } from '../../core/store.ts';
import { Buckets } from '../metadata/bucket.ts';
import { Objects } from '../metadata/objects.ts';
import { versionsPlace } from '../metadata/places.ts';
import { Uploads } from '../metadata/uploads.ts';
import { versionOf } from '../metadata/version.ts';
import { applyLifecycle } from './lifecycle.ts';

const dayMs = 86_400_000;
const emptyFilter = { prefix: undefined, tags: [], sizeGreaterThan: undefined, sizeLessThan: undefined };

async function openTools(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-lifecycle-'));
  const clock = { time: 1_800_000_000_000 };
  const now = (): number => clock.time++;
  const engine = await openSqlite({ folder, now, checkpoint: false });
  t.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const store = new Store(engine);
  const buckets = new Buckets(store, () => Promise.resolve(true));
  const objects = new Objects(store, buckets, now, () => {});
  const uploads = new Uploads(store, buckets, () => {});
  const put = (name: string, key: string, etag: string) =>
    objects.put(name, { key, modified: now(), owner: 'u', size: 0, etag, parts: [], headers: {}, meta: {} }, () => {});
  return { clock, now, store, buckets, objects, uploads, put };
}

test('an object that was replaced after a rule found it stays', async (t) => {
  const { clock, now, store, buckets, objects, uploads, put } = await openTools(t);
  for (const versioning of [undefined, 'Enabled', 'Suspended'] as const) {
    const name = `bucket-${versioning}`.toLowerCase();
    const rule = { id: 'r', isEnabled: true, filter: emptyFilter, expiration: { days: 1 } };
    const made = { name, contract: 1, owner: 'u', created: now(), ownership: 'contract', region: 'r' } as const;
    await buckets.create({ ...made, ...(versioning && { versioning }), lifecycle: [rule as never] }, () => true);
    for (const key of ['a', 'b']) await put(name, key, 'old');
    clock.time += 3 * dayMs;
    const remove: Objects['remove'] = async (bucket, key, removal) => {
      if (key === 'a') await put(bucket, key, 'new');
      return objects.remove(bucket, key, removal);
    };
    const racing = { latest: objects.latest.bind(objects), remove } as unknown as Objects;
    const bucket = await buckets.demand(name);
    await applyLifecycle({ store, objects: racing, uploads, now }, bucket);
    assert.equal((await objects.latest(bucket, 'a'))?.etag, 'new', name);
    assert.notEqual((await objects.latest(bucket, 'b'))?.etag, 'old', name);
  }
});

test('many rules read each version once, and keep the configured number of old ones', async (t) => {
  const { clock, now, store, buckets, objects, uploads, put } = await openTools(t);
  const made = { name: 'bucket', contract: 1, owner: 'u', created: now(), ownership: 'contract', region: 'r' } as const;
  const noncurrentVersionExpiration = { noncurrentDays: 1, newerNoncurrentVersions: 2 };
  const rules = ['', 'a', 'b', 'b/'].map((prefix) => ({
    id: `r${prefix}`,
    isEnabled: true,
    filter: { ...emptyFilter, prefix },
    noncurrentVersionExpiration,
    expiration: { expiredObjectDeleteMarker: true },
  }));
  await buckets.create({ ...made, versioning: 'Enabled', lifecycle: rules as never }, () => true);
  for (let version = 0; version < 6; version++)
    for (const key of ['a', 'b', 'b/c']) await put('bucket', key, `${version}`);
  await objects.remove('bucket', 'b', {});
  const bucket = await buckets.demand('bucket');
  let seen = 0;
  const range = store.range.bind(store);
  const pages = store.pages.bind(store);
  store.pages = async function* (scan, table, page) {
    for await (const rows of pages(scan, table, page)) {
      seen += rows.length;
      yield rows;
    }
  };
  clock.time += 3 * dayMs;
  await applyLifecycle({ store, objects, uploads, now }, bucket);
  assert.equal(seen, 17); // 5 old versions of two keys, 6 and a marker of the third
  const left = await range({ contract: 1, place: versionsPlace(bucket.id), limit: 100 }, 'object');
  assert.deepEqual(
    left.map(versionOf).map(({ key, etag }) => `${key} ${etag}`),
    ['a 4', 'a 3', 'b ', 'b 5', 'b 4', 'b/c 4', 'b/c 3'],
  );
});
