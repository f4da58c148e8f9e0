// Bodies of uploads: the published example of signed chunks with and without a trailer, byte for byte, then every way
// in which a body can differ from its headers.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { signingKey } from '../../../core/s3-signature/signing-key.ts';
import { payloadMode } from '../signature/payload-mode.ts';
import type { ChunkSigning } from '../signature/signer.ts';
import { checksumOf } from './checksum.ts';
import { type PayloadDigest, readPayload } from './payload.ts';
import { parsePayloadPlan, storedContentEncoding } from './payload-plan.ts';

const scope = { day: '20130524', region: 'us-east-1', service: 's3' };
const signing = (seed: string): ChunkSigning => ({
  key: signingKey('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', scope),
  timestamp: '20130524T000000Z',
  scope: '20130524/us-east-1/s3/aws4_request',
  seed,
});

async function* pieces(body: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

interface Given {
  body: Buffer | string;
  mode: string;
  headers?: Record<string, string>;
  seed?: string;
  pieceBytes?: number;
}

async function read(given: Given): Promise<PayloadDigest & { body: Buffer }> {
  const { body, mode, headers = {}, seed, pieceBytes = 1000 } = given;
  const plan = parsePayloadPlan((name) => headers[name], payloadMode(mode));
  const payload = readPayload(
    pieces(Buffer.from(body), pieceBytes),
    plan,
    seed === undefined ? undefined : signing(seed),
  );
  const read: Buffer[] = [];
  for await (const bytes of payload.body) read.push(Buffer.from(bytes));
  return { ...payload.digest(), body: Buffer.concat(read) };
}

const refuses = (given: Given, code: string): Promise<void> =>
  assert.rejects(read(given), (error) => error instanceof Fault && error.detail.code === code, `${code} is expected`);

const chunk = (data: string, signature: string): string =>
  `${data.length.toString(16)};chunk-signature=${signature}\r\n${data}\r\n`;
const data = 'a'.repeat(66_560);

suite('signed chunks', () => {
  const mode = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
  const seed = '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9';
  const body =
    chunk(data.slice(0, 65_536), 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648') +
    chunk(data.slice(65_536), '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497') +
    chunk('', 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9');
  const headers = { 'x-amz-decoded-content-length': '66560' };
  const given = { body, mode, seed, headers };

  for (const pieceBytes of [1, 7, 1000, 65_536, 1_000_000]) {
    test(`are the published example in pieces of ${pieceBytes}`, async () => {
      const result = await read({ ...given, pieceBytes });
      assert.equal(result.body.toString(), data);
      assert.equal(result.md5.toString('hex'), createHash('md5').update(data).digest('hex'));
    });
  }

  test('are refused with a changed byte, seed, signature or order', async () => {
    await refuses({ ...given, body: body.replace('\r\naaaa', '\r\nbaaa') }, 'SignatureDoesNotMatch');
    await refuses({ ...given, seed: seed.replace('4f', '40') }, 'SignatureDoesNotMatch');
    await refuses({ ...given, body: body.replace('b6c6ea', 'b6c6eb') }, 'SignatureDoesNotMatch');
    await refuses({ ...given, body: body.replace(';chunk-signature=ad80c7', ';x=ad80c7') }, 'SignatureDoesNotMatch');
  });

  test('are refused when they end early, promise another length or are malformed', async () => {
    await refuses({ ...given, body: body.slice(0, 65_000) }, 'IncompleteBody');
    await refuses({ ...given, body: body.slice(0, body.lastIndexOf('0;chunk')) }, 'IncompleteBody');
    await refuses({ ...given, headers: { 'x-amz-decoded-content-length': '66559' } }, 'IncompleteBody');
    await refuses({ ...given, headers: { 'x-amz-decoded-content-length': '66561' } }, 'IncompleteBody');
    await refuses({ ...given, headers: {} }, 'MissingContentLength');
    await refuses({ ...given, headers: { 'x-amz-decoded-content-length': 'x' } }, 'InvalidArgument');
    await refuses({ ...given, body: 'zz\r\n' }, 'InvalidRequest');
    await refuses({ ...given, body: '1'.repeat(5000) }, 'InvalidRequest');
    const { seed: _, ...anonymous } = given;
    await refuses(anonymous, 'InvalidRequest');
  });
});

suite('signed chunks with a trailer', () => {
  const mode = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
  const seed = '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e';
  const chunks =
    chunk(data.slice(0, 65_536), 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2') +
    chunk(data.slice(65_536), '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7') +
    '0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n';
  const signature = 'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n';
  const headers = { 'x-amz-decoded-content-length': '66560', 'x-amz-trailer': 'x-amz-checksum-crc32c' };
  const given = { mode, seed, headers };

  for (const [form, end] of [
    ['that SDKs send', '\r\n'],
    ['of the documentation', '\n\r\n'],
  ]) {
    test(`are the published example in the form ${form}`, async () => {
      const result = await read({ ...given, body: `${chunks}x-amz-checksum-crc32c:sOO8/Q==${end}${signature}` });
      assert.deepEqual(result.checksum, { algorithm: 'CRC32C', value: 'sOO8/Q==' });
      assert.equal(result.size, 66_560);
    });
  }

  test('are refused when the trailer is changed, unsigned, missing or too long', async () => {
    const trailer = 'x-amz-checksum-crc32c:sOO8/Q==\r\n';
    await refuses(
      { ...given, body: `${chunks}x-amz-checksum-crc32c:sOO8/A==\r\n${signature}` },
      'SignatureDoesNotMatch',
    );
    await refuses({ ...given, body: `${chunks}${trailer}\r\n` }, 'SignatureDoesNotMatch');
    await refuses({ ...given, body: `${chunks}\r\n` }, 'MalformedTrailerError');
    await refuses({ ...given, body: `${chunks}${'x'.repeat(20_000)}` }, 'MalformedTrailerError');
    await refuses({ ...given, body: `${chunks}${trailer}${trailer}${signature}` }, 'MalformedTrailerError');
  });
});

suite('unsigned chunks with a trailer', () => {
  const mode = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  const headers = { 'x-amz-decoded-content-length': '9', 'x-amz-trailer': 'x-amz-checksum-crc64nvme' };
  const chunks = '4\r\n1234\r\n5\r\n56789\r\n0\r\n';

  test('are verified by their checksum', async () => {
    const result = await read({ mode, headers, body: `${chunks}x-amz-checksum-crc64nvme:rosUhgp5mIg=\r\n\r\n` });
    assert.equal(result.body.toString(), '123456789');
    assert.deepEqual(result.checksum, { algorithm: 'CRC64NVME', value: 'rosUhgp5mIg=' });
    await refuses({ mode, headers, body: `${chunks}x-amz-checksum-crc64nvme:rosUhgp5mIk=\r\n\r\n` }, 'BadDigest');
    await refuses({ mode, headers, body: `${chunks}x-amz-checksum-crc64nvme:x\r\n\r\n` }, 'InvalidRequest');
    await refuses({ mode, headers, body: `${chunks}x-amz-checksum-crc32:AAAAAA==\r\n\r\n` }, 'MalformedTrailerError');
    await refuses({ mode, headers, body: '4\r\n12345\r\n' }, 'InvalidRequest');
  });

  test('may be empty', async () => {
    const none = { 'x-amz-decoded-content-length': '0' };
    assert.equal((await read({ mode, headers: none, body: '0\r\n\r\n' })).size, 0);
    assert.equal((await read({ mode, headers: none, body: '0\r\n' })).size, 0);
  });
});

suite('plain bodies', () => {
  const body = '123456789';
  const sha256 = createHash('sha256').update(body).digest('hex');
  const md5 = createHash('md5').update(body).digest('base64');

  test('are verified by hash, MD5, length and checksum', async () => {
    const crc32 = 'y/Q5Jg=='; // cbf43926, the check value of CRC-32
    const headers = { 'content-length': '9', 'content-md5': md5, 'x-amz-checksum-crc32': crc32 };
    const result = await read({ body, mode: sha256, headers });
    assert.deepEqual(result.checksum, { algorithm: 'CRC32', value: crc32 });
    assert.equal(result.md5.toString('base64'), md5);
    await refuses({ body: '123456780', mode: sha256 }, 'XAmzContentSHA256Mismatch');
    await refuses({ body: '123456780', mode: 'UNSIGNED-PAYLOAD', headers: { 'content-md5': md5 } }, 'BadDigest');
    await refuses({ body, mode: sha256, headers: { 'content-md5': 'x' } }, 'InvalidDigest');
    await refuses({ body, mode: sha256, headers: { 'content-length': '10' } }, 'IncompleteBody');
    await refuses({ body, mode: sha256, headers: { 'content-length': '8' } }, 'IncompleteBody');
    await refuses({ body, mode: sha256, headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } }, 'BadDigest');
  });

  test('are refused with contradictory headers', async () => {
    const headers = { 'x-amz-checksum-crc32': 'AAAAAA==' };
    const mode = 'UNSIGNED-PAYLOAD';
    await refuses({ body, mode, headers: { 'x-amz-checksum-crc32': 'AAAA' } }, 'InvalidRequest');
    await refuses({ body, mode, headers: { ...headers, 'x-amz-checksum-crc32c': 'AAAAAA==' } }, 'InvalidRequest');
    await refuses({ body, mode, headers: { ...headers, 'x-amz-sdk-checksum-algorithm': 'SHA256' } }, 'InvalidRequest');
    await refuses({ body, mode, headers: { 'x-amz-sdk-checksum-algorithm': 'MD4' } }, 'InvalidRequest');
    await refuses({ body, mode, headers: { 'x-amz-trailer': 'x-amz-checksum-crc32' } }, 'InvalidRequest');
  });

  test('get the checksum that the SDK announces without a value', async () => {
    const { checksum } = await read({ body, mode: sha256, headers: { 'x-amz-sdk-checksum-algorithm': 'sha256' } });
    assert.deepEqual(checksum, { algorithm: 'SHA256', value: Buffer.from(sha256, 'hex').toString('base64') });
  });
});

test('a body is read at the pace of its consumer, and released when the consumer stops', async () => {
  let taken = 0;
  let isReleased = false;
  async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        taken += 1;
        yield Buffer.alloc(1024);
      }
    } finally {
      isReleased = true;
    }
  }
  const plan = parsePayloadPlan(() => undefined, { kind: 'unsigned' });
  for await (const _ of readPayload(endless(), plan, undefined).body) if (taken === 3) break;
  assert.equal(taken, 3);
  assert.ok(isReleased);
});

test('an encoding of aws-chunked is not stored', () => {
  assert.equal(storedContentEncoding('aws-chunked'), undefined);
  assert.equal(storedContentEncoding('aws-chunked,gzip'), 'gzip');
  assert.equal(storedContentEncoding('gzip, aws-chunked'), 'gzip');
  assert.equal(storedContentEncoding(undefined), undefined);
  assert.equal(checksumOf('CRC32C', Buffer.from('123456789')), '4waSgw==');
});
