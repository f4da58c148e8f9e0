// ListObjects and ListObjectsV2.
import { type Listing, listObjects } from '../../metadata/listing.ts';
import { operation } from '../../service/operation.ts';
import { iso, ownerContent, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { urlEncoded, urlEncodedKey } from '../../wire/http/object-key.ts';
import type { XmlContent } from '../../wire/xml/writer.ts';

const mostKeys = 1000;

export const listObjectsV1 = operation({
  name: 'ListObjects',
  method: 'GET',
  target: 'bucket',
  action: 's3:ListBucket',
  isData: true,
  async call(request) {
    const parameters = listParameters(request);
    const marker = request.parameter('marker') ?? '';
    const listing = await listObjects(request.tools.store, request.bucket, { ...parameters, after: marker });
    const next = nextOf(listing);
    return xmlReply('ListBucketResult', {
      ...commonContent(request, parameters),
      Marker: parameters.encoding.text(marker),
      NextMarker: listing.isTruncated && parameters.delimiter !== '' ? parameters.encoding.text(next) : undefined,
      IsTruncated: listing.isTruncated,
      ...itemsContent(listing, parameters, (contract) => ownerContent(contract), request.bucket.contract),
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
    const parameters = listParameters(request);
    const token = request.parameter('continuation-token');
    const startAfter = request.parameter('start-after') ?? '';
    const after = token ? keyInToken(token) : startAfter;
    const listing = await listObjects(request.tools.store, request.bucket, { ...parameters, after });
    const hasOwner = request.parameter('fetch-owner') === 'true';
    return xmlReply('ListBucketResult', {
      ...commonContent(request, parameters),
      StartAfter: startAfter === '' ? undefined : parameters.encoding.text(startAfter),
      ContinuationToken: token,
      NextContinuationToken: listing.isTruncated ? tokenOf(nextOf(listing)) : undefined,
      KeyCount: listing.items.length,
      IsTruncated: listing.isTruncated,
      ...itemsContent(listing, parameters, hasOwner ? ownerContent : () => undefined, request.bucket.contract),
    });
  },
});

export interface ListParameters {
  prefix: string;
  delimiter: string;
  limit: number;
  encoding: ListEncoding;
}

// The encoding of names in the answer.
export interface ListEncoding {
  key(text: string): string;
  text(text: string): string; // prefixes, delimiters and markers
}

const unchanged = (text: string): string => text;

export function encodingOf(request: S3Request): ListEncoding {
  const encoding = request.parameter('encoding-type');
  if (encoding !== undefined && encoding !== 'url')
    throw s3Fault('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return encoding === 'url' ? { key: urlEncodedKey, text: urlEncoded } : { key: unchanged, text: unchanged };
}

export function listParameters(request: S3Request): ListParameters {
  return {
    prefix: request.parameter('prefix') ?? '',
    delimiter: request.parameter('delimiter') ?? '',
    limit: Math.min(request.integer('max-keys', 0, 2 ** 31 - 1) ?? mostKeys, mostKeys),
    encoding: encodingOf(request),
  };
}

export const commonContent = (
  request: S3Request,
  { prefix, delimiter, limit, encoding }: ListParameters,
): XmlContent => ({
  Name: request.bucket.name,
  Prefix: encoding.text(prefix),
  MaxKeys: limit,
  Delimiter: delimiter === '' ? undefined : encoding.text(delimiter),
  EncodingType: request.parameter('encoding-type'),
});

function itemsContent(
  { items }: Listing,
  { encoding }: ListParameters,
  owner: (contract: number) => XmlContent | undefined,
  contract: number,
): XmlContent {
  return {
    Contents: items.flatMap((item) =>
      'prefix' in item
        ? []
        : [
            {
              Key: encoding.key(item.version.key),
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
    CommonPrefixes: items.flatMap((item) => ('prefix' in item ? [{ Prefix: encoding.text(item.prefix) }] : [])),
  };
}

// Returns the key or common prefix that was listed last.
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
