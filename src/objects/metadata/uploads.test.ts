// Parts that arrive while their upload ends.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqlite } from '../../core/state/sqlite/engine.ts';
import { Store } from '../../core/store.ts';
import { Buckets } from './bucket.ts';
import { blobsPlace } from './places.ts';
import { Uploads } from './uploads.ts';

test('a part that arrives while its upload is given up leaves nothing behind', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-uploads-'));
  const now = (): number => 1_800_000_000_000;
  const engine = await openSqlite({ folder, now, checkpoint: false });
  t.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const store = new Store(engine);
  const buckets = new Buckets(store, () => Promise.resolve(true));
  const released: string[] = [];
  const uploads = new Uploads(store, buckets, (handles) => released.push(...handles));
  const made = { name: 'bucket', contract: 1, owner: 'u', created: now(), ownership: 'contract', region: 'r' } as const;
  await buckets.create(made, () => true);
  const properties = { headers: {}, meta: {} };
  const uploadId = await uploads.start('bucket', { key: 'k', started: now(), owner: 'u', properties });
  const put = (number: number) =>
    uploads.putPart('bucket', 'k', uploadId, { number, handle: `blob-${number}`, size: 1, etag: 'e', modified: now() });
  await put(1);
  // The second part is committed between the list of parts and the commit of what removes them.
  const range = store.range.bind(store);
  let isRaced = false;
  store.range = async (scan, table) => {
    const rows = await range(scan, table);
    if (isRaced || !scan.place?.includes('/parts/')) return rows;
    isRaced = true;
    const other = new Uploads(new Store(engine), buckets, () => {}); // as at another node
    await other.putPart('bucket', 'k', uploadId, { number: 2, handle: 'blob-2', size: 1, etag: 'e', modified: now() });
    return rows;
  };
  await uploads.abort('bucket', 'k', uploadId);
  assert.ok(isRaced);
  const { id } = await buckets.demand('bucket');
  assert.deepEqual(await store.range({ contract: 1, below: `${id}/`, limit: 10 }, 'object'), []);
  assert.deepEqual(await store.range({ contract: 0, place: blobsPlace, limit: 10 }, 'object'), []);
  assert.deepEqual(released.toSorted(), ['blob-1', 'blob-2']);
  await assert.rejects(put(3), { detail: { code: 'NoSuchUpload', cause: undefined } });
});
