// The AWS SDK for JavaScript: streams, an upload of 200 MB in parts, presigned URLs, a tree of 1,000 files.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { makeStorageKey, s3Client } from '../../harness/objects.ts';
import { type Region, startRegion } from '../../harness/region.ts';

const Bucket = 'sdk-bucket';
const piece = Buffer.alloc(1024 ** 2, 'a megabyte that differs from its neighbours by its number');

// This many megabytes, generated while they are read.
function* megabytes(count: number): Generator<Buffer> {
  for (let i = 0; i < count; i++) {
    const made = Buffer.from(piece);
    made.writeUInt32BE(i);
    yield made;
  }
}

describe('the AWS SDK for JavaScript', () => {
  let region: Region;
  let s3: S3Client;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new CreateBucketCommand({ Bucket }));
  });
  after(() => region.stop());

  it('[OBJ-01] uploads a stream of 200 MB in parts, and reads it back as a stream', async () => {
    const sent = createHash('sha256');
    for (const one of megabytes(200)) sent.update(one);
    const Body = Readable.from(megabytes(200), { objectMode: false });
    const done = await new Upload({
      client: s3,
      params: { Bucket, Key: 'large', Body },
      partSize: 16 * 1024 ** 2,
      queueSize: 3,
    }).done();
    assert.match(done.ETag ?? '', /-13"$/);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'large' }));
    const received = createHash('sha256');
    for await (const chunk of got.Body as Readable) received.update(chunk as Buffer);
    assert.equal(received.digest('hex'), sent.digest('hex'));
    const range = `bytes=${16 * 1024 ** 2 - 4}-${16 * 1024 ** 2 + 3}`; // across the first two parts
    const across = await s3.send(new GetObjectCommand({ Bucket, Key: 'large', Range: range }));
    const expected = Buffer.concat([piece.subarray(-4), Buffer.from([0, 0, 0, 16])]);
    assert.deepEqual(Buffer.from((await across.Body?.transformToByteArray()) ?? []), expected);
  });

  it('uses presigned URLs to put and to get', async () => {
    const put = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'signed' }), { expiresIn: 60 });
    assert.equal((await fetch(put, { method: 'PUT', body: 'by URL' })).status, 200);
    const ResponseContentDisposition = 'attachment; filename="a b"';
    const get = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'signed', ResponseContentDisposition }));
    const answer = await fetch(get);
    assert.equal(await answer.text(), 'by URL');
    assert.equal(answer.headers.get('content-disposition'), ResponseContentDisposition);
  });

  it('puts, lists, copies and deletes a tree of 1,000 files', async () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `tree/${i % 10}/${String(i).padStart(4, '0')}.txt`);
    for (let i = 0; i < keys.length; i += 50)
      await Promise.all(
        keys.slice(i, i + 50).map((Key) => s3.send(new PutObjectCommand({ Bucket, Key, Body: `of ${Key}` }))),
      );
    const listed: string[] = [];
    for await (const page of paginateListObjectsV2({ client: s3, pageSize: 300 }, { Bucket, Prefix: 'tree/' }))
      listed.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    assert.deepEqual(listed, keys.toSorted());
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/${keys[7]}` }));
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'copied' }));
    assert.equal(head.ContentLength, `of ${keys[7]}`.length);
    const Objects = keys.map((Key) => ({ Key }));
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    const rest = ['large', 'signed', 'copied'].map((Key) => ({ Key }));
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: rest } }));
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });
});
