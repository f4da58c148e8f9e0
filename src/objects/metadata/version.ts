// One version of an object: its stored metadata, and its row. The current version of a key is stored among the objects;
// older versions and delete markers are stored among the versions, so that lists of objects never read them.
import { randomHex } from '../../base/ids.ts';
import { type Row, rowOf } from '../../core/state/engine.ts';
import type { KeyProof } from '../encryption/customer-key.ts';
import type { Tag } from '../wire/http/tags.ts';
import type { Checksum } from '../wire/payload/checksum.ts';
import type { ChecksumType } from '../wire/payload/multipart-checksum.ts';
import type { Grant } from '../wire/xml/access-control-document.ts';
import type { Retention } from '../wire/xml/object-documents.ts';
import type { StoredBucket } from './bucket.ts';
import { objectsPlace, versionRowId, versionsPlace } from './places.ts';

export interface ObjectVersion extends ObjectProperties {
  key: string;
  versionId: string; // `null`: created while versioning was disabled or suspended
  order: string; // newer versions of a key come first
  modified: number;
  owner: string; // the user who put it
  isMarker?: true; // a delete marker, without content
  size: number;
  etag: string; // without quotes
  checksum?: Checksum & { type: ChecksumType };
  parts: StoredPart[]; // the content, in order; none if it is empty
  uploadId?: string; // of a multipart object: it identifies a repeated completion
}

// The properties that an upload sets in addition to the content.
export interface ObjectProperties {
  headers: Record<string, string>; // Content-Type, Cache-Control and similar headers, as returned
  meta: Record<string, string>; // x-amz-meta-*, without the prefix
  tags?: Tag[];
  retention?: Retention;
  legalHold?: 'ON' | 'OFF';
  grants?: Grant[];
  redirect?: string; // x-amz-website-redirect-location
  encryption?: 'AES256';
  keyProof?: KeyProof; // of the customer's key that the content is encrypted with
}

export interface StoredPart {
  handle: string; // of the blob
  size: number;
  number?: number; // of a part of a multipart upload
  etag?: string;
  checksum?: string;
  sealed?: { salt: string; md5: string }; // encrypted with a customer's key; the MD5 is that of the stored bytes
}

const largest = Number.MAX_SAFE_INTEGER;
const orderDigits = 14;

// The position of a new version in the order. It is always newer than the newest one, even when the clock is stopped.
export function nextOrder(now: number, newest: Pick<ObjectVersion, 'order'> | undefined): string {
  const last = newest ? largest - Number.parseInt(newest.order, 16) : 0;
  return (largest - Math.max(now * 1000, last + 1)).toString(16).padStart(orderDigits, '0');
}

export const nullVersion = 'null';
export const newVersionId = (order: string): string => `${order}${randomHex(9)}`;

// Undefined: no version can have this id.
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
