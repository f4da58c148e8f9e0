// Encryption with customer keys (SSE-C): every way to write and read, the errors of S3, and the bytes on disk.
import assert from 'node:assert/strict';
import { createHmac, hash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { consoleS3, signIn } from '../console/harness/calls.ts';
import { makeStorageKey, type StorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';

const Bucket = 'sealed-bucket';
const mib = 1024 ** 2;

function customerKey() {
  const secret = randomBytes(32);
  const [key, md5] = [secret.toString('base64'), hash('md5', secret, 'base64')];
  return {
    secret,
    md5,
    of: { SSECustomerAlgorithm: 'AES256', SSECustomerKey: key, SSECustomerKeyMD5: md5 },
    ofSource: {
      CopySourceSSECustomerAlgorithm: 'AES256',
      CopySourceSSECustomerKey: key,
      CopySourceSSECustomerKeyMD5: md5,
    },
    headers: {
      'x-amz-server-side-encryption-customer-algorithm': 'AES256',
      'x-amz-server-side-encryption-customer-key': key,
      'x-amz-server-side-encryption-customer-key-md5': md5,
    },
  };
}

describe('encryption with keys of the customer', () => {
  let region: Region;
  let credentials: StorageKey;
  let s3: aws.S3Client;
  const key = customerKey();
  const other = customerKey();
  before(async () => {
    region = await startRegion();
    credentials = await makeStorageKey(region);
    s3 = s3Client(region, credentials);
    await s3.send(new aws.CreateBucketCommand({ Bucket }));
    const VersioningConfiguration = { Status: 'Enabled' as const };
    await s3.send(new aws.PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
  });
  after(() => region.stop());

  const put = (Key: string, Body: string | Buffer, more = {}) =>
    s3.send(new aws.PutObjectCommand({ Bucket, Key, Body, ...more }));
  const get = (Key: string, more = {}) => s3.send(new aws.GetObjectCommand({ Bucket, Key, ...more }));
  const content = async (Key: string, more = {}): Promise<Buffer> =>
    Buffer.from((await (await get(Key, more)).Body?.transformToByteArray()) ?? []);
  const fails = async (work: Promise<unknown>, name: string): Promise<void> =>
    assert.rejects(work, (error: aws.S3ServiceException) => {
      assert.deepEqual([error.name, error.$metadata.httpStatusCode], [name, 400]);
      return true;
    });

  it('[OBJ-01] an object is readable only with its key, whole, by ranges and by versions', async () => {
    const first = randomBytes(200_000);
    const made = await put('object', first, key.of);
    assert.deepEqual([made.SSECustomerAlgorithm, made.SSECustomerKeyMD5], ['AES256', key.md5]);
    assert.equal(made.ServerSideEncryption, undefined);
    assert.notEqual(made.ETag, `"${hash('md5', first)}"`, 'the entity tag reveals nothing about the content');
    await put('object', 'plain');
    const VersionId = made.VersionId;
    assert.equal((await content('object')).toString(), 'plain');
    assert.ok((await content('object', { VersionId, ...key.of })).equals(first));
    const range = await get('object', { VersionId, Range: 'bytes=65000-140000', ...key.of });
    assert.deepEqual([range.ContentLength, range.ContentRange], [75_001, 'bytes 65000-140000/200000']);
    assert.ok(first.subarray(65_000, 140_001).equals((await range.Body?.transformToByteArray()) ?? Buffer.alloc(0)));
    const head = await s3.send(new aws.HeadObjectCommand({ Bucket, Key: 'object', VersionId, ...key.of }));
    assert.deepEqual([head.ContentLength, head.ETag, head.SSECustomerKeyMD5], [200_000, made.ETag, key.md5]);

    await fails(get('object', { VersionId }), 'InvalidRequest');
    await fails(get('object', { VersionId, ...other.of }), 'InvalidArgument');
    await fails(get('object', key.of), 'InvalidRequest'); // the newest version is not encrypted
    await fails(s3.send(new aws.HeadObjectCommand({ Bucket, Key: 'object', VersionId })), 'Unknown'); // without a body
    const ObjectAttributes = ['ETag', 'ObjectSize'] satisfies aws.ObjectAttributes[];
    const request = { Bucket, Key: 'object', VersionId, ObjectAttributes };
    await fails(s3.send(new aws.GetObjectAttributesCommand(request)), 'InvalidRequest');
    assert.equal((await s3.send(new aws.GetObjectAttributesCommand({ ...request, ...key.of }))).ObjectSize, 200_000);
    await s3.send(new aws.DeleteObjectCommand({ Bucket, Key: 'object', VersionId }));
  });

  it('a policy decides by the algorithm before the key is checked', async () => {
    const denied = { 's3:x-amz-server-side-encryption-customer-algorithm': 'AES256' };
    const Statement = [
      {
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:PutObject',
        Resource: `arn:aws:s3:::${Bucket}/secret/*`,
        Condition: { StringNotEquals: denied },
      },
    ];
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
    await s3.send(new aws.PutBucketPolicyCommand({ Bucket, Policy }));
    await assert.rejects(put('secret/a', 'x'), { name: 'AccessDenied' });
    await assert.rejects(put('secret/a', 'x', { SSECustomerAlgorithm: 'AES192' }), { name: 'AccessDenied' });
    await put('secret/a', 'x', key.of);
    await s3.send(new aws.DeleteBucketPolicyCommand({ Bucket }));
  });

  it('[OBJ-01] a copy has its own key, the same one, or none, and needs the key of its source', async () => {
    const body = randomBytes(70_000);
    await put('source', body, key.of);
    const copy = (Key: string, more: object) =>
      s3.send(new aws.CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/source`, ...more }));
    await fails(copy('copy', {}), 'InvalidRequest');
    await fails(copy('copy', other.ofSource), 'InvalidArgument');
    const made = await copy('copy', { ...key.ofSource, ...other.of });
    assert.equal(made.SSECustomerKeyMD5, other.md5);
    assert.ok((await content('copy', other.of)).equals(body));
    await copy('opened', { ...key.ofSource, ServerSideEncryption: 'AES256' });
    assert.ok((await content('opened')).equals(body));
    await copy('source', { ...key.ofSource, ...other.of }); // another key for the same object
    assert.ok((await content('source', other.of)).equals(body));
    await fails(get('source', key.of), 'InvalidArgument');
  });

  it('[OBJ-01] every part of an upload is encrypted with the key of its start', async () => {
    const parts = [randomBytes(5 * mib), randomBytes(5 * mib), randomBytes(1000)] as const;
    await put('plain-part', parts[1]);
    const at = { Bucket, Key: 'parts' };
    const { UploadId, SSECustomerKeyMD5 } = await s3.send(new aws.CreateMultipartUploadCommand({ ...at, ...key.of }));
    assert.equal(SSECustomerKeyMD5, key.md5);
    const upload = (PartNumber: number, Body: Buffer, more: object) =>
      s3.send(new aws.UploadPartCommand({ ...at, UploadId, PartNumber, Body, ...more }));
    await fails(upload(1, parts[0], {}), 'InvalidRequest');
    await fails(upload(1, parts[0], other.of), 'InvalidRequest');
    const first = await upload(1, parts[0], key.of);
    assert.equal((await upload(1, parts[0], key.of)).ETag, first.ETag, 'the same content, sent again');
    const copied = await s3.send(
      new aws.UploadPartCopyCommand({
        ...{ ...at, UploadId, PartNumber: 2, CopySource: `${Bucket}/plain-part` },
        ...key.of,
      }),
    );
    const last = await upload(3, parts[2], key.of);
    const listed = await s3.send(new aws.ListPartsCommand({ ...at, UploadId, ...key.of }));
    assert.deepEqual(
      listed.Parts?.map(({ Size }) => Size),
      parts.map(({ length }) => length),
    );
    const tags = [first.ETag, copied.CopyPartResult?.ETag, last.ETag];
    const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    const complete = (more: object) =>
      s3.send(new aws.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts }, ...more }));
    await fails(complete(other.of), 'InvalidRequest');
    await complete(key.of);
    const whole = Buffer.concat(parts);
    assert.ok((await content('parts', key.of)).equals(whole));
    const across = await content('parts', { Range: `bytes=${5 * mib - 10}-${10 * mib + 9}`, ...key.of });
    assert.ok(across.equals(whole.subarray(5 * mib - 10, 10 * mib + 10)));
    assert.ok((await content('parts', { PartNumber: 3, ...key.of })).equals(parts[2]));
  });

  it('presigned URLs and forms take the key, and the console reports what is missing', async () => {
    const Key = 'by-link';
    const command = new aws.PutObjectCommand({ Bucket, Key, ...key.of });
    const link = await getSignedUrl(s3, command, { expiresIn: 60 });
    assert.ok(!link.includes(encodeURIComponent(key.of.SSECustomerKey)), 'the key is a header');
    assert.equal((await fetch(link, { method: 'PUT', body: 'by link', headers: key.headers })).status, 200);
    const read = await getSignedUrl(s3, new aws.GetObjectCommand({ Bucket, Key, ...key.of }), { expiresIn: 60 });
    assert.equal(await (await fetch(read, { headers: key.headers })).text(), 'by link');

    const expiration = new Date(Date.now() + 60_000).toISOString();
    const allowed = ['key', ...Object.keys(key.headers)].map((name) => ['starts-with', `$${name}`, '']);
    const policy = Buffer.from(JSON.stringify({ expiration, conditions: [{ bucket: Bucket }, ...allowed] }));
    const form = new FormData();
    const fields = { ...key.headers, key: 'by-form', AWSAccessKeyId: credentials.accessKeyId };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('policy', policy.toString('base64'));
    const signature = createHmac('sha1', credentials.secretAccessKey).update(policy.toString('base64'));
    form.set('signature', signature.digest('base64'));
    form.set('file', new Blob(['by form']));
    assert.equal((await fetch(`${storageUrl(region)}/${Bucket}`, { method: 'POST', body: form })).status, 204);
    assert.equal((await content('by-form', key.of)).toString(), 'by form');

    const owner = await signIn(region, region.owner);
    const shown = await owner.call<string>('GET', consoleS3(Bucket, 'by-form'));
    assert.equal(shown.status, 400);
    assert.match(shown.body, /<Code>InvalidRequest<\/Code><Message>The object was stored using a form of/);
    const list = await owner.call<string>('GET', consoleS3(Bucket, undefined, '?list-type=2&prefix=by-form'));
    assert.match(list.body, /<Key>by-form<\/Key>/);
  });

  it('[OBJ-01] the disk has neither the content nor the key; checks and save points work without it', async () => {
    const text = 'words that must not be readable on disk, ';
    const body = text.repeat(5000);
    await put('on-disk', body, key.of);
    await put('small-on-disk', text, key.of);
    const check = (await cumulet(['state', 'check', '--data', region.data])).stdout;
    assert.match(check, /no damage found/);
    const savepoint = (...args: string[]) => cumulet(['savepoint', ...args, '--data', region.data]);
    assert.equal((await savepoint('create', 'sealed')).code, 0);
    await s3.send(new aws.DeleteObjectCommand({ Bucket, Key: 'on-disk' }));
    assert.equal((await savepoint('restore', 'sealed')).code, 0);
    assert.equal((await content('on-disk', key.of)).toString(), body);
    assert.equal((await content('small-on-disk', key.of)).toString(), text);

    await region.halt('SIGTERM');
    const files = readdirSync(region.data, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const hidden = [text, key.of.SSECustomerKey, key.secret, key.secret.toString('hex')];
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name));
      assert.ok(!hidden.some((one) => bytes.includes(one)), file.name);
    }
    await region.start();
    s3 = s3Client(region, credentials);
    assert.equal((await content('on-disk', key.of)).toString(), body);
  });
});
