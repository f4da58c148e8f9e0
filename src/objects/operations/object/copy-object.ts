// CopyObject: the content of another object becomes a new one, with the metadata of the source or of the request.
import { demandAllowed } from '../../access/authorization.ts';
import type { CustomerKey } from '../../encryption/customer-key.ts';
import type { ObjectProperties, ObjectVersion } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { iso, storedHeaders, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { checkWriteConditions } from '../../wire/http/preconditions.ts';
import { checksumAlgorithmOf } from '../../wire/payload/checksum.ts';
import type { XmlContent } from '../../wire/xml/writer.ts';
import { type CopyOrigin, findCopySource, sourceHeaders } from './copy-source.ts';
import { objectProperties, withDefaultRetention, withEncryption } from './object-properties.ts';
import { checkBefore, contentOf, demandPut } from './put-object.ts';
import { readContent, retryReplaced } from './read-content.ts';
import { mostUploadBytes, publish, storeCopy } from './store-content.ts';

export const copyObject = operation({
  name: 'CopyObject',
  method: 'PUT',
  target: 'object',
  isCopy: true,
  isData: true,
  async call(request) {
    const { header, bucket, key, tools } = request;
    const given = objectProperties(request);
    const { origin, properties, customerKey, part, digest } = await retryReplaced(async () => {
      const origin = await findCopySource(request);
      const copied = copiedProperties(request, given, origin);
      demandPut(request, key, copied);
      const encrypted = withEncryption(copied, request);
      await checkBefore(request);
      return { origin, ...encrypted, ...(await copyContent(request, origin, encrypted.customerKey)) };
    });
    const parts = part ? [part] : [];
    const owner = request.caller?.user ?? '';
    const kept = withDefaultRetention(properties, bucket, tools.now());
    const made = { ...kept, ...contentOf(digest), key, modified: tools.now(), owner, parts };
    const published = tools.objects.put(bucket.name, made, (current) => checkWriteConditions(header, current));
    const version = await publish(tools, parts, published);
    const headers = [...storedHeaders(version, bucket, customerKey), ...sourceHeaders(origin)];
    return xmlReply('CopyObjectResult', copyContentOf(version), headers);
  },
});

const copyContentOf = ({ modified, etag, checksum }: ObjectVersion): XmlContent => ({
  LastModified: iso(modified),
  ETag: quoteEntityTag(etag),
  ...(checksum && { ChecksumType: checksum.type, [`Checksum${checksum.algorithm}`]: checksum.value }),
});

async function copyContent({ header, tools }: S3Request, origin: CopyOrigin, key: CustomerKey | undefined) {
  const { bucket, version, customerKey } = origin;
  if (version.size > mostUploadBytes)
    throw s3Fault(
      'InvalidRequest',
      `The specified copy source is larger than the maximum allowable size for a copy source: ${mostUploadBytes}`,
    );
  const named = header('x-amz-checksum-algorithm');
  const algorithm = named === undefined ? version.checksum?.algorithm : checksumAlgorithmOf(named);
  const content = readContent(tools, bucket, version, { key: customerKey });
  const stored = await storeCopy(tools, content, version.size, algorithm, key);
  if (version.size > 0) return stored;
  await tools.blobs.remove([stored.part.handle]);
  return { part: undefined, digest: stored.digest };
}

// Locks, grants and the website redirect are never copied.
function copiedProperties(request: S3Request, given: ObjectProperties, origin: CopyOrigin): ObjectProperties {
  const { version } = origin;
  const replacesMetadata = isReplaced(request, 'x-amz-metadata-directive');
  const replacesTags = isReplaced(request, 'x-amz-tagging-directive');
  if (isOntoItself(request, origin) && !replacesMetadata && !changesAnything(request))
    throw s3Fault(
      'InvalidRequest',
      'This copy request is illegal because it is trying to copy an object to itself without changing the ' +
        "object's metadata, storage class, website redirect location or encryption attributes.",
    );
  const { tags: givenTags, ...others } = given;
  if (version.tags?.length && !replacesTags) demandTagsReadable(request, origin);
  const tags = replacesTags ? givenTags : version.tags;
  return {
    ...others,
    ...(!replacesMetadata && { headers: version.headers, meta: version.meta }),
    ...(tags && { tags }),
  };
}

// Otherwise a copy would reveal the tags to everyone who may read the content.
function demandTagsReadable(request: S3Request, { bucket, version, versionId }: CopyOrigin): void {
  const action = versionId === undefined ? 's3:GetObjectTagging' : 's3:GetObjectVersionTagging';
  demandAllowed(request, { action, bucket, key: version.key, version });
}

// If a version is named, an older version is restored.
const isOntoItself = ({ bucket, key }: S3Request, { bucket: from, version, versionId }: CopyOrigin): boolean =>
  bucket.id === from.id && key === version.key && versionId === undefined;

const changing = [
  'x-amz-storage-class',
  'x-amz-website-redirect-location',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-copy-source-server-side-encryption-customer-algorithm', // without a key, the copy is not encrypted
];
const changesAnything = ({ header }: S3Request): boolean => changing.some((name) => header(name) !== undefined);

function isReplaced({ header }: S3Request, name: string): boolean {
  const directive = header(name) ?? 'COPY';
  if (directive === 'COPY' || directive === 'REPLACE') return directive === 'REPLACE';
  throw s3Fault('InvalidArgument', `Unknown ${name.replace(/^x-amz-/, '').replaceAll('-', ' ')}.`);
}
