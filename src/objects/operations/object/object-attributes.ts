// GetObjectAttributes: returns the requested ones of entity tag, checksum, parts, storage class and size.
import { demandAllowed } from '../../access/authorization.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { versionHeaders, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { demandKeyOf, readKeyIn } from '../../wire/http/encryption-headers.ts';
import type { XmlContent } from '../../wire/xml/writer.ts';
import { findVersion, readAction } from './get-object.ts';

const attributes = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const;
type Attribute = (typeof attributes)[number];
const mostParts = 1000; // of a page

export const getObjectAttributes = operation({
  name: 'GetObjectAttributes',
  method: 'GET',
  target: 'object',
  query: 'attributes',
  isData: true,
  async call(request) {
    const wanted = attributesIn(request);
    const version = await findVersion(request, readAction(request));
    const { bucket, key } = request;
    demandAllowed(request, { action: attributesAction(request), bucket, key, version });
    demandKeyOf(version.keyProof, readKeyIn(request.header));
    const headers = ['Last-Modified', new Date(version.modified).toUTCString()];
    headers.push(...versionHeaders(version, request.bucket.versioning !== undefined));
    const content = {
      ETag: wanted.has('ETag') ? version.etag : undefined,
      Checksum: wanted.has('Checksum') ? checksumContent(version) : undefined,
      ObjectParts: wanted.has('ObjectParts') ? partsContent(request, version) : undefined,
      StorageClass: wanted.has('StorageClass') ? 'STANDARD' : undefined,
      ObjectSize: wanted.has('ObjectSize') ? version.size : undefined,
    };
    return xmlReply('GetObjectAttributesResponse', content, headers);
  },
});

const attributesAction = ({ versionId }: S3Request): string =>
  versionId === undefined ? 's3:GetObjectAttributes' : 's3:GetObjectVersionAttributes';

function attributesIn({ header }: S3Request): ReadonlySet<Attribute> {
  const names = header('x-amz-object-attributes')?.split(',') ?? [];
  const found = names.map((name) => attributes.find((one) => one === name.trim()) ?? unknownAttribute());
  return found.length > 0 ? new Set(found) : unknownAttribute();
}

function unknownAttribute(): never {
  throw s3Fault('InvalidArgument', `x-amz-object-attributes must name at least one of ${attributes.join(', ')}.`);
}

const checksumContent = ({ checksum }: ObjectVersion): XmlContent | undefined =>
  checksum && { [`Checksum${checksum.algorithm}`]: checksum.value, ChecksumType: checksum.type };

function partsContent(request: S3Request, { uploadId, parts, checksum }: ObjectVersion): XmlContent | undefined {
  if (uploadId === undefined) return undefined;
  const limit = Math.min(integerHeader(request, 'x-amz-max-parts') ?? mostParts, mostParts);
  const marker = integerHeader(request, 'x-amz-part-number-marker') ?? 0;
  const behind = parts.filter(({ number = 0 }) => number > marker);
  const page = behind.slice(0, limit);
  return {
    PartsCount: parts.length,
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.number ?? 0,
    MaxParts: limit,
    IsTruncated: behind.length > limit,
    Part: page.map(({ number, size, checksum: value }) => ({
      ...(checksum && { [`Checksum${checksum.algorithm}`]: value }),
      PartNumber: number,
      Size: size,
    })),
  };
}

function integerHeader({ header }: S3Request, name: string): number | undefined {
  const text = header(name);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw s3Fault('InvalidArgument', `${name} must be a whole number.`);
}
