// Rights for more than content: properties that an upload sets, and properties that a reader sees.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { secondContract } from '../sweep/world.ts';

const denied = { name: 'AccessDenied' };

describe('rights for more than content', () => {
  let region: Region;
  let s3: aws.S3Client; // of the buckets' contract
  let other: aws.S3Client; // of another contract
  let otherContract: number;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    const { contract, token } = await secondContract(region);
    otherContract = contract;
    const users = await region.call('GET', '/cloudapi/v6/um/users?depth=1', undefined, { token });
    other = s3Client(region, await makeStorageKey(region, { id: users.body.items[0]?.id ?? '', token }));
  });
  after(() => region.stop());

  const allow = (Bucket: string, ...Action: string[]) => {
    const Principal = { AWS: String(otherContract) };
    const statement = { Effect: 'Allow', Principal, Action, Resource: `arn:aws:s3:::${Bucket}/*` };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    return s3.send(new aws.PutBucketPolicyCommand({ Bucket, Policy }));
  };

  it('an upload sets only properties that its sender may set on objects', async () => {
    const Bucket = 'taking';
    await s3.send(new aws.CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
    const ObjectLockRetainUntilDate = new Date(Date.now() + 60_000);
    for (const [right, said] of [
      ['s3:PutObjectRetention', { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate }],
      ['s3:PutObjectLegalHold', { ObjectLockLegalHoldStatus: 'ON' }],
      ['s3:PutObjectAcl', { ACL: 'public-read' }],
      ['s3:PutObjectTagging', { Tagging: 'a=b' }],
    ] as const) {
      const at = { Bucket, Key: right, ...said };
      const attempts = [
        () => other.send(new aws.PutObjectCommand({ ...at, Body: 'x' })),
        () => other.send(new aws.CreateMultipartUploadCommand(at)),
      ];
      await allow(Bucket, 's3:PutObject');
      await other.send(new aws.PutObjectCommand({ Bucket, Key: right, Body: 'x' }));
      for (const attempt of attempts) await assert.rejects(attempt(), denied, right);
      await allow(Bucket, 's3:PutObject', right);
      for (const attempt of attempts) await attempt();
    }
  });

  it('a caller who may read the content of an object sees none of its other properties', async () => {
    const Bucket = 'giving';
    const at = { Bucket, Key: 'tagged' };
    await s3.send(new aws.CreateBucketCommand({ Bucket }));
    await s3.send(new aws.PutObjectCommand({ ...at, Body: 'x', Tagging: 'secret=1' }));
    await allow(Bucket, 's3:GetObject');
    const theirs = { Bucket: 'theirs', Key: 'copy', CopySource: `${Bucket}/${at.Key}` };
    await other.send(new aws.CreateBucketCommand({ Bucket: theirs.Bucket }));
    assert.equal((await other.send(new aws.HeadObjectCommand(at))).TagCount, undefined);
    await assert.rejects(other.send(new aws.CopyObjectCommand(theirs)), denied);
    await other.send(new aws.CopyObjectCommand({ ...theirs, TaggingDirective: 'REPLACE' }));
    const attributes = new aws.GetObjectAttributesCommand({ ...at, ObjectAttributes: ['ETag'] });
    await assert.rejects(other.send(attributes), denied);
    await allow(Bucket, 's3:GetObjectAttributes', 's3:GetObjectTagging');
    await assert.rejects(other.send(attributes), denied);
    await allow(Bucket, 's3:GetObject*');
    await other.send(attributes);
    assert.equal((await other.send(new aws.HeadObjectCommand(at))).TagCount, 1);
    await other.send(new aws.CopyObjectCommand(theirs));
    const owned = (ExpectedSourceBucketOwner: string) =>
      other.send(new aws.CopyObjectCommand({ ...theirs, ExpectedSourceBucketOwner }));
    await assert.rejects(owned(String(otherContract)), denied);
    await owned(String(region.contract));
  });
});
