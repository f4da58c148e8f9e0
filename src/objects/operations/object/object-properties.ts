// Reads and checks the object properties in the headers of an upload, or in the fields of a form.
import { grantsIn } from '../../access/grant-headers.ts';
import { checkGrants } from '../../access/grants.ts';
import { type CustomerKey, proofOf } from '../../encryption/customer-key.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import type { ObjectProperties } from '../../metadata/version.ts';
import type { S3Request, S3Tools } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { writeKeyIn } from '../../wire/http/encryption-headers.ts';
import { instant } from '../../wire/http/instant.ts';
import { parseTaggingHeader } from '../../wire/http/tags.ts';
import { type HeaderReader, storedContentEncoding } from '../../wire/payload/payload-plan.ts';
import type { Retention } from '../../wire/xml/object-documents.ts';

const kept: Readonly<Record<string, string>> = {
  'cache-control': 'Cache-Control',
  'content-disposition': 'Content-Disposition',
  'content-language': 'Content-Language',
  expires: 'Expires',
};
const metaPrefix = 'x-amz-meta-';
const mostMetaBytes = 2048;
const dayMs = 86_400_000;

// The source of object properties.
export interface PropertySource {
  header: HeaderReader;
  bucket: StoredBucket;
  tools: Pick<S3Tools, 'now'>;
  given: Iterable<readonly [name: string, value: unknown]>; // all headers
}

export const objectProperties = (request: S3Request): ObjectProperties =>
  propertiesIn({
    header: request.header,
    bucket: request.bucket,
    tools: request.tools,
    given: [...Object.entries(request.x.req.headers), ...(request.signer?.queryHeaders ?? [])],
  });

export function propertiesIn(source: PropertySource): ObjectProperties {
  const { header, bucket } = source;
  const tagging = header('x-amz-tagging');
  const redirect = header('x-amz-website-redirect-location');
  const retention = retentionIn(source);
  const legalHold = legalHoldIn(source);
  const grants = grantsIn(source, bucket);
  if (grants) checkGrants(grants, bucket, header('x-amz-acl'));
  demandStandardClass(source);
  return {
    headers: contentHeaders(source),
    meta: userMetadata(source),
    ...(tagging !== undefined && { tags: parseTaggingHeader(tagging) }),
    ...(redirect !== undefined && { redirect }),
    ...(retention && { retention }),
    ...(legalHold && { legalHold }),
    ...(grants && { grants }),
  };
}

export interface Encrypted {
  properties: ObjectProperties;
  customerKey: CustomerKey | undefined;
}

// Adds the encryption of the object. Called after the check of rights: a policy may depend on these headers.
export function withEncryption(properties: ObjectProperties, { header, bucket }: Encrypting): Encrypted {
  const customerKey = writeKeyIn(header);
  const isPlain = !bucket.encryption && header('x-amz-server-side-encryption') === undefined;
  if (customerKey) return { properties: { ...properties, keyProof: proofOf(customerKey) }, customerKey };
  return { properties: { ...properties, ...(!isPlain && { encryption: 'AES256' as const }) }, customerKey };
}

type Encrypting = Pick<PropertySource, 'header' | 'bucket'>;

function contentHeaders({ header }: PropertySource): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': header('content-type') || 'binary/octet-stream' };
  for (const [name, spelled] of Object.entries(kept)) {
    const value = header(name);
    if (value !== undefined) headers[spelled] = value;
  }
  const encoding = storedContentEncoding(header('content-encoding'));
  if (encoding !== undefined) headers['Content-Encoding'] = encoding;
  return headers;
}

// A character of a header's value is a byte; clients send UTF-8 in them.
function userMetadata({ given }: PropertySource): Record<string, string> {
  const meta: Record<string, string> = {};
  for (const [name, value] of given)
    if (name.startsWith(metaPrefix) && value !== undefined) meta[name.slice(metaPrefix.length)] = String(value);
  const size = Object.entries(meta).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > mostMetaBytes) throw s3Fault('MetadataTooLarge');
  return meta;
}

function retentionIn({ header, bucket, tools }: PropertySource): Retention | undefined {
  const mode = header('x-amz-object-lock-mode');
  const until = header('x-amz-object-lock-retain-until-date');
  if (mode === undefined && until === undefined) return undefined;
  demandLock(bucket);
  if (mode === undefined || until === undefined)
    throw s3Fault(
      'InvalidArgument',
      'x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must be sent together.',
    );
  if (mode !== 'GOVERNANCE' && mode !== 'COMPLIANCE') throw s3Fault('InvalidArgument', 'Unknown wormMode directive.');
  const retainUntil = instant(until);
  if (retainUntil === undefined || retainUntil <= tools.now())
    throw s3Fault('InvalidArgument', 'The retain until date must be in the future!');
  return { mode, retainUntil };
}

// The retention starts when the version is created, however long ago its upload began.
export function withDefaultRetention<P extends ObjectProperties>(properties: P, bucket: StoredBucket, now: number): P {
  const retention = properties.retention ?? defaultRetention(bucket, now);
  return { ...properties, ...(retention && { retention }) };
}

export function defaultRetention({ objectLock }: StoredBucket, now: number): Retention | undefined {
  const rule = objectLock?.defaultRetention;
  if (!rule) return undefined;
  const days = rule.days ?? (rule.years ?? 0) * 365;
  return { mode: rule.mode, retainUntil: now + days * dayMs };
}

function legalHoldIn({ header, bucket }: PropertySource): 'ON' | 'OFF' | undefined {
  const hold = header('x-amz-object-lock-legal-hold');
  if (hold === undefined) return undefined;
  demandLock(bucket);
  if (hold === 'ON' || hold === 'OFF') return hold;
  throw s3Fault('InvalidArgument', 'Legal Hold must be either of ON or OFF.');
}

export function demandLock({ objectLock }: StoredBucket): void {
  if (!objectLock) throw s3Fault('InvalidRequest', 'Bucket is missing Object Lock Configuration');
}

// There is one storage class.
function demandStandardClass({ header }: PropertySource): void {
  const storageClass = header('x-amz-storage-class');
  if (storageClass !== undefined && storageClass !== 'STANDARD') throw s3Fault('InvalidStorageClass');
}
