// Which row refers to which blob. A reference is written and removed in the write set of the row that refers to the
// blob, so a blob without one is garbage: of a torn upload, or of a removal that a crash interrupted.
import { type Row, rowOf, type Write } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { StoredBucket } from './bucket.ts';
import { blobsPlace } from './places.ts';
import type { ObjectVersion, StoredPart } from './version.ts';

// The row that owns the content: a version, or a part of an unfinished upload.
export type Referrer =
  | { contract: number; bucketId: string; key: string; order: string }
  | { contract: number; bucketId: string; uploadId: string; part: number };

export const versionReferrer = (bucket: StoredBucket, { key, order }: ObjectVersion): Referrer => ({
  contract: bucket.contract,
  bucketId: bucket.id,
  key,
  order,
});

const referenceRow = (handle: string, referrer: Referrer): Row =>
  rowOf({ contract: 0, place: blobsPlace, id: handle, kind: 'blob', body: JSON.stringify(referrer) });

export const refer = (parts: readonly StoredPart[], referrer: Referrer): Write[] =>
  parts.map(({ handle }) => ({ op: 'insert', table: 'object', row: referenceRow(handle, referrer) }));

// Turns the references of an upload's parts into those of the object. Each was written once, so its version is 1.
export const referInstead = (parts: readonly StoredPart[], referrer: Referrer): Write[] =>
  parts.map(({ handle }) => ({ op: 'update', table: 'object', row: referenceRow(handle, referrer) }));

export const unrefer = (parts: readonly StoredPart[]): Write[] =>
  parts.map(({ handle }) => ({
    op: 'remove',
    table: 'object',
    key: { contract: 0, place: blobsPlace, id: handle },
    loose: true,
  }));

export const findReferrer = async (store: Store, handle: string): Promise<Referrer | undefined> => {
  const row = await store.get(0, blobsPlace, handle, 'object');
  return row && (JSON.parse(row.body) as Referrer);
};

export async function findReferenced(store: Store, handles: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await Promise.all(handles.map((handle) => store.get(0, blobsPlace, handle, 'object')));
  return new Set(rows.flatMap((row) => row?.id ?? []));
}
