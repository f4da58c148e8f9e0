// ListBuckets, HeadBucket, DeleteBucket and GetBucketLocation.
import { demandPrivilege } from '../../../core/access.ts';
import { ownsBucket } from '../../access/authorization.ts';
import { byteCounter, objectCounter } from '../../metadata/bucket.ts';
import { isUserRegion } from '../../service/host.ts';
import { operation } from '../../service/operation.ts';
import { emptyReply, iso, ownerContent, xmlReply } from '../../service/reply.ts';

export const listBuckets = operation({
  name: 'ListBuckets',
  method: 'GET',
  target: 'service',
  async call(request) {
    const { who, tools, host } = request;
    demandPrivilege(who, 's3Privilege');
    const prefix = request.parameter('prefix') ?? '';
    const after = request.parameter('continuation-token') ?? '';
    const limit = request.integer('max-buckets', 1, 10_000) ?? 10_000;
    const isOfUsers = host.region !== undefined && isUserRegion(host.region);
    const all = (await tools.buckets.list(who.contract)).filter(
      (bucket) =>
        ownsBucket(who, bucket) &&
        (host.region === undefined || isUserRegion(bucket.region) === isOfUsers) &&
        bucket.name.startsWith(prefix) &&
        bucket.name > after,
    );
    const page = all.slice(0, limit);
    return xmlReply('ListAllMyBucketsResult', {
      Owner: ownerContent(who.contract),
      Buckets: {
        Bucket: page.map(({ name, created, region }) => ({
          Name: name,
          CreationDate: iso(created),
          BucketRegion: region,
        })),
      },
      ContinuationToken: all.length > limit ? page.at(-1)?.name : undefined,
      Prefix: prefix === '' ? undefined : prefix,
    });
  },
});

export const headBucket = operation({
  name: 'HeadBucket',
  method: 'HEAD',
  target: 'bucket',
  action: 's3:ListBucket',
  isData: true,
  // The headers with the size of the bucket, versions and markers included, are those of Ceph.
  async call({ bucket, tools: { store } }) {
    const objects = await store.counted(bucket.contract, objectCounter(bucket));
    const bytes = await store.counted(bucket.contract, byteCounter(bucket));
    return emptyReply(200, [
      ...['x-amz-bucket-region', bucket.region],
      ...['x-rgw-object-count', String(objects), 'x-rgw-bytes-used', String(bytes)],
    ]);
  },
});

export const getBucketLocation = operation({
  name: 'GetBucketLocation',
  method: 'GET',
  target: 'bucket',
  query: 'location',
  action: 's3:GetBucketLocation',
  call: async ({ bucket }) => xmlReply('LocationConstraint', bucket.region),
});

export const deleteBucket = operation({
  name: 'DeleteBucket',
  method: 'DELETE',
  target: 'bucket',
  action: 's3:DeleteBucket',
  async call({ bucketName, tools }) {
    await tools.buckets.remove(bucketName, async (bucket) => [
      tools.usage.ending(bucket),
      ...(await tools.uploads.removeAll(bucket)),
    ]);
    return emptyReply(204);
  },
});
