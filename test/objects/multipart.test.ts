// Multipart uploads through the AWS SDK: order, sizes, checksums, repeated completion, copies of parts, lists.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';

const Bucket = 'parts-bucket';
const mib = 1024 ** 2;
const first = Buffer.alloc(5 * mib, 'first');
const last = Buffer.from('last');

describe('multipart uploads', () => {
  let region: Region;
  let s3: S3Client;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new CreateBucketCommand({ Bucket }));
  });
  after(() => region.stop());

  const begin = async (Key: string, more = {}) => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
    return { Bucket, Key, UploadId };
  };
  const upload = async (at: Awaited<ReturnType<typeof begin>>, PartNumber: number, Body: Buffer, more = {}) => {
    const { ETag, ChecksumCRC32 } = await s3.send(new UploadPartCommand({ ...at, PartNumber, Body, ...more }));
    return { PartNumber, ETag, ...(ChecksumCRC32 && { ChecksumCRC32 }) };
  };
  const complete = (at: Awaited<ReturnType<typeof begin>>, Parts: object[], more = {}) =>
    s3.send(new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts }, ...more }));
  const content = async (Key: string): Promise<Buffer> => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };

  it('[OBJ-01] combines parts in the order of their numbers, whatever the order of their uploads', async () => {
    const at = await begin('whole', { Metadata: { colour: 'red' } });
    const second = await upload(at, 7, last);
    await upload(at, 2, Buffer.from('replaced'));
    const parts = [await upload(at, 2, first), second];
    await upload(at, 9, Buffer.from('not named at the end'));
    const listed = await s3.send(new ListPartsCommand({ ...at, MaxParts: 2 }));
    assert.deepEqual([listed.Parts?.map(({ PartNumber }) => PartNumber), listed.IsTruncated], [[2, 7], true]);
    const done = await complete(at, parts);
    const md5s = [first, last].map((part) => createHash('md5').update(part).digest());
    assert.equal(done.ETag, `"${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-2"`);
    assert.ok((await content('whole')).equals(Buffer.concat([first, last])));
    const part = await s3.send(new GetObjectCommand({ Bucket, Key: 'whole', PartNumber: 2 }));
    assert.deepEqual([await part.Body?.transformToString(), part.PartsCount], ['last', 2]);
    const again = await complete(at, parts);
    assert.equal(again.ETag, done.ETag);
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'whole' }));
    assert.deepEqual([head.Metadata, head.ContentLength], [{ colour: 'red' }, first.length + last.length]);
    await assert.rejects(upload(at, 1, last), { name: 'NoSuchUpload' });
    const copied = await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/whole` }));
    const md5 = createHash('md5').update(first).update(last).digest('hex');
    assert.equal(copied.CopyObjectResult?.ETag, `"${md5}"`);
  });

  it('refuses parts that are too small, missing, changed, out of order or beyond 10,000', async () => {
    const at = await begin('refused');
    const one = await upload(at, 1, last);
    const two = await upload(at, 2, last);
    await assert.rejects(complete(at, [one, two]), { name: 'EntityTooSmall' });
    await assert.rejects(complete(at, [two, one]), { name: 'InvalidPartOrder' });
    await assert.rejects(complete(at, [one, { ...two, PartNumber: 3 }]), { name: 'InvalidPart' });
    await assert.rejects(complete(at, [{ ...one, ETag: '"00"' }]), { name: 'InvalidPart' });
    await assert.rejects(complete(at, []), { name: 'MalformedXML' });
    await assert.rejects(upload(at, 10_001, last), { name: 'InvalidArgument' });
    await assert.rejects(upload({ ...at, UploadId: '../climbing' }, 1, last), { name: 'NoSuchUpload' });
    await s3.send(new PutObjectCommand({ Bucket, Key: 'refused', Body: 'there' }));
    await assert.rejects(complete(at, [one], { IfNoneMatch: '*' }), { name: 'PreconditionFailed' });
    assert.equal((await content('refused')).toString(), 'there');
    await s3.send(new AbortMultipartUploadCommand(at));
    await assert.rejects(s3.send(new ListPartsCommand(at)), { name: 'NoSuchUpload' });
  });

  it('keeps checksums of parts and of the whole', async () => {
    for (const [ChecksumType, pattern] of [
      ['COMPOSITE', /^.+-2$/],
      ['FULL_OBJECT', /^[^-]+$/],
    ] as const) {
      const Key = `sum-${ChecksumType}`;
      const at = await begin(Key, { ChecksumAlgorithm: 'CRC32', ChecksumType });
      const more = { ChecksumAlgorithm: 'CRC32' };
      const parts = [await upload(at, 1, first, more), await upload(at, 2, last, more)];
      await assert.rejects(complete(at, [parts[0] ?? {}, { ...parts[1], ChecksumCRC32: 'AAAAAA==' }]), {
        name: 'InvalidPart',
      });
      await assert.rejects(upload(at, 3, last, { ChecksumAlgorithm: 'SHA256' }), { name: 'InvalidRequest' });
      const done = await complete(at, parts);
      assert.match(done.ChecksumCRC32 ?? '', pattern);
      const attributes = await s3.send(
        new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['Checksum', 'ObjectParts', 'ObjectSize'] }),
      );
      assert.equal(attributes.ObjectParts?.TotalPartsCount, 2);
      assert.equal(attributes.ObjectSize, first.length + last.length);
      assert.equal(attributes.Checksum?.ChecksumType, ChecksumType);
    }
  });

  it('copies ranges of other objects as parts', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'source', Body: Buffer.concat([first, last]) }));
    const at = await begin('assembled', { ServerSideEncryption: 'AES256' });
    const CopySource = `${Bucket}/source`;
    const copy = async (PartNumber: number, CopySourceRange: string) => {
      const { CopyPartResult, ServerSideEncryption } = await s3.send(
        new UploadPartCopyCommand({ ...at, PartNumber, CopySource, CopySourceRange }),
      );
      assert.equal(ServerSideEncryption, 'AES256');
      return { PartNumber, ETag: CopyPartResult?.ETag };
    };
    const parts = [await copy(1, `bytes=0-${5 * mib - 1}`), await copy(2, `bytes=${5 * mib}-${5 * mib + 3}`)];
    await assert.rejects(copy(3, `bytes=0-${6 * mib}`), { name: 'InvalidRange' });
    await complete(at, parts);
    assert.ok((await content('assembled')).equals(Buffer.concat([first, last])));
  });

  it('gives concurrent completions the same answer', async () => {
    for (let round = 0; round < 5; round++) {
      const at = await begin(`together-${round}`);
      const parts = [await upload(at, 1, last)];
      const done = await Promise.all([1, 2, 3].map(() => complete(at, parts)));
      assert.equal(new Set(done.map(({ ETag }) => ETag)).size, 1);
    }
  });

  it('an empty part has no range', async () => {
    const at = await begin('nothing');
    await complete(at, [await upload(at, 1, Buffer.alloc(0))]);
    const part = await s3.send(new GetObjectCommand({ Bucket, Key: 'nothing', PartNumber: 1 }));
    assert.deepEqual([part.$metadata.httpStatusCode, part.ContentRange, part.PartsCount], [200, undefined, 1]);
  });

  it('lists uploads by key and start, and removes them with their bucket', async () => {
    await s3.send(new CreateBucketCommand({ Bucket: 'uploads-bucket' }));
    const ids: string[] = [];
    for (const Key of ['a/1', 'a/2', 'b', 'b']) {
      const { UploadId = '' } = await s3.send(new CreateMultipartUploadCommand({ Bucket: 'uploads-bucket', Key }));
      ids.push(UploadId);
    }
    const list = (more: object) => s3.send(new ListMultipartUploadsCommand({ Bucket: 'uploads-bucket', ...more }));
    const page = await list({ MaxUploads: 3 });
    const rest = await list({ KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker });
    assert.equal(page.IsTruncated, true);
    const found = [...(page.Uploads ?? []), ...(rest.Uploads ?? [])].map(({ UploadId }) => UploadId);
    assert.deepEqual(found.slice(0, 2), ids.slice(0, 2));
    assert.deepEqual(new Set(found), new Set(ids));
    const folders = await list({ Delimiter: '/' });
    assert.deepEqual(folders.CommonPrefixes, [{ Prefix: 'a/' }]);
    assert.equal(folders.Uploads?.length, 2);
    // Keys are in the order of their bytes, not of UTF-16.
    for (const Key of ['\uff01', '\u{1f600}'])
      await s3.send(new CreateMultipartUploadCommand({ Bucket: 'uploads-bucket', Key }));
    const smiling = await list({ Prefix: '\u{1f600}', KeyMarker: 'b' });
    assert.deepEqual(
      smiling.Uploads?.map(({ Key }) => Key),
      ['\u{1f600}'],
    );
    await s3.send(new DeleteBucketCommand({ Bucket: 'uploads-bucket' }));
  });
});
