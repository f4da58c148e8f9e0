// Concurrent reads and writes: a reader gets the whole old object or the whole new one.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-s3';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';

const Bucket = 'read-bucket';
const mib = 1024 ** 2;

describe('reads of objects', () => {
  let region: Region;
  let s3: aws.S3Client;
  before(async () => {
    region = await startRegion();
    s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new aws.CreateBucketCommand({ Bucket }));
  });
  after(() => region.stop());

  const put = (Key: string, Body: string | Buffer, more = {}) =>
    s3.send(new aws.PutObjectCommand({ Bucket, Key, Body, ...more }));
  const read = async (Key: string): Promise<Buffer> => {
    const { Body } = await s3.send(new aws.GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };

  it('[OBJ-02] an object that is replaced continuously is always read and copied whole', async () => {
    const bodies = ['a', 'b'].map((letter) => Buffer.alloc(100_000, letter));
    let isWriting = true;
    await put('hot', bodies[0] as Buffer);
    const write = async (): Promise<void> => {
      for (let round = 0; round < 200; round++) await put('hot', bodies[round % 2] as Buffer);
      isWriting = false;
    };
    const readOn = async (): Promise<void> => {
      while (isWriting) {
        const found = await read('hot');
        assert.ok(bodies.some((body) => body.equals(found)));
      }
    };
    const copyOn = async (): Promise<void> => {
      while (isWriting) await s3.send(new aws.CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/hot` }));
    };
    await Promise.all([write(), ...Array.from({ length: 6 }, readOn), copyOn()]);
  });

  it('[OBJ-02] a running download completes although the object is removed', async () => {
    const part = Buffer.alloc(5 * mib, 'part');
    const at = { Bucket, Key: 'large' };
    const { UploadId } = await s3.send(new aws.CreateMultipartUploadCommand(at));
    const Parts: aws.CompletedPart[] = [];
    for (const PartNumber of [1, 2, 3, 4]) {
      const { ETag } = await s3.send(new aws.UploadPartCommand({ ...at, UploadId, PartNumber, Body: part }));
      Parts.push({ PartNumber, ETag });
    }
    await s3.send(new aws.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }));
    const { Body } = await s3.send(new aws.GetObjectCommand(at));
    await s3.send(new aws.DeleteObjectCommand(at));
    await put('after', 'the removal'); // another commit: the blobs of the first one are removed by now
    const found = Buffer.from((await Body?.transformToByteArray()) ?? []);
    assert.ok(found.equals(Buffer.concat([part, part, part, part])));
    await assert.rejects(read('large'), { name: 'NoSuchKey' });
  });

  it('a range applies to the object that the client has, and for another one it gets the whole', async () => {
    const { ETag = '' } = await put('resumed', 'new content', { ACL: 'public-read' });
    const ask = async (condition: string) => {
      const headers = { Range: 'bytes=4-', 'If-Range': condition };
      const answer = await fetch(`${storageUrl(region)}/${Bucket}/resumed`, { headers });
      return [answer.status, await answer.text()];
    };
    const { LastModified = new Date(0) } = await s3.send(new aws.HeadObjectCommand({ Bucket, Key: 'resumed' }));
    for (const same of [ETag, LastModified.toUTCString()]) assert.deepEqual(await ask(same), [206, 'content']);
    for (const other of ['"other"', `W/${ETag}`, new Date(0).toUTCString(), 'nonsense'])
      assert.deepEqual(await ask(other), [200, 'new content'], other);
  });

  it('an anonymous link does not change the headers of an answer', async () => {
    await put('note.txt', '<script>', { ACL: 'public-read', ContentType: 'text/plain' });
    const url = `${storageUrl(region)}/${Bucket}/note.txt`;
    assert.equal((await fetch(url)).headers.get('content-type'), 'text/plain');
    for (const name of ['content-type', 'content-disposition', 'cache-control']) {
      const answer = await fetch(`${url}?response-${name}=text/html`);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [400, 'application/xml'], name);
    }
    const ResponseContentType = 'text/html';
    const signed = await s3.send(new aws.GetObjectCommand({ Bucket, Key: 'note.txt', ResponseContentType }));
    assert.equal(signed.ContentType, 'text/html');
  });
});
