// Objects through the AWS SDK: conditions, copies, versions with delete markers, locks, tags, grants, deleting many.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectLegalHoldCommand,
  GetObjectRetentionCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';

const Bucket = 'objects-bucket';
const Versioned = 'versions-bucket';

describe('objects', () => {
  let region: Region;
  let s3: S3Client;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new CreateBucketCommand({ Bucket }));
    // Locks need versioning.
    await s3.send(new CreateBucketCommand({ Bucket: Versioned, ObjectLockEnabledForBucket: true }));
  });
  after(() => region.stop());

  const put = (Key: string, Body: string, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
  const text = async (Key: string, more = {}) =>
    (await s3.send(new GetObjectCommand({ Bucket, Key, ...more }))).Body?.transformToString();
  const statusOf = (error: unknown) => (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

  it('of 50 concurrent puts with If-None-Match: * exactly one wins', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => put('one', `writer ${i}`, { IfNoneMatch: '*' })),
    );
    const winners = outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
    assert.equal(winners.length, 1);
    assert.equal(await text('one'), `writer ${winners[0]}`);
    for (const one of outcomes) if (one.status === 'rejected') assert.equal(one.reason.name, 'PreconditionFailed');
  });

  it('an object has its storage class, and lists with the encoding url encode whole keys', async () => {
    await put('prefix/a,b', 'x');
    const at = { Bucket, Key: 'prefix/a,b' };
    assert.equal((await s3.send(new HeadObjectCommand(at))).StorageClass, 'STANDARD');
    assert.equal((await s3.send(new GetObjectCommand(at))).StorageClass, 'STANDARD');
    const request = { Bucket, Prefix: 'prefix/', EncodingType: 'url' } as const;
    const listed = await s3.send(new ListObjectsV2Command(request));
    assert.deepEqual([listed.Contents?.[0]?.Key, listed.Prefix], ['prefix%2Fa%2Cb', 'prefix/']);
    const folders = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: '/', EncodingType: 'url' }));
    assert.ok(folders.CommonPrefixes?.some(({ Prefix }) => Prefix === 'prefix/'));
    await s3.send(new DeleteObjectCommand(at));
  });

  it('an empty version id counts as none', async () => {
    const { ETag } = await put('plain', 'text');
    // The SDK omits an empty parameter, so the test adds it before the request is signed.
    const client = s3Client(region, await makeStorageKey(region));
    client.middlewareStack.add(
      (next) => (args) => {
        (args.request as { query: Record<string, string> }).query.versionId = '';
        return next(args);
      },
      { step: 'build' },
    );
    assert.equal((await client.send(new HeadObjectCommand({ Bucket, Key: 'plain' }))).ETag, ETag);
    const got = await client.send(new GetObjectCommand({ Bucket, Key: 'plain' }));
    assert.equal(await got.Body?.transformToString(), 'text');
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'plain' }));
    await assert.rejects(text('plain'), { name: 'NoSuchKey', Key: 'plain' });
  });

  it('puts while versioning is being enabled return the created version', async () => {
    const raced = { Bucket: 'switched-bucket', Key: 'k' };
    await s3.send(new CreateBucketCommand({ Bucket: raced.Bucket }));
    const putOne = () => s3.send(new PutObjectCommand({ ...raced, Body: 'x' }));
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    const switched = new PutBucketVersioningCommand({ Bucket: raced.Bucket, VersioningConfiguration });
    const begun = Array.from({ length: 40 }, putOne);
    await s3.send(switched);
    const made = await Promise.all(begun);
    const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: raced.Bucket }));
    const versionIds = made.flatMap(({ VersionId }) => VersionId ?? []);
    const kept = Versions.flatMap(({ VersionId }) => (VersionId === 'null' ? [] : (VersionId ?? [])));
    assert.deepEqual(versionIds.toSorted(), kept.toSorted());
  });

  it('errors name what is missing: the key, the bucket, or the source of a copy', async () => {
    const copy = (CopySource: string) => s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }));
    await assert.rejects(text('no-such'), { name: 'NoSuchKey', Key: 'no-such' });
    await assert.rejects(copy(`${Bucket}/no-source`), { name: 'NoSuchKey', Key: 'no-source' });
    await assert.rejects(copy('no-source/k'), { name: 'NoSuchBucket', BucketName: 'no-source' });
    const missingBucket = s3.send(new GetObjectCommand({ Bucket: 'no-bucket', Key: 'k' }));
    await assert.rejects(missingBucket, { name: 'NoSuchBucket', BucketName: 'no-bucket' });
  });

  it('all of 60 concurrent puts of one key succeed, and one of them stays', async () => {
    const puts = await Promise.all(Array.from({ length: 60 }, (_, i) => put('raced', `writer ${i}`)));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'raced' }));
    assert.ok(puts.some(({ ETag }) => ETag === got.ETag));
  });

  it('answers conditions with 304 and 412 that identify the object', async () => {
    const { ETag = '' } = await put('condition', 'content');
    const url = `${storageUrl(region)}/${Bucket}/condition`;
    await put('condition', 'content', { ACL: 'public-read' });
    const same = await fetch(url, { headers: { 'If-None-Match': ETag } });
    assert.deepEqual([same.status, same.headers.get('etag')], [304, ETag]);
    assert.ok(same.headers.has('last-modified'));
    const other = await fetch(url, { headers: { 'If-Match': '"other"' } });
    assert.deepEqual([other.status, other.headers.get('etag')], [412, ETag]);
    await assert.rejects(put('condition', 'new', { IfMatch: '"other"' }), { name: 'PreconditionFailed' });
    await put('condition', 'new', { IfMatch: ETag });
    assert.equal(await text('condition'), 'new');
  });

  it('refuses a key of the caller for an object that was encrypted without one', async () => {
    await put('plain', 'x', { ServerSideEncryption: 'AES256' });
    const key = { SSECustomerAlgorithm: 'AES256', SSECustomerKey: Buffer.alloc(32, 'k').toString('base64') };
    await assert.rejects(text('plain', key), { name: 'InvalidRequest' });
  });

  it('copies content with the metadata of the source or of the request', async () => {
    await put('from/ü 1', 'content', { Metadata: { colour: 'red' }, ContentType: 'text/css', Tagging: 'a=1' });
    const CopySource = `/${Bucket}/${encodeURIComponent('from/ü 1')}`;
    const copy = (Key: string, more = {}) => s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }));
    await copy('kept');
    const kept = await s3.send(new HeadObjectCommand({ Bucket, Key: 'kept' }));
    assert.deepEqual([kept.Metadata, kept.ContentType], [{ colour: 'red' }, 'text/css']);
    await copy('new', {
      MetadataDirective: 'REPLACE',
      Metadata: { shape: 'round' },
      TaggingDirective: 'REPLACE',
      Tagging: 'b=2',
    });
    const replaced = await s3.send(new GetObjectCommand({ Bucket, Key: 'new' }));
    assert.deepEqual([await replaced.Body?.transformToString(), replaced.Metadata], ['content', { shape: 'round' }]);
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'new' }));
    assert.deepEqual(TagSet, [{ Key: 'b', Value: '2' }]);
    await assert.rejects(copy('from/ü 1'), { name: 'InvalidRequest' });
    await assert.rejects(copy('x', { CopySourceIfMatch: '"other"' }), { name: 'PreconditionFailed' });
    await assert.rejects(copy('x', { CopySource: `${Bucket}/none` }), { name: 'NoSuchKey' });
    await assert.rejects(copy('x', { CopySource: 'no-such-bucket/none' }), { name: 'NoSuchBucket' });
  });

  it('keeps versions: each is read, restored and removed; a delete marker hides them', async () => {
    const at = { Bucket: Versioned, Key: 'v' };
    const ids: string[] = [];
    for (const body of ['one', 'two'])
      ids.push((await s3.send(new PutObjectCommand({ ...at, Body: body }))).VersionId ?? '');
    const marker = await s3.send(new DeleteObjectCommand(at));
    assert.equal(marker.DeleteMarker, true);
    const hidden = await fetch(`${storageUrl(region)}/${Versioned}/v`);
    assert.equal(hidden.status, 403);
    const gone = await s3.send(new HeadObjectCommand(at)).catch((error: unknown) => error);
    assert.equal(statusOf(gone), 404);
    const headers = (gone as { $response?: { headers: Record<string, string> } }).$response?.headers;
    assert.deepEqual([headers?.['x-amz-delete-marker'], headers?.['x-amz-version-id']], ['true', marker.VersionId]);
    const old = await s3.send(new GetObjectCommand({ ...at, VersionId: ids[0] ?? '' }));
    assert.equal(await old.Body?.transformToString(), 'one');
    const byId = await s3.send(new GetObjectCommand({ ...at, VersionId: marker.VersionId })).catch((e: unknown) => e);
    assert.equal(statusOf(byId), 405);
    const first = await s3.send(new ListObjectVersionsCommand({ Bucket: Versioned, MaxKeys: 2 }));
    const rest = await s3.send(
      new ListObjectVersionsCommand({
        Bucket: Versioned,
        KeyMarker: first.NextKeyMarker,
        VersionIdMarker: first.NextVersionIdMarker,
      }),
    );
    assert.deepEqual(
      first.DeleteMarkers?.map(({ IsLatest }) => IsLatest),
      [true],
    );
    assert.deepEqual(
      [...(first.Versions ?? []), ...(rest.Versions ?? [])].map(({ VersionId, IsLatest }) => [VersionId, IsLatest]),
      [
        [ids[1], false],
        [ids[0], false],
      ],
    );
    await s3.send(new DeleteObjectCommand({ ...at, VersionId: marker.VersionId }));
    assert.equal((await s3.send(new HeadObjectCommand(at))).VersionId, ids[1]);
    const CopySource = `${Versioned}/v?versionId=${ids[0]}`;
    await s3.send(new CopyObjectCommand({ ...at, CopySource }));
    assert.equal(await (await s3.send(new GetObjectCommand(at))).Body?.transformToString(), 'one');
  });

  it('a bucket is emptied page by page, whichever versions become current or disappear', async () => {
    const Emptied = 'emptied-bucket';
    const switchTo = (Status: 'Enabled' | 'Suspended') =>
      s3.send(new PutBucketVersioningCommand({ Bucket: Emptied, VersioningConfiguration: { Status } }));
    const put = (Key: string) => s3.send(new PutObjectCommand({ Bucket: Emptied, Key, Body: 'x' }));
    await s3.send(new CreateBucketCommand({ Bucket: Emptied }));
    for (const MaxKeys of [1, 2, 3]) {
      await switchTo('Enabled');
      for (const key of ['a', 'a', 'b', 'a']) await put(key);
      await switchTo('Suspended');
      await put('a');
      await switchTo('Enabled');
      await put('a');
      await s3.send(new DeleteObjectCommand({ Bucket: Emptied, Key: 'b' }));
      let marker = {};
      for (let isTruncated = true; isTruncated; ) {
        const page = await s3.send(new ListObjectVersionsCommand({ Bucket: Emptied, MaxKeys, ...marker }));
        for (const { Key, VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
          await s3.send(new DeleteObjectCommand({ Bucket: Emptied, Key, VersionId }));
        marker = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
        isTruncated = page.IsTruncated ?? false;
      }
      const left = await s3.send(new ListObjectVersionsCommand({ Bucket: Emptied }));
      assert.deepEqual([left.Versions, left.DeleteMarkers], [undefined, undefined], `${MaxKeys} a page`);
    }
  });

  it('does not remove locked versions; governance mode can be bypassed by request', async () => {
    const at = { Bucket: Versioned, Key: 'locked' };
    const { VersionId } = await s3.send(new PutObjectCommand({ ...at, Body: 'kept' }));
    await assert.rejects(s3.send(new GetObjectRetentionCommand(at)), { name: 'NoSuchObjectLockConfiguration' });
    const until = (days: number) => new Date(Date.now() + days * 86_400_000);
    const retain = (Mode: 'GOVERNANCE' | 'COMPLIANCE', days: number, more = {}) =>
      s3.send(new PutObjectRetentionCommand({ ...at, Retention: { Mode, RetainUntilDate: until(days) }, ...more }));
    const remove = (more = {}) => s3.send(new DeleteObjectCommand({ ...at, VersionId, ...more }));
    await retain('GOVERNANCE', 2);
    await assert.rejects(remove(), { name: 'AccessDenied' });
    await assert.rejects(retain('GOVERNANCE', 1), { name: 'AccessDenied' });
    await retain('GOVERNANCE', 1, { BypassGovernanceRetention: true });
    await assert.rejects(retain('COMPLIANCE', 3), { name: 'AccessDenied' });
    await retain('COMPLIANCE', 3, { BypassGovernanceRetention: true });
    await assert.rejects(remove({ BypassGovernanceRetention: true }), { name: 'AccessDenied' });
    await assert.rejects(retain('GOVERNANCE', 4, { BypassGovernanceRetention: true }), { name: 'AccessDenied' });
    await retain('COMPLIANCE', 4);
    const held = { ...at, Key: 'held' };
    const { VersionId: heldVersion } = await s3.send(
      new PutObjectCommand({ ...held, Body: 'kept', ObjectLockLegalHoldStatus: 'ON' }),
    );
    const many = await s3.send(
      new DeleteObjectsCommand({
        Bucket: Versioned,
        Delete: { Objects: [{ Key: 'held', VersionId: heldVersion }, { Key: 'none' }] },
        BypassGovernanceRetention: true,
      }),
    );
    assert.deepEqual([many.Errors?.map(({ Code }) => Code), many.Deleted?.[0]?.Key], [['AccessDenied'], 'none']);
    await s3.send(new PutObjectLegalHoldCommand({ ...held, LegalHold: { Status: 'OFF' } }));
    assert.equal((await s3.send(new GetObjectLegalHoldCommand(held))).LegalHold?.Status, 'OFF');
    await s3.send(new DeleteObjectCommand({ ...held, VersionId: heldVersion }));
    await assert.rejects(s3.send(new PutObjectLegalHoldCommand({ Bucket, Key: 'one', LegalHold: { Status: 'ON' } })), {
      name: 'InvalidRequest',
    });
  });

  it('keeps tags and grants', async () => {
    await put('tagged', 'content', { Tagging: 'a=1&b=2' });
    assert.equal((await s3.send(new HeadObjectCommand({ Bucket, Key: 'tagged' }))).TagCount, 2);
    const TagSet = [{ Key: 'c', Value: '3' }];
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging: { TagSet } }));
    assert.deepEqual((await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }))).TagSet, TagSet);
    await s3.send(new DeleteObjectTaggingCommand({ Bucket, Key: 'tagged' }));
    assert.deepEqual((await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }))).TagSet, []);
    const open = () => fetch(`${storageUrl(region)}/${Bucket}/tagged`);
    assert.equal((await open()).status, 403);
    await s3.send(new PutObjectAclCommand({ Bucket, Key: 'tagged', ACL: 'public-read' }));
    assert.equal(await (await open()).text(), 'content');
    const acl = await s3.send(new GetObjectAclCommand({ Bucket, Key: 'tagged' }));
    assert.equal(acl.Grants?.length, 2);
    await s3.send(new PutObjectAclCommand({ Bucket, Key: 'tagged', AccessControlPolicy: acl }));
    await s3.send(new PutObjectAclCommand({ Bucket, Key: 'tagged', ACL: 'private' }));
    assert.equal((await open()).status, 403);
  });

  it('deletes a thousand keys at once in quiet mode, including missing ones', async () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `many/${String(i).padStart(4, '0')}`);
    const there = keys.filter((_, i) => i % 10 === 0);
    await Promise.all(there.map((key) => put(key, 'x')));
    const listed = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'many/' }));
    assert.deepEqual(
      listed.Contents?.map(({ Key }) => Key),
      there,
    );
    const Objects = keys.map((Key) => ({ Key }));
    const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    assert.deepEqual([Deleted, Errors], [undefined, undefined]);
    assert.equal((await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'many/' }))).KeyCount, 0);
  });
});
