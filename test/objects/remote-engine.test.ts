// The bytes of one region in the object storage of another: any S3 server can store them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { startRegion } from '../harness/region.ts';

test('[OBJ-01] [OBJ-02] objects are stored in another object storage, and removed with their keys', async () => {
  await using behind = await startRegion();
  const key = await makeStorageKey(behind);
  const backing = s3Client(behind, key);
  await backing.send(new CreateBucketCommand({ Bucket: 'backing' }));
  const { host } = new URL(storageUrl(behind));
  const address = `s3+http://${key.accessKeyId}:${encodeURIComponent(key.secretAccessKey)}@${host}/backing/of-front`;
  await using region = await startRegion({ args: ['--objects', `${address}?region=eu-central-3`] });
  const s3 = s3Client(region, await makeStorageKey(region));
  await s3.send(new CreateBucketCommand({ Bucket: 'front' }));
  const contents = {
    empty: Buffer.alloc(0),
    small: Buffer.alloc(900, 'small'),
    large: Buffer.alloc(9_000_000, 'large'),
  };
  for (const [Key, Body] of Object.entries(contents)) {
    await s3.send(new PutObjectCommand({ Bucket: 'front', Key, Body }));
    const got = await s3.send(new GetObjectCommand({ Bucket: 'front', Key }));
    assert.ok(Body.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(1)), Key);
  }
  const part = await s3.send(new GetObjectCommand({ Bucket: 'front', Key: 'large', Range: 'bytes=8999995-' }));
  assert.equal(await part.Body?.transformToString(), 'large');
  const kept = await backing.send(new ListObjectsV2Command({ Bucket: 'backing' }));
  assert.equal(kept.Contents?.length, 2, 'empty objects need no bytes');
  for (const Key of Object.keys(contents)) await s3.send(new DeleteObjectCommand({ Bucket: 'front', Key }));
  for (let left = 2; left > 0; )
    left = (await backing.send(new ListObjectsV2Command({ Bucket: 'backing' }))).Contents?.length ?? 0;
});
