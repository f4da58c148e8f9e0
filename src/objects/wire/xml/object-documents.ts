// Reads the XML documents about objects: delete many, complete a multipart upload, retention and legal hold.

import { s3Fault } from '../error.ts';
import { instant } from '../http/instant.ts';
import { type Checksum, checksumAlgorithms } from '../payload/checksum.ts';
import { type Element, malformed, mostXmlBytes, parseXml } from './parser.ts';

type Body = string | Uint8Array;

const mostDeletes = 1000;
const mostParts = 10_000;
// A key has up to 1024 bytes, each of which may be an entity; a part has eight tags, and three entities and equals
// signs.
const deleteLimits = { bytes: mostXmlBytes, marks: 100_000 };
const partLimits = { bytes: mostXmlBytes, marks: 150_000 };

export interface DeleteRequest {
  isQuiet: boolean;
  objects: DeletedObject[];
}

export interface DeletedObject {
  key: string;
  versionId: string | undefined;
  etag: string | undefined; // this field and the next two are conditions
  size: string | undefined;
  lastModified: string | undefined;
}

export function readDelete(body: Body): DeleteRequest {
  const root = parseXml(body, 'Delete', deleteLimits);
  const objects = root.all('Object');
  if (objects.length === 0 || objects.length > mostDeletes) malformed(`There must be 1 to ${mostDeletes} objects.`);
  return {
    isQuiet: root.boolean('Quiet') ?? false,
    objects: objects.map((object) => ({
      key: object.raw('Key') || malformed('An Object needs a Key.'),
      versionId: object.string('VersionId') || undefined,
      etag: object.string('ETag') || undefined,
      size: object.string('Size') || undefined,
      lastModified: object.string('LastModifiedTime') || undefined,
    })),
  };
}

export interface CompletedPart {
  partNumber: number;
  etag: string; // as sent, perhaps with quotes
  checksum: Checksum | undefined;
}

export function readCompleteMultipartUpload(body: Body): CompletedPart[] {
  if (body.length === 0) malformed('You must specify at least one part.');
  const parts = parseXml(body, 'CompleteMultipartUpload', partLimits).all('Part');
  if (parts.length === 0 || parts.length > mostParts) malformed(`There must be 1 to ${mostParts} parts.`);
  const completed = parts.map(readPart);
  const isAscending = completed.every((part, at) => at === 0 || part.partNumber > partNumberAt(completed, at - 1));
  if (!isAscending) throw s3Fault('InvalidPartOrder');
  return completed;
}

const partNumberAt = (parts: CompletedPart[], at: number): number => (parts[at] as CompletedPart).partNumber;

function readPart(part: Element): CompletedPart {
  const checksums = checksumAlgorithms.flatMap((algorithm) => {
    const value = part.string(`Checksum${algorithm}`);
    return value === undefined ? [] : [{ algorithm, value }];
  });
  return {
    partNumber: part.integer('PartNumber', 1, mostParts, 'InvalidArgument') ?? malformed('A Part needs a PartNumber.'),
    etag: part.string('ETag') || malformed('A Part needs an ETag.'),
    checksum: checksums[0],
  };
}

export interface Retention {
  mode: 'GOVERNANCE' | 'COMPLIANCE';
  retainUntil: number; // milliseconds
}

// Undefined removes the retention: both elements are absent.
export function readRetention(body: Body, now: number): Retention | undefined {
  const root = parseXml(body, 'Retention');
  const mode = root.choice('Mode', ['GOVERNANCE', 'COMPLIANCE']);
  const date = root.string('RetainUntilDate');
  if (mode === undefined && date === undefined) return undefined;
  if (mode === undefined || date === undefined) return malformed('Mode and RetainUntilDate must be sent together.');
  const retainUntil = instant(date) ?? malformed('RetainUntilDate must be a time such as 2026-01-31T00:00:00Z.');
  if (retainUntil <= now) throw s3Fault('InvalidArgument', 'The retain until date must be in the future!');
  return { mode, retainUntil };
}

export function readLegalHold(body: Body): { status: 'ON' | 'OFF' } {
  const status = parseXml(body, 'LegalHold').choice('Status', ['ON', 'OFF']);
  return { status: status ?? malformed('Status is missing.') };
}

export interface ObjectLockConfiguration {
  defaultRetention:
    | { mode: 'GOVERNANCE' | 'COMPLIANCE'; days: number | undefined; years: number | undefined }
    | undefined;
}

export function readObjectLockConfiguration(body: Body): ObjectLockConfiguration {
  const root = parseXml(body, 'ObjectLockConfiguration');
  if (root.choice('ObjectLockEnabled', ['Enabled']) === undefined) malformed('ObjectLockEnabled is missing.');
  const retention = root.optional('Rule')?.required('DefaultRetention');
  if (!retention) return { defaultRetention: undefined };
  const mode = retention.choice('Mode', ['GOVERNANCE', 'COMPLIANCE']) ?? malformed('Mode is missing.');
  const days = retention.integer('Days', 1, 36_500, 'InvalidRetentionPeriod');
  const years = retention.integer('Years', 1, 100, 'InvalidRetentionPeriod');
  if ((days === undefined) === (years === undefined)) malformed('There must be either Days or Years.');
  return { defaultRetention: { mode, days, years } };
}
