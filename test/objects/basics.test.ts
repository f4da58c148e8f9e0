// The object storage through the AWS SDK: buckets, objects, ranges, lists.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';

describe('object storage', () => {
  let region: Region;
  let s3: S3Client;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
  });
  after(() => region.stop());

  it('[OBJ-01] stores objects, and returns them whole and by ranges', async () => {
    await s3.send(new CreateBucketCommand({ Bucket: 'first-bucket' }));
    const listed = await s3.send(new ListBucketsCommand({}));
    assert.deepEqual(
      listed.Buckets?.map(({ Name }) => Name),
      ['first-bucket'],
    );
    for (const size of [0, 1, 5000, 300_000]) {
      const body = Buffer.alloc(size, 'abcdefghij');
      const put = await s3.send(
        new PutObjectCommand({
          Bucket: 'first-bucket',
          Key: `a/${size} ü+?.txt`,
          Body: body,
          Metadata: { colour: 'blue' },
        }),
      );
      const got = await s3.send(new GetObjectCommand({ Bucket: 'first-bucket', Key: `a/${size} ü+?.txt` }));
      assert.equal(Buffer.compare(Buffer.from((await got.Body?.transformToByteArray()) ?? []), body), 0);
      assert.equal(got.ETag, put.ETag);
      assert.equal(got.Metadata?.colour, 'blue');
      const head = await s3.send(new HeadObjectCommand({ Bucket: 'first-bucket', Key: `a/${size} ü+?.txt` }));
      assert.equal(head.ContentLength, size);
    }
    const part = await s3.send(
      new GetObjectCommand({ Bucket: 'first-bucket', Key: 'a/300000 ü+?.txt', Range: 'bytes=11-15' }),
    );
    assert.equal(await part.Body?.transformToString(), 'bcdef');
    const list = await s3.send(new ListObjectsV2Command({ Bucket: 'first-bucket', Prefix: 'a/', MaxKeys: 3 }));
    assert.equal(list.Contents?.length, 3);
    assert.equal(list.IsTruncated, true);
    const rest = await s3.send(
      new ListObjectsV2Command({ Bucket: 'first-bucket', Prefix: 'a/', ContinuationToken: list.NextContinuationToken }),
    );
    assert.equal(rest.Contents?.length, 1);
    const folders = await s3.send(new ListObjectsV2Command({ Bucket: 'first-bucket', Delimiter: '/' }));
    assert.deepEqual(folders.CommonPrefixes, [{ Prefix: 'a/' }]);
    await assert.rejects(s3.send(new DeleteBucketCommand({ Bucket: 'first-bucket' })), { name: 'BucketNotEmpty' });
    for (const size of [0, 1, 5000, 300_000])
      await s3.send(new DeleteObjectCommand({ Bucket: 'first-bucket', Key: `a/${size} ü+?.txt` }));
    await assert.rejects(s3.send(new GetObjectCommand({ Bucket: 'first-bucket', Key: 'a/1 ü+?.txt' })), {
      name: 'NoSuchKey',
    });
    await s3.send(new DeleteBucketCommand({ Bucket: 'first-bucket' }));
  });
});
