// Automatic work in buckets: lifecycle rules by the region's clock, and the usage records for bills.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectLockConfigurationCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { openRows } from '../harness/states.ts';

const dayMs = 86_400_000;

describe('upkeep of buckets', () => {
  let region: Region;
  let s3: S3Client;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
  });
  after(() => region.stop());

  const letPass = async (days: number): Promise<void> => {
    const { status } = await region.call('PUT', '/lab/clock', { advanceMs: days * dayMs });
    assert.equal(status, 200);
  };

  it('[OBJ-01] lifecycle rules expire only objects, old versions, lone markers and unfinished uploads', async () => {
    const Bucket = 'aging';
    await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    const put = (Key: string, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body: Key, ...more }));
    for (const Key of ['old/a', 'old/b', 'kept/a']) await put(Key);
    await put('old/b');
    await put('kept/a');
    const locked = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: new Date(Date.now() + 90 * dayMs) };
    await put('old/locked', locked);
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'old/a' }));
    await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'old/upload' }));
    await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'kept/upload' }));
    const Filter = { Prefix: 'old/' };
    const Rules = [
      { ID: 'objects', Status: 'Enabled' as const, Filter, Expiration: { Days: 3 } },
      { ID: 'versions', Status: 'Enabled' as const, Filter, NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
      { ID: 'markers', Status: 'Enabled' as const, Filter, Expiration: { ExpiredObjectDeleteMarker: true } },
      { ID: 'uploads', Status: 'Enabled' as const, Filter, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
      { ID: 'off', Status: 'Disabled' as const, Filter: { Prefix: '' }, Expiration: { Days: 1 } },
    ];
    await s3.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }));
    const state = async (): Promise<string[]> => {
      const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
      const line = (kind: string) => (one: { Key?: string | undefined; IsLatest?: boolean | undefined }) =>
        `${one.Key} ${kind}${one.IsLatest ? '' : ', old'}`;
      return [...Versions.map(line('object')), ...DeleteMarkers.map(line('marker')), ...Uploads.map(line('upload'))];
    };
    assert.equal((await state()).length, 9);
    await letPass(2.5);
    const always = ['kept/a object', 'kept/a object, old', 'kept/upload upload, old', 'old/locked object'];
    assert.deepEqual((await state()).toSorted(), [...always, 'old/b object'].toSorted());
    await letPass(2);
    // Markers hide the current versions; locked versions stay below their markers.
    const hidden = ['old/b marker', 'old/b object, old', 'old/locked marker', 'old/locked object, old'];
    assert.deepEqual(
      (await state()).toSorted(),
      [...always.filter((one) => !one.startsWith('old/')), ...hidden].toSorted(),
    );
    await letPass(2);
    assert.deepEqual((await state()).filter((one) => one.startsWith('old/')).toSorted(), [
      'old/locked marker',
      'old/locked object, old',
    ]);
  });

  it('an answer has the expiry of its object; a lone delete marker expires at the age of objects', async () => {
    const Bucket = 'ending';
    await s3.send(new CreateBucketCommand({ Bucket }));
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    const rule = { Status: 'Enabled' as const, Filter: { Prefix: 'old/' } };
    const Rules = [
      { ...rule, ID: 'in three', Expiration: { Days: 3 }, NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
      { ...rule, ID: 'in five', Expiration: { Days: 5 } },
    ];
    await s3.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }));
    const at = { Bucket, Key: 'old/a' };
    const put = await s3.send(new PutObjectCommand({ ...at, Body: 'x' }));
    const { LastModified = new Date(0), Expiration } = await s3.send(new HeadObjectCommand(at));
    const due = new Date(Math.ceil((LastModified.getTime() + 3 * dayMs) / dayMs) * dayMs);
    assert.equal(Expiration, `expiry-date="${due.toUTCString()}", rule-id="in%20three"`);
    assert.equal(put.Expiration, Expiration);
    const other = await s3.send(new PutObjectCommand({ Bucket, Key: 'new', Body: 'x' }));
    assert.equal(other.Expiration, undefined);
    await s3.send(new DeleteObjectCommand(at));
    const markers = async () => (await s3.send(new ListObjectVersionsCommand({ Bucket }))).DeleteMarkers?.length ?? 0;
    await letPass(2.1);
    assert.equal(await markers(), 1);
    await letPass(2);
    assert.equal(await markers(), 0);
  });

  it('the default retention of an upload starts at its completion', async () => {
    const at = { Bucket: 'retaining', Key: 'k' };
    await s3.send(new CreateBucketCommand({ Bucket: at.Bucket, ObjectLockEnabledForBucket: true }));
    const Rule = { DefaultRetention: { Mode: 'COMPLIANCE' as const, Days: 1 } };
    const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled' as const, Rule };
    await s3.send(new PutObjectLockConfigurationCommand({ Bucket: at.Bucket, ObjectLockConfiguration }));
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at));
    const part = { ...at, UploadId, PartNumber: 1 };
    const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body: 'x' }));
    await letPass(2);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    const { VersionId } = await s3.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }));
    await assert.rejects(s3.send(new DeleteObjectCommand({ ...at, VersionId })), { name: 'AccessDenied' });
    await letPass(1.5);
    await s3.send(new DeleteObjectCommand({ ...at, VersionId }));
  });

  it('stored bytes are recorded, and requests and bytes add up', async () => {
    const Bucket = 'metered';
    await s3.send(new CreateBucketCommand({ Bucket }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: Buffer.alloc(1000) }));
    for (const _ of [1, 2]) await (await s3.send(new GetObjectCommand({ Bucket, Key: 'a' }))).Body?.transformToString();
    await letPass(0.1);
    await region.halt('SIGTERM');
    await using rows = await openRows(region.data);
    const bodies = async (place: string): Promise<Record<string, Record<string, number>>[]> =>
      (await rows.ask(`SELECT body FROM usage WHERE place = '${place}' ORDER BY id`))
        .map(({ body }) => JSON.parse(String(body)))
        .filter(({ path }) => path === `buckets/${Bucket}`);
    const marks = await bodies('usage');
    const consumed = await bodies('consumption');
    assert.deepEqual(marks.at(-1)?.meters, { storedBytes: 1000 });
    const sum = (name: string): number => consumed.reduce((all, { amounts }) => all + (amounts?.[name] ?? 0), 0);
    assert.deepEqual([sum('requests'), sum('bytesOut')], [4, 2000]);
    assert.ok(sum('bytesIn') >= 1000);
    await region.start();
  });
});
