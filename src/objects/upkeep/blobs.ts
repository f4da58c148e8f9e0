// The maintenance of the blob engine: it removes blobs without references, and frees the space of removed small ones.

import type { Row, Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { BlobEngine } from '../engine/engine.ts';
import { findReferenced, findReferrer, type Referrer, refer, unrefer } from '../metadata/blob-references.ts';
import { objectsPlace, partRowId, partsPlace, versionRowId, versionsPlace } from '../metadata/places.ts';
import type { StoredPart } from '../metadata/version.ts';
import type { BlobRemovals } from './blob-removals.ts';

// An upload must be published within this time after its bytes were written.
const settledMs = 24 * 3_600_000;

// Blobs that must stay without references: all of them, or those with readers.
type Needed = Pick<BlobRemovals, 'isHeld' | 'isRead'>;

export async function sweepBlobs(
  store: Store,
  blobs: BlobEngine,
  realNow: number,
  needed: Needed = { isHeld: false, isRead: () => false },
): Promise<void> {
  const before = realNow - settledMs;
  if (needed.isHeld) return;
  await blobs.sweep(before, async (handles) => {
    const referenced = await findReferenced(store, handles);
    return new Set(handles.filter((handle) => referenced.has(handle) || needed.isRead(handle)));
  });
  while (!needed.isHeld && (await blobs.compact(before, (from, to) => moveReference(store, from, to))));
}

// A blob was copied: all references to the old handle are changed to the new one.
export function moveReference(store: Store, from: string, to: string): Promise<boolean> {
  return store.change(async () => {
    const referrer = await findReferrer(store, from);
    const row = referrer && (await rowOfReferrer(store, referrer));
    const body = row && replaced(row.body, from, to);
    if (!row || body === undefined || !referrer) return { writes: [], value: false };
    const [old, next]: StoredPart[] = [
      { handle: from, size: 0 },
      { handle: to, size: 0 },
    ];
    const writes: Write[] = [
      { op: 'update', table: 'object', row: { ...row, body } },
      ...unrefer([old as StoredPart]),
      ...refer([next as StoredPart], referrer),
    ];
    return { writes, value: true };
  });
}

function rowOfReferrer(store: Store, referrer: Referrer): Promise<Row | undefined> {
  const { contract, bucketId } = referrer;
  if ('uploadId' in referrer) {
    const { uploadId, part } = referrer;
    return store.get(contract, partsPlace(bucketId, uploadId), partRowId(part), 'object');
  }
  return rowOfVersion(store, contract, bucketId, referrer.key, referrer.order);
}

async function rowOfVersion(store: Store, contract: number, bucketId: string, key: string, order: string) {
  const current = await store.get(contract, objectsPlace(bucketId), key, 'object');
  if (current && (JSON.parse(current.body) as { order: string }).order === order) return current;
  return store.get(contract, versionsPlace(bucketId), versionRowId(key, order), 'object');
}

// Handles are whole JSON strings in the body of a row.
function replaced(body: string, from: string, to: string): string | undefined {
  const [old, next] = [JSON.stringify(from), JSON.stringify(to)];
  return body.includes(`"handle":${old}`) ? body.replace(`"handle":${old}`, () => `"handle":${next}`) : undefined;
}
