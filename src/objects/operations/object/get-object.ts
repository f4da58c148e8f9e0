// GetObject and HeadObject.
import type { Reply } from '../../../surface/http/exchange.ts';
import { begun } from '../../../surface/http/streams.ts';
import { demandAllowed, isAllowed } from '../../access/authorization.ts';
import type { CustomerKey } from '../../encryption/customer-key.ts';
import { ReadBuffers } from '../../engine/read-buffers.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import { expirationHeaders } from '../../metadata/expiration.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { checksumHeaders, versionHeaders } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { demandKeyOf, encryptionHeaders, readKeyIn } from '../../wire/http/encryption-headers.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { asHeaderValue } from '../../wire/http/header-value.ts';
import { checkReadConditions, isRangeWanted } from '../../wire/http/preconditions.ts';
import { contentRange, parseRange } from '../../wire/http/range.ts';
import { checksumHeader } from '../../wire/payload/checksum.ts';
import { readContent, retryReplaced } from './read-content.ts';

const call = (request: S3Request): Promise<Reply> => retryReplaced(() => answer(request));

async function answer(request: S3Request): Promise<Reply> {
  const version = await findVersion(request, readAction(request));
  const part = partNumber(request);
  if (part !== undefined) partRange(request, version, part); // a missing part is reported before a missing key
  const key = demandKeyOf(version.keyProof, readKeyIn(request.header));
  const identity = identifying(version, request.bucket);
  request.faultHeaders = identity; // a 304 and a 412 identify the object
  checkReadConditions(request.header, { etag: version.etag, lastModified: version.modified });
  request.faultHeaders = [];
  return withContent(request, objectReply(request, version, key, identity));
}

export const getObject = operation({ name: 'GetObject', method: 'GET', target: 'object', isData: true, call });
export const headObject = operation({ name: 'HeadObject', method: 'HEAD', target: 'object', isData: true, call });

export const readAction = ({ versionId }: S3Request): string =>
  versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion';

// Returns the version that a request names, if the caller may perform the action on it.
export async function findVersion(request: S3Request, action: string): Promise<ObjectVersion> {
  const { bucket, key, versionId, tools } = request;
  const version = await (versionId === undefined
    ? tools.objects.latest(bucket, key)
    : tools.objects.find(bucket, key, versionId));
  if (version && !version.isMarker) demandAllowed(request, { action, bucket, key, version });
  else if (version && mayKnow(request, bucket, key)) request.faultHeaders = markerHeaders(version);
  demandKnown(request, { bucket, key, versionId }, version);
  return version;
}

const markerHeaders = (version: ObjectVersion): string[] => [
  ...['Last-Modified', new Date(version.modified).toUTCString()],
  ...versionHeaders(version, true),
];

// Checks the right to list this key.
const mayKnow = (request: S3Request, bucket: StoredBucket, key: string): boolean =>
  isAllowed(request, { action: 's3:ListBucket', bucket, prefix: key });

// Callers who may not list the bucket do not learn which keys exist.
export function demandKnown(
  request: S3Request,
  { bucket, key, versionId }: { bucket: StoredBucket; key: string; versionId: string | undefined },
  version: ObjectVersion | undefined,
): asserts version is ObjectVersion {
  if (version && !version.isMarker) return;
  if (!mayKnow(request, bucket, key)) throw s3Fault('AccessDenied');
  if (version && versionId !== undefined) throw s3Fault('MethodNotAllowed');
  throw s3Fault(versionId === undefined ? 'NoSuchKey' : 'NoSuchVersion');
}

export const identifying = (version: ObjectVersion, bucket: StoredBucket): string[] => [
  ...['Last-Modified', new Date(version.modified).toUTCString(), 'ETag', quoteEntityTag(version.etag)],
  ...versionHeaders(version, bucket.versioning !== undefined),
];

export function objectReply(
  request: S3Request,
  version: ObjectVersion,
  key: CustomerKey | undefined,
  identity = identifying(version, request.bucket),
): Reply {
  const { bucket } = request;
  const part = partNumber(request);
  const range = part === undefined ? rangeOf(request, version) : partRange(request, version, part);
  const { 'Content-Type': type = 'binary/octet-stream', ...described } = contentHeaders(request, version);
  const headers = [...identity, 'Accept-Ranges', 'bytes'];
  headers.push(...Object.entries(described).flat(), ...describing(request, version, key));
  const size = range ? range.end - range.start + 1 : version.size;
  if (range) headers.push('Content-Range', contentRange(range, version.size));
  if (part !== undefined) headers.push(...partHeaders(request, version, part));
  if (request.versionId === undefined) headers.push(...expirationHeaders(bucket, version));
  if (!range && wantsChecksum(request)) headers.push(...checksumHeaders(version));
  const wanted = { range: range && { offset: range.start, length: size }, key, buffers: new ReadBuffers() };
  const stream = readContent(request.tools, bucket, version, wanted);
  return { status: range ? 206 : 200, type, size, stream, headers };
}

