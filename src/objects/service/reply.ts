// Builds S3 answers.
import type { Reply } from '../../surface/http/exchange.ts';
import type { CustomerKey } from '../encryption/customer-key.ts';
import type { StoredBucket } from '../metadata/bucket.ts';
import { expirationHeaders } from '../metadata/expiration.ts';
import { nullVersion, type ObjectVersion } from '../metadata/version.ts';
import { encryptionHeaders } from '../wire/http/encryption-headers.ts';
import { quoteEntityTag } from '../wire/http/entity-tag.ts';
import { checksumHeader } from '../wire/payload/checksum.ts';
import { writeXml, type XmlContent, type XmlValue } from '../wire/xml/writer.ts';

export const xmlReply = (root: string, content: XmlValue, headers: string[] = []): Reply => ({
  status: 200,
  type: 'application/xml',
  body: writeXml(root, content),
  headers,
});

export const emptyReply = (status: number, headers: string[] = []): Reply => ({ status, headers });

export const iso = (ms: number): string => new Date(ms).toISOString();

// Clients in Go read the owner's id as a number, so it is the contract number.
export const ownerContent = (contract: number): XmlContent => ({ ID: String(contract), DisplayName: String(contract) });

// The headers of every answer about a version. The bucket may get versioning after the request was authorized, so a
// version with its own id is returned in any case.
export function versionHeaders(version: ObjectVersion, isVersioned: boolean): string[] {
  const { versionId } = version;
  const headers = isVersioned || versionId !== nullVersion ? ['x-amz-version-id', versionId] : [];
  if (version.isMarker) headers.push('x-amz-delete-marker', 'true');
  return headers;
}

// A new null version has no version header.
export const madeHeaders = (version: ObjectVersion, bucket: StoredBucket): string[] => [
  ...versionHeaders(version, false),
  ...expirationHeaders(bucket, version),
];

// The answer of an upload.
export function storedHeaders(version: ObjectVersion, bucket: StoredBucket, key: CustomerKey | undefined): string[] {
  const headers = ['ETag', quoteEntityTag(version.etag), ...madeHeaders(version, bucket)];
  if (version.checksum) headers.push(...checksumHeaders(version));
  return [...headers, ...encryptionHeaders(version.encryption, key)];
}

export const checksumHeaders = ({ checksum }: ObjectVersion): string[] =>
  checksum ? [checksumHeader(checksum.algorithm), checksum.value, 'x-amz-checksum-type', checksum.type] : [];
