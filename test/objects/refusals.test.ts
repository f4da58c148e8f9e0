// Requests that the object storage refuses: wrong and stale signatures, changed bodies, path traversal, and malformed
// requests. Every refusal is S3's own XML.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { after, before, describe, it } from 'node:test';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { sign } from '../../src/testing/black-box/s3-signature.ts';
import { makeStorageKey, type StorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { answerOn, dial, wire } from '../harness/wire.ts';

const Bucket = 'refusing-bucket';
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

// Malformed checksums that no body can have.
const malformedSums: [code: string, header: string, value: string][] = [
  ...['', 'bad', 'AAAA', 'AAAAAAAAAAAAAAAAAAAAAA', 'ÿ'].map((value): [string, string, string] => [
    'InvalidDigest',
    'content-md5',
    value,
  ]),
  ...['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'].map((name): [string, string, string] => [
    'InvalidRequest',
    `x-amz-checksum-${name}`,
    'bad',
  ]),
  ['InvalidRequest', 'x-amz-checksum-crc32', 'AAAAAAAAAAA='], // the length of another algorithm
  ['InvalidRequest', 'x-amz-sdk-checksum-algorithm', 'MD4'],
];

interface Signed {
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  sent?: string | Buffer; // instead of the body that was signed
  key?: StorageKey;
}

describe('refusals of the object storage', () => {
  let region: Region;
  let key: StorageKey;
  let s3: S3Client;
  before(async () => {
    region = await startRegion();
    key = await makeStorageKey(region);
    s3 = s3Client(region, key);
    await s3.send(new CreateBucketCommand({ Bucket }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'there', Body: 'content' }));
  });
  after(() => region.stop());

  const call = async (path: string, options: Signed = {}) => {
    const { method = 'GET', body = '', headers = {}, sent = body, key: by = key } = options;
    const url = new URL(`${storageUrl(region)}/${path}`);
    const credentials = { accessKey: by.accessKeyId, secretKey: by.secretAccessKey, region: 'eu-central-3' };
    const signed = sign({ method, url, headers, payloadHash: sha256(body) }, credentials, Date.now());
    const answer = await fetch(url, { method, headers: signed, ...(sent.length > 0 && { body: sent }) });
    const text = await answer.text();
    return { status: answer.status, code: /<Code>(\w+)<\/Code>/.exec(text)?.[1], text };
  };
  const refused = async (code: string, status: number, path: string, options: Signed = {}) => {
    const answer = await call(path, options);
    assert.deepEqual([answer.code, answer.status], [code, status], answer.text);
  };
  // Sends a raw path, which URL would resolve.
  const raw = (path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(storageUrl(region));
      httpRequest({ hostname, port, path }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  it('refuses a wrong key, a wrong secret and no key', async () => {
    await refused('SignatureDoesNotMatch', 403, `${Bucket}/there`, { key: { ...key, secretAccessKey: 'other' } });
    await refused('InvalidAccessKeyId', 403, `${Bucket}/there`, { key: { ...key, accessKeyId: 'nobodys' } });
    const anonymous = await fetch(`${storageUrl(region)}/${Bucket}/there`);
    assert.equal(anonymous.status, 403);
    assert.match(await anonymous.text(), /<Code>AccessDenied<\/Code>/);
  });

  it('refuses a body with one changed byte, and stores nothing of it', async () => {
    const changed = { method: 'PUT', body: 'signed', sent: 'sigmed' };
    await refused('XAmzContentSHA256Mismatch', 400, `${Bucket}/changed`, changed);
    await refused('NoSuchKey', 404, `${Bucket}/changed`);
    const md5 = { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' };
    await refused('BadDigest', 400, `${Bucket}/changed`, { method: 'PUT', body: 'x', headers: md5 });
    const crc = { 'x-amz-checksum-crc32': 'AAAAAA==' };
    await refused('BadDigest', 400, `${Bucket}/changed`, { method: 'PUT', body: 'x', headers: crc });
    const put = { method: 'PUT', body: 'x' };
    for (const [code, name, value] of malformedSums)
      await refused(code, 400, `${Bucket}/changed`, { ...put, headers: { [name]: value } });
    await refused('NoSuchKey', 404, `${Bucket}/changed`);
  });

  it('refuses to append, which would replace the object', async () => {
    const append = { method: 'PUT', body: 'more', headers: { 'x-amz-write-offset-bytes': '7' } };
    await refused('NotImplemented', 501, `${Bucket}/there`, append);
    assert.equal((await call(`${Bucket}/there`)).text, 'content');
  });

  it('accepts a presigned URL until it expires, only for the signed request', async () => {
    const there = new GetObjectCommand({ Bucket, Key: 'there' });
    const url = await getSignedUrl(s3, there, { expiresIn: 60 });
    assert.equal(await (await fetch(url)).text(), 'content');
    assert.equal((await fetch(url.replace('/there', '/other'))).status, 403);
    assert.equal((await fetch(url.replace('Expires=60', 'Expires=600'))).status, 403);
    const signingDate = new Date(Date.now() - 61_000);
    const late = await fetch(await getSignedUrl(s3, there, { expiresIn: 60, signingDate }));
    assert.equal(late.status, 403);
    assert.match(await late.text(), /<Message>Request has expired<\/Message>/);
  });

  it('checks the announced length of the body', async () => {
    const put = { method: 'PUT', body: 'content', headers: { 'x-amz-decoded-content-length': '0' } };
    assert.equal((await call(`${Bucket}/lying`, put)).status, 200);
    assert.equal((await call(`${Bucket}/lying`)).text, 'content');
  });

  it('converts query values to header values, and refuses those that no header can have', async () => {
    const Metadata = { name: 'Zoë 日本' };
    const put = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'named', Metadata }), {
      unhoistableHeaders: new Set(),
    });
    assert.equal((await fetch(put, { method: 'PUT', body: 'x' })).status, 200);
    const { headers } = await fetch(await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'named' })));
    assert.equal(Buffer.from(headers.get('x-amz-meta-name') ?? '', 'latin1').toString(), Metadata.name);
    const get = (more: object): Promise<string> =>
      getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'there', ...more }));
    const shown = await fetch(await get({ ResponseContentDisposition: 'attachment; filename="日.txt"' }));
    assert.equal(shown.status, 200);
    const disposition = Buffer.from(shown.headers.get('content-disposition') ?? '', 'latin1').toString();
    assert.equal(disposition, 'attachment; filename="日.txt"');
    for (const more of [{ ResponseContentType: 'a\r\nb: c' }, { ResponseContentLanguage: 'd\0e' }]) {
      const answer = await fetch(await get(more));
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /<Code>InvalidArgument<\/Code>/);
    }
  });

  it('refuses malformed forms, also of anonymous callers, and continues', async () => {
    const field = (name: string, value: string): string =>
      `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`;
    const file = field('name="file"; filename="a"', 'content');
    for (const body of [`${field('nome="key"', 'k')}${file}--b--\r\n`, `${field('name="key"', 'k')}${file}`, '--b']) {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const answer = await fetch(`${storageUrl(region)}/${Bucket}`, { method: 'POST', headers, body });
      assert.ok([400, 403].includes(answer.status), `${answer.status}`);
    }
    assert.equal((await call(`${Bucket}/there`)).text, 'content');
  });

  it('treats paths with .. as keys, and refuses invalid keys', async () => {
    const climbing = ['../../../../../tmp/climbed', '..', 'a/../../b', '/absolute', 'a//b', '%2e%2e%2fx'];
    for (const Key of climbing) await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    for (const Key of climbing)
      assert.equal(await (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString(), Key);
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }));
    const keys = Contents?.map(({ Key }) => Key);
    assert.ok(climbing.every((Key) => keys?.includes(Key)));
    for (const path of [`/${Bucket}/a%00b`, `/${Bucket}/%ff`, `/${Bucket}/%zz`, '/..%2f..%2fetc/passwd', '/../../etc'])
      assert.ok([400, 403, 404].includes(await raw(path)), path);
    await refused('KeyTooLongError', 400, `${Bucket}/${'k'.repeat(1025)}`, { method: 'PUT', body: 'x' });
  });

  it('refuses malformed documents and arguments', async () => {
    const post = (body: string): Signed => ({ method: 'POST', body });
    const many = (count: number) => `<Delete>${'<Object><Key>k</Key></Object>'.repeat(count)}</Delete>`;
    const bomb =
      '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&e;</Key></Object></Delete>';
    for (const body of ['<Delete>', 'no xml', '<Other/>', bomb, many(1001)])
      await refused('MalformedXML', 400, `${Bucket}?delete`, post(body));
    await refused('MaxMessageLengthExceeded', 400, `${Bucket}?delete`, post(many(1_000_000)));
    await refused('MalformedXML', 400, `${Bucket}/there?uploadId=x`, post('<CompleteMultipartUpload/>'));
    await refused('MalformedXML', 400, `${Bucket}/there?tagging`, { method: 'PUT', body: '<Tagging><TagSet>' });
    await refused('InvalidArgument', 400, `${Bucket}/there?partNumber=10001&uploadId=x`, { method: 'PUT', body: 'x' });
    await refused('InvalidArgument', 400, `${Bucket}?max-keys=-1`);
    await refused('InvalidArgument', 400, `${Bucket}?versions&version-id-marker=x`);
    await refused('NotImplemented', 501, `${Bucket}/there?restore`, post('<RestoreRequest/>'));
    await refused('NotImplemented', 501, `${Bucket}/there?select&select-type=2`, post('<x/>'));
    await refused('MethodNotAllowed', 405, `${Bucket}/there?tagging`, post('x'));
  });

  it('refuses a body that is shorter or longer than announced', async () => {
    const url = storageUrl(region);
    const body = 'x'.repeat(100);
    const target = new URL(`${url}/${Bucket}/short`);
    const credentials = { accessKey: key.accessKeyId, secretKey: key.secretAccessKey, region: 'eu-central-3' };
    const chunked = {
      'x-amz-decoded-content-length': '99',
      'content-encoding': 'aws-chunked',
      'x-amz-trailer': 'x-amz-checksum-crc32',
    };
    const payloadHash = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
    for (const announced of ['99', '101']) {
      const headers = { ...chunked, 'x-amz-decoded-content-length': announced };
      const signed = sign({ method: 'PUT', url: target, headers, payloadHash }, credentials, Date.now());
      const sent = `64\r\n${body}\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n`;
      const answer = await fetch(target, { method: 'PUT', headers: signed, body: sent });
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /<Code>IncompleteBody<\/Code>/);
    }
    assert.equal((await call(`${Bucket}/there`)).text, 'content');
  });

  it("refuses headers of 10 MB and invalid HTTP with S3's XML, on its listener and its hosts", async () => {
    const { gateway: http, https } = region.ready;
    const asXml = async (url: string, request: string, code: string): Promise<void> => {
      const { status, headers, body } = await wire(url, request);
      assert.deepEqual([status, headers['content-type']], [400, 'application/xml'], `${url} ${body}`);
      assert.match(String(body), new RegExp(`<Code>${code}</Code>.*<RequestId>${headers['x-amz-request-id']}<`));
    };
    const large = (host: string): string =>
      `GET /${Bucket}/there HTTP/1.1\r\nHost: ${host}\r\nX-Large: ${'x'.repeat(10 * 1024 ** 2)}\r\n\r\n`;
    const host = 's3.eu-central-3.ionoscloud.com';
    await asXml(storageUrl(region), large('localhost'), 'RequestHeaderSectionTooLarge');
    await asXml(http, large(host), 'RequestHeaderSectionTooLarge');
    await asXml(http, large(`${Bucket}.${host}`), 'RequestHeaderSectionTooLarge');
    await asXml(storageUrl(region), 'no HTTP\r\n\r\n', 'BadRequest');
    await asXml(storageUrl(region), 'GET / HTTP/1.1\r\n\r\n', 'BadRequest');
    await asXml(http, `GET / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: gzip\r\n\r\n`, 'BadRequest');
    const socket = dial(https, host);
    socket.write(large(host));
    const secure = await answerOn(socket);
    assert.match(String(secure.body), /<Code>RequestHeaderSectionTooLarge</);
    assert.equal((await wire(http, large('localhost'))).status, 431);
    assert.equal((await call(`${Bucket}/there`)).text, 'content');
  });
});
