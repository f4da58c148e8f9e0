// ListObjectVersions: versions and delete markers, ordered by key and then newest first.
import { listVersions } from '../../metadata/listing.ts';
import { nullVersion, orderOf } from '../../metadata/version.ts';
import { operation } from '../../service/operation.ts';
import { iso, ownerContent, xmlReply } from '../../service/reply.ts';
import type { S3Request } from '../../service/request.ts';
import { s3Fault } from '../../wire/error.ts';
import { quoteEntityTag } from '../../wire/http/entity-tag.ts';
import { commonContent, listParameters } from './list-objects.ts';

export const listObjectVersions = operation({
  name: 'ListObjectVersions',
  method: 'GET',
  target: 'bucket',
  query: 'versions',
  action: 's3:ListBucketVersions',
  isData: true,
  async call(request) {
    const { bucket, tools } = request;
    const parameters = listParameters(request);
    const { encoding } = parameters;
    const keyMarker = request.parameter('key-marker') ?? '';
    const versionMarker = request.parameter('version-id-marker') ?? '';
    const order = await orderOfMarker(request, keyMarker, versionMarker);
    const listing = await listVersions(tools.store, bucket, { ...parameters, after: keyMarker }, order);
    const versions = listing.items.flatMap((item) => ('prefix' in item ? [] : [item]));
    const prefixes = listing.items.flatMap((item) => ('prefix' in item ? [item.prefix] : []));
    const last = listing.isTruncated ? listing.items.at(-1) : undefined;
    const common = ({ version, isLatest }: (typeof versions)[number]) => ({
      Key: encoding.key(version.key),
      VersionId: version.versionId,
      IsLatest: isLatest,
      LastModified: iso(version.modified),
      Owner: ownerContent(bucket.contract),
    });
    return xmlReply('ListVersionsResult', {
      ...commonContent(request, parameters),
      KeyMarker: encoding.text(keyMarker),
      VersionIdMarker: versionMarker,
      NextKeyMarker: last && encoding.text('prefix' in last ? last.prefix : last.version.key),
      NextVersionIdMarker: last && !('prefix' in last) ? last.version.versionId : undefined,
      IsTruncated: listing.isTruncated,
      Version: versions
        .filter(({ version }) => !version.isMarker)
        .map((item) => ({
          ...common(item),
          ETag: quoteEntityTag(item.version.etag),
          ChecksumAlgorithm: item.version.checksum?.algorithm,
          ChecksumType: item.version.checksum?.type,
          Size: item.version.size,
          StorageClass: 'STANDARD',
        })),
      DeleteMarker: versions.filter(({ version }) => version.isMarker).map(common),
      CommonPrefixes: prefixes.map((prefix) => ({ Prefix: encoding.text(prefix) })),
    });
  },
});

// Returns the position of the version that was listed last. Undefined: continue after the whole key. The position of a
// removed null version is unknown, so all versions of its key are listed again.
async function orderOfMarker({ bucket, tools }: S3Request, key: string, versionId: string) {
  if (versionId === '') return undefined;
  if (key === '') throw s3Fault('InvalidArgument', 'A version-id marker cannot be specified without a key marker.');
  if (versionId === nullVersion) return (await tools.objects.find(bucket, key, versionId))?.order ?? '';
  return orderOf(versionId) ?? invalidMarker();
}

function invalidMarker(): never {
  throw s3Fault('InvalidArgument', 'Invalid version id specified');
}