// Waits for the first bytes, so that an object that was replaced in the meantime can be looked up again.
export const withContent = async ({ x }: S3Request, reply: Reply): Promise<Reply> =>
  reply.stream && x.method !== 'HEAD' ? { ...reply, stream: await begun(reply.stream) } : reply;

const partNumber = (request: S3Request): number | undefined => request.integer('partNumber', 1, 10_000);

// A part of a multipart object is a range of it; undefined if the part is empty.
function partRange(request: S3Request, { parts, size, uploadId }: ObjectVersion, number: number) {
  if (request.header('range') !== undefined)
    throw s3Fault('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter');
  const sizes = uploadId === undefined ? [size] : parts.map((part) => part.size);
  const length = sizes[number - 1];
  if (length === undefined) throw s3Fault('InvalidPart', 'The requested partnumber is not satisfiable');
  const start = sizes.slice(0, number - 1).reduce((sum, each) => sum + each, 0);
  return length === 0 ? undefined : { start, end: start + length - 1 };
}

function partHeaders(request: S3Request, { uploadId, parts, checksum }: ObjectVersion, number: number): string[] {
  if (uploadId === undefined) return [];
  const headers = ['x-amz-mp-parts-count', String(parts.length)];
  const value = parts[number - 1]?.checksum;
  if (checksum && value !== undefined && wantsChecksum(request))
    headers.push(checksumHeader(checksum.algorithm), value, 'x-amz-checksum-type', checksum.type);
  return headers;
}

const wantsChecksum = ({ header }: S3Request): boolean => header('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';

function rangeOf({ header }: S3Request, { size, etag, modified }: ObjectVersion) {
  return isRangeWanted(header, { etag, lastModified: modified }) ? parseRange(header('range'), size) : undefined;
}

const overrides: Readonly<Record<string, string>> = {
  'response-cache-control': 'Cache-Control',
  'response-content-disposition': 'Content-Disposition',
  'response-content-encoding': 'Content-Encoding',
  'response-content-language': 'Content-Language',
  'response-content-type': 'Content-Type',
  'response-expires': 'Expires',
};

// Headers that were stored with the object. A signed request may override them; an anonymous link must not turn a text
// into a page.
function contentHeaders(request: S3Request, version: ObjectVersion): Record<string, string> {
  const overriding = Object.entries(overrides).flatMap(([name, header]) => {
    const value = request.parameter(name);
    return value === undefined ? [] : [[header, asHeaderValue(value)] as const];
  });
  if (overriding.length > 0 && !request.caller)
    throw s3Fault('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.');
  return { ...version.headers, ...Object.fromEntries(overriding) };
}

// Headers that describe the object, as far as the caller may read them.
function describing(request: S3Request, version: ObjectVersion, customerKey: CustomerKey | undefined): string[] {
  const { key, meta, tags, redirect, encryption, retention, legalHold } = version;
  const may = (action: string): boolean => isAllowed(request, { action, bucket: request.bucket, key, version });
  const headers = Object.entries(meta).flatMap(([name, value]) => [`x-amz-meta-${name}`, value]);
  if (tags?.length && may(taggingAction(request, 'Get'))) headers.push('x-amz-tagging-count', String(tags.length));
  if (redirect !== undefined) headers.push('x-amz-website-redirect-location', redirect);
  headers.push('x-amz-storage-class', 'STANDARD', ...encryptionHeaders(encryption, customerKey));
  if (retention && may('s3:GetObjectRetention'))
    headers.push(
      ...['x-amz-object-lock-mode', retention.mode],
      ...['x-amz-object-lock-retain-until-date', new Date(retention.retainUntil).toISOString()],
    );
  if (legalHold && may('s3:GetObjectLegalHold')) headers.push('x-amz-object-lock-legal-hold', legalHold);
  return headers;
}

export const taggingAction = ({ versionId }: S3Request, verb: 'Get' | 'Put' | 'Delete'): string =>
  versionId === undefined ? `s3:${verb}ObjectTagging` : `s3:${verb}ObjectVersionTagging`;
