// ListObjects and ListObjectsV2.
import { type Listing, listObjects } from '../../metadata/listing.ts';
import { operation } from '../../service/operation.ts';
import { iso, ownerContent, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { urlEncoded } from '../../wire/http/object-key.ts';
import type { XmlContent } from '../../wire/xml/writer.ts';

const mostKeys = 1000;

export const listObjectsV1 = operation({
  name: 'ListObjects',
  method: 'GET',
  target: 'bucket',
  action: 's3:ListBucket',
  isData: true,
  async call(request) {
    const asked = listParameters(request);
    const marker = request.parameter('marker') ?? '';
    const listing = await listObjects(request.tools.store, request.bucket, { ...asked, after: marker });
    const next = nextOf(listing);
    return xmlReply('ListBucketResult', {
      ...commonContent(request, asked),
      Marker: asked.encode(marker),
      NextMarker: listing.isTruncated && asked.delimiter !== '' ? asked.encode(next) : undefined,
      IsTruncated: listing.isTruncated,
      ...itemsContent(listing, asked, (contract) => ownerContent(contract), request.bucket.contract),
    });
  },
});

export const listObjectsV2 = operation({
  name: 'ListObjectsV2',
  method: 'GET',
  target: 'bucket',
  query: 'list-type',
  action: 's3:ListBucket',
  isData: true,
  async call(request) {
    if (request.parameter('list-type') !== '2')
      throw s3Fault('InvalidArgument', 'Invalid List Type specified in Request');
    const asked = listParameters(request);
    const token = request.parameter('continuation-token');
    const startAfter = request.parameter('start-after') ?? '';
    const after = token ? keyInToken(token) : startAfter;
    const listing = await listObjects(request.tools.store, request.bucket, { ...asked, after });
    const hasOwner = request.parameter('fetch-owner') === 'true';
    return xmlReply('ListBucketResult', {
      ...commonContent(request, asked),
      StartAfter: startAfter === '' ? undefined : asked.encode(startAfter),
      ContinuationToken: token,
      NextContinuationToken: listing.isTruncated ? tokenOf(nextOf(listing)) : undefined,
      KeyCount: listing.items.length,
      IsTruncated: listing.isTruncated,
      ...itemsContent(listing, asked, hasOwner ? ownerContent : () => undefined, request.bucket.contract),
    });
  },
});

export interface ListParameters {
  prefix: string;
  delimiter: string;
  limit: number;
  encode(text: string): string;
}

// How keys and prefixes are written in the answer.
export function encodingOf(request: S3Request): (text: string) => string {
  const encoding = request.parameter('encoding-type');
  if (encoding !== undefined && encoding !== 'url')
    throw s3Fault('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return encoding === 'url' ? urlEncoded : (text) => text;
}

export function listParameters(request: S3Request): ListParameters {
  const encode = encodingOf(request);
  return {
    prefix: request.parameter('prefix') ?? '',
    delimiter: request.parameter('delimiter') ?? '',
    limit: Math.min(request.integer('max-keys', 0, 2 ** 31 - 1) ?? mostKeys, mostKeys),
    encode,
  };
}

export const commonContent = (
  request: S3Request,
  { prefix, delimiter, limit, encode }: ListParameters,
): XmlContent => ({
  Name: request.bucket.name,
  Prefix: encode(prefix),
  MaxKeys: limit,
  Delimiter: delimiter === '' ? undefined : encode(delimiter),
  EncodingType: request.parameter('encoding-type'),
});

function itemsContent(
  { items }: Listing,
  { encode }: ListParameters,
  owner: (contract: number) => XmlContent | undefined,
  contract: number,
): XmlContent {
  return {
    Contents: items.flatMap((item) =>
      'prefix' in item
        ? []
        : [
            {
              Key: encode(item.version.key),
              LastModified: iso(item.version.modified),
              ETag: quoteEntityTag(item.version.etag),
              ChecksumAlgorithm: item.version.checksum?.algorithm,
              ChecksumType: item.version.checksum?.type,
              Size: item.version.size,
              StorageClass: 'STANDARD',
              Owner: owner(contract),
            },
          ],
    ),
    CommonPrefixes: items.flatMap((item) => ('prefix' in item ? [{ Prefix: encode(item.prefix) }] : [])),
  };
}

// The key or common prefix that was listed last.
function nextOf({ items }: Listing): string {
  const last = items.at(-1);
  if (!last) return '';
  return 'prefix' in last ? last.prefix : last.version.key;
}

// Opaque to clients.
const tokenOf = (key: string): string => Buffer.from(key).toString('base64url');

function keyInToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (tokenOf(key) === token) return key;
  throw s3Fault('InvalidArgument', 'The continuation token provided is incorrect');
}
