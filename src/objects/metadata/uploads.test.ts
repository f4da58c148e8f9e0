// Parts of uploads and their completion.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Write, WriteSet } from '../../core/state/engine.ts';
import { openSqlite } from '../../core/state/sqlite/engine.ts';
import { Store } from '../../core/store.ts';
import { Buckets, type StoredBucket } from './bucket.ts';
import { Objects } from './objects.ts';
import { blobsPlace } from './places.ts';
import { Uploads } from './uploads.ts';

const now = (): number => 1_800_000_000_000;

async function openUploads(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-uploads-'));
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
  const uploadId = await uploads.start('bucket', { key: 'k', started: now(), owner: 'u', properties });
  const put = (number: number) =>
    uploads.putPart('bucket', 'k', uploadId, { number, handle: `blob-${number}`, size: 1, etag: 'e', modified: now() });
  return { engine, store, buckets, uploads, uploadId, released, put };
}

const properties = { headers: {}, meta: {} };

test('a part that arrives while its upload is aborted leaves nothing behind', async (t) => {
  const { engine, store, buckets, uploads, uploadId, released, put } = await openUploads(t);
  await put(1);
  // The second part is committed between the listing of the parts and the commit that removes them.
  const range = store.range.bind(store);
  let isRaced = false;
  store.range = async (scan, table) => {
    const rows = await range(scan, table);
    if (isRaced || !scan.place?.includes('/parts/')) return rows;
    isRaced = true;
    const other = new Uploads(new Store(engine), buckets, () => {}); // as on another node
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

// A search in SQLite reads every row that it compares, and the row of a version with 10,000 parts has 1.5 MB.
test('the parts of an upload are removed before the object is written', async (t) => {
  const { engine, store, buckets, uploads, uploadId, put } = await openUploads(t);
  for (const number of [1, 2, 3]) await put(number);
  const objects = new Objects(store, buckets, now, () => {});
  const apply = engine.apply.bind(engine);
  let set: WriteSet = [];
  engine.apply = (writes) => {
    set = writes;
    return apply(writes);
  };
  const made = { ...properties, key: 'k', modified: now(), owner: 'u', size: 3, etag: 'e', parts: [], uploadId };
  const assemble = async (bucket: StoredBucket) => {
    const { writes, parts } = await uploads.removal(bucket, 'k', uploadId);
    return { made: { ...made, parts }, writes, unused: [] };
  };
  const version = await objects.complete('bucket', 'k', uploadId, assemble, () => {});
  assert.equal(version.parts.length, 3);
  const isPart = (write: Write) => write.op === 'remove' && write.key.place.includes('/parts/');
  assert.equal(set.filter(isPart).length, 3);
  const written = set.findIndex((write) => write.op === 'insert' && write.row.place.endsWith('/objects'));
  assert.ok(set.findLastIndex(isPart) < written);
});
