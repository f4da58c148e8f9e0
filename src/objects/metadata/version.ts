// One version of an object: its metadata as it is stored, and its row. The current version of a key stands among the
// objects; older versions and delete markers stand among the versions, so that lists of objects never meet them.
import { randomHex } from '../../base/ids.ts';
import { type Row, rowOf } from '../../core/state/engine.ts';
import type { Tag } from '../wire/http/tags.ts';
import type { Checksum } from '../wire/payload/checksum.ts';
import type { ChecksumType } from '../wire/payload/multipart-checksum.ts';
import type { Grant } from '../wire/xml/access-control-document.ts';
import type { Retention } from '../wire/xml/object-documents.ts';
import type { StoredBucket } from './bucket.ts';
import { objectsPlace, versionRowId, versionsPlace } from './places.ts';

export interface ObjectVersion extends ObjectProperties {
  key: string;
  versionId: string; // `null`: made while the bucket had no versioning, or had it suspended
  order: string; // newer versions of a key come first
  modified: number;
  owner: string; // the user who put it
  isMarker?: true; // a delete marker, without content
  size: number;
  etag: string; // without quotes
  checksum?: Checksum & { type: ChecksumType };
  parts: StoredPart[]; // the content, in order; none where it is empty
  uploadId?: string; // of a multipart object: by it a completion that is repeated is known
}

// What an upload says about the object besides its content.
export interface ObjectProperties {
  headers: Record<string, string>; // Content-Type, Cache-Control and the like, as they are sent back
  meta: Record<string, string>; // x-amz-meta-*, without the prefix
  tags?: Tag[];
  retention?: Retention;
  legalHold?: 'ON' | 'OFF';
  grants?: Grant[];
  redirect?: string; // x-amz-website-redirect-location
  encryption?: 'AES256';
}

export interface StoredPart {
  handle: string; // of the blob
  size: number;
  number?: number; // of a part that was uploaded alone
  etag?: string;
  checksum?: string;
}

const largest = Number.MAX_SAFE_INTEGER;
const orderDigits = 14;

// The place in the order of versions for one that is made now. Always newer than the newest so far, even when the clock
// stands still.
export function nextOrder(now: number, newest: Pick<ObjectVersion, 'order'> | undefined): string {
  const last = newest ? largest - Number.parseInt(newest.order, 16) : 0;
  return (largest - Math.max(now * 1000, last + 1)).toString(16).padStart(orderDigits, '0');
}

export const nullVersion = 'null';
export const newVersionId = (order: string): string => `${order}${randomHex(9)}`;

// undefined: no version can have this id.
export const orderOf = (versionId: string): string | undefined =>
  /^[0-9a-f]{32}$/.test(versionId) ? versionId.slice(0, orderDigits) : undefined;

export const isRetained = ({ retention }: ObjectVersion, now: number): boolean =>
  retention !== undefined && retention.retainUntil > now;

export const versionOf = (row: Row): ObjectVersion => JSON.parse(row.body) as ObjectVersion;

const kindOf = ({ isMarker }: ObjectVersion): string => (isMarker ? 'marker' : 'object');

export const currentRow = ({ contract, id }: StoredBucket, version: ObjectVersion): Row =>
  rowOf({
    contract,
    place: objectsPlace(id),
    id: version.key,
    kind: kindOf(version),
    time: version.modified,
    owner: version.owner,
    body: JSON.stringify(version),
  });

export const olderRow = (bucket: StoredBucket, version: ObjectVersion): Row => ({
  ...currentRow(bucket, version),
  place: versionsPlace(bucket.id),
  id: versionRowId(version.key, version.order),
});
