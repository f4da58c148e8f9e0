// GetObject and HeadObject.
import type { Reply } from '../../../surface/http/exchange.ts';
import { demandAllowed, isAllowed } from '../../access/authorization.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import { expirationHeaders } from '../../metadata/expiration.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { checksumHeaders, versionHeaders } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { demandNoEncryption } from '../../wire/http/encryption-headers.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { asHeaderValue } from '../../wire/http/header-value.ts';
import { checkReadConditions } from '../../wire/http/preconditions.ts';
import { contentRange, parseRange } from '../../wire/http/range.ts';
import { checksumHeader } from '../../wire/payload/checksum.ts';
import { readContent } from './read-content.ts';

const call = async (request: S3Request): Promise<Reply> => {
  demandNoEncryption(request.header);
  const version = await findVersion(request, request.versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion');
  const identity = identifying(version, request.bucket);
  request.faultHeaders = identity; // a 304 and a 412 tell what is there
  checkReadConditions(request.header, { etag: version.etag, lastModified: version.modified });
  request.faultHeaders = [];
  return objectReply(request, version, identity);
};

export const getObject = operation({ name: 'GetObject', method: 'GET', target: 'object', isData: true, call });
export const headObject = operation({ name: 'HeadObject', method: 'HEAD', target: 'object', isData: true, call });

// The version that a request names, if the caller may do this with it.
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

// As if the key were asked for in a list.
const mayKnow = (request: S3Request, bucket: StoredBucket, key: string): boolean =>
  isAllowed(request, { action: 's3:ListBucket', bucket, prefix: key });

// Whoever may not list the bucket does not learn what is in it.
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

const identifying = (version: ObjectVersion, bucket: StoredBucket): string[] => [
  ...['Last-Modified', new Date(version.modified).toUTCString(), 'ETag', quoteEntityTag(version.etag)],
  ...versionHeaders(version, bucket.versioning !== undefined),
];

export function objectReply(
  request: S3Request,
  version: ObjectVersion,
  identity = identifying(version, request.bucket),
): Reply {
  const { header, bucket } = request;
  const part = partRange(request, version);
  const range = part ?? rangeOf(header('range'), version);
  const headers = [...identity, 'Accept-Ranges', 'bytes', ...describing(request, version)];
  const asked = request.parameter('response-content-type');
  const stored = version.headers['Content-Type'] ?? 'binary/octet-stream';
  const type = asked === undefined ? stored : asHeaderValue(asked);
  const size = range ? range.end - range.start + 1 : version.size;
  if (range) headers.push('Content-Range', contentRange(range, version.size));
  if (part) headers.push(...partHeaders(request, version));
  if (request.versionId === undefined) headers.push(...expirationHeaders(bucket, version));
  if (!range && wantsChecksum(request)) headers.push(...checksumHeaders(version));
  const stream = readContent(request.tools, bucket, version, range && { offset: range.start, length: size });
  return { status: range ? 206 : 200, type, size, stream, headers };
}

// A part of a multipart object is a range of it.
function partRange(request: S3Request, { parts, size, uploadId }: ObjectVersion) {
  const number = request.integer('partNumber', 1, 10_000);
  if (number === undefined) return undefined;
  if (request.header('range') !== undefined)
    throw s3Fault('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter');
  const count = uploadId === undefined ? 1 : parts.length;
  if (number > count) throw s3Fault('InvalidPart', 'The requested partnumber is not satisfiable');
  if (uploadId === undefined) return size === 0 ? undefined : { start: 0, end: size - 1 };
  const start = parts.slice(0, number - 1).reduce((sum, part) => sum + part.size, 0);
  return { start, end: start + (parts[number - 1]?.size ?? 0) - 1 };
}

function partHeaders(request: S3Request, { uploadId, parts, checksum }: ObjectVersion): string[] {
  if (uploadId === undefined) return [];
  const headers = ['x-amz-mp-parts-count', String(parts.length)];
  const value = parts[Number(request.parameter('partNumber')) - 1]?.checksum;
  if (checksum && value !== undefined && wantsChecksum(request))
    headers.push(checksumHeader(checksum.algorithm), value, 'x-amz-checksum-type', checksum.type);
  return headers;
}

const wantsChecksum = ({ header }: S3Request): boolean => header('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';

function rangeOf(text: string | undefined, { size }: ObjectVersion) {
  return text === undefined ? undefined : parseRange(text, size);
}

const overrides: Readonly<Record<string, string>> = {
  'response-cache-control': 'Cache-Control',
  'response-content-disposition': 'Content-Disposition',
  'response-content-encoding': 'Content-Encoding',
  'response-content-language': 'Content-Language',
  'response-expires': 'Expires',
};

// Headers that were stored with the object; a signed request may override some of them.
function describing(request: S3Request, version: ObjectVersion): string[] {
  const { 'Content-Type': _, ...stored } = version.headers;
  const overriding = Object.entries(overrides).flatMap(([name, header]) => {
    const value = request.parameter(name);
    return value === undefined ? [] : [[header, asHeaderValue(value)] as const];
  });
  if (overriding.length > 0 && !request.caller)
    throw s3Fault('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.');
  const headers = Object.entries({ ...stored, ...Object.fromEntries(overriding) }).flat();
  for (const [name, value] of Object.entries(version.meta)) headers.push(`x-amz-meta-${name}`, value);
  if (version.tags?.length) headers.push('x-amz-tagging-count', String(version.tags.length));
  if (version.redirect !== undefined) headers.push('x-amz-website-redirect-location', version.redirect);
  if (version.encryption) headers.push('x-amz-server-side-encryption', version.encryption);
  if (version.retention)
    headers.push(
      ...['x-amz-object-lock-mode', version.retention.mode],
      ...['x-amz-object-lock-retain-until-date', new Date(version.retention.retainUntil).toISOString()],
    );
  if (version.legalHold) headers.push('x-amz-object-lock-legal-hold', version.legalHold);
  return headers;
}
