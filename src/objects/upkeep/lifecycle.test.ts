// Lifecycle rules beside clients that write at the same time.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqlite } from '../../core/state/sqlite/engine.ts';
import { Store } from '../../core/store.ts';
import { Buckets } from '../metadata/bucket.ts';
import { Objects } from '../metadata/objects.ts';
import { Uploads } from '../metadata/uploads.ts';
import { applyLifecycle } from './lifecycle.ts';

const dayMs = 86_400_000;
const emptyFilter = { prefix: undefined, tags: [], sizeGreaterThan: undefined, sizeLessThan: undefined };

test('an object that was put again since its rule found it stays', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-lifecycle-'));
  let time = 1_800_000_000_000;
  const now = (): number => time++;
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
  for (const versioning of [undefined, 'Enabled', 'Suspended'] as const) {
    const name = `bucket-${versioning}`.toLowerCase();
    const rule = { id: 'r', isEnabled: true, filter: emptyFilter, expiration: { days: 1 } };
    const made = { name, contract: 1, owner: 'u', created: now(), ownership: 'contract', region: 'r' } as const;
    await buckets.create({ ...made, ...(versioning && { versioning }), lifecycle: [rule as never] }, () => true);
    for (const key of ['a', 'b']) await put(name, key, 'old');
    time += 3 * dayMs;
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
