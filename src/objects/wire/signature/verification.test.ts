// Signature Version 4 against the published examples of AWS (documentation of Amazon S3, "Authenticating Requests"),
// and against a signer written here from the specification.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import type { SignedRequest, Signer } from './signer.ts';
import { verifySignature } from './verification.ts';

const accessKeyId = 'AKIAIOSFODNN7EXAMPLE';
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const now = Date.UTC(2013, 4, 24);
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const scope = '20130524/us-east-1/s3/aws4_request';

interface Given {
  method?: string;
  target: string;
  headers: Record<string, string> | [string, string][];
  hostBucket?: string;
}

const requestOf = ({ method = 'GET', target, headers, hostBucket }: Given): SignedRequest => ({
  method,
  target,
  rawHeaders: (Array.isArray(headers) ? headers : Object.entries(headers)).flat(),
  hostBucket,
});

const verify = (given: Given, at = now): Promise<Signer | undefined> =>
  verifySignature(requestOf(given), { now: at, secretOf: (id) => (id === accessKeyId ? secret : undefined) });

const refuses = (given: Given, code: string, at = now): Promise<void> =>
  assert.rejects(verify(given, at), (error) => error instanceof Fault && error.detail.code === code);

const authorization = (signedHeaders: string, signature: string): string =>
  `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${signedHeaders},Signature=${signature}`;

suite('the published examples', () => {
  const host = 'examplebucket.s3.amazonaws.com';
  const date = '20130524T000000Z';

  test('GET with a range', async () => {
    const signature = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';
    const signer = await verify({
      target: '/test.txt',
      headers: {
        Host: host,
        Range: 'bytes=0-9',
        'x-amz-content-sha256': empty,
        'x-amz-date': date,
        Authorization: authorization('host;range;x-amz-content-sha256;x-amz-date', signature),
      },
    });
    assert.equal(signer?.accessKeyId, accessKeyId);
    assert.equal(signer?.region, 'us-east-1');
    assert.deepEqual(signer?.payload, { kind: 'hash', sha256: empty });
  });

  test('PUT of a key with a dollar sign', async () => {
    const signature = '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd';
    const sha256 = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072';
    const headers = {
      Host: host,
      Date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-date': date,
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': sha256,
      Authorization: authorization('date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class', signature),
    };
    assert.ok(await verify({ method: 'PUT', target: '/test$file.text', headers }));
    assert.ok(await verify({ method: 'PUT', target: '/test%24file.text', headers }));
    await refuses({ method: 'PUT', target: '/test%25file.text', headers }, 'SignatureDoesNotMatch');
  });

  for (const target of ['/?lifecycle', '/?lifecycle=']) {
    test(`a sub-resource: ${target}`, async () => {
      const signature = 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543';
      const signed = authorization('host;x-amz-content-sha256;x-amz-date', signature);
      const headers = { Host: host, 'x-amz-date': date, 'x-amz-content-sha256': empty, Authorization: signed };
      assert.ok(await verify({ target, headers }));
    });
  }

  test('a list with parameters in any order', async () => {
    const signature = '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7';
    const signed = authorization('host;x-amz-content-sha256;x-amz-date', signature);
    const headers = { Host: host, 'x-amz-date': date, 'x-amz-content-sha256': empty, Authorization: signed };
    assert.ok(await verify({ target: '/?max-keys=2&prefix=J', headers }));
    assert.ok(await verify({ target: '/?prefix=J&max-keys=2', headers }));
    await refuses({ target: '/?prefix=J&max-keys=3', headers }, 'SignatureDoesNotMatch');
  });

  const presigned =
    '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F' +
    'aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=' +
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';

  test('a presigned URL, until it expires', async () => {
    const given = { target: presigned, headers: { Host: host } };
    const signer = await verify(given, now + 86_400_000);
    assert.equal(signer?.isPresigned, true);
    assert.deepEqual(signer?.payload, { kind: 'unsigned' });
    await refuses(given, 'AccessDenied', now + 86_400_001);
    await refuses(given, 'AccessDenied', now - 15 * 60_000 - 1);
    assert.ok(await verify(given, now - 15 * 60_000));
  });

  test('a presigned URL does not cover headers that were not signed', async () => {
    const headers = { Host: host, 'x-amz-acl': 'public-read' };
    await refuses({ target: presigned, headers }, 'AccessDenied');
  });

  test('a presigned URL with a changed parameter', async () => {
    const target = presigned.replace('Expires=86400', 'Expires=86401');
    await refuses({ target, headers: { Host: host } }, 'SignatureDoesNotMatch');
  });
});

// An independent signer: the steps of the specification, without the code under test.
const sha256 = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex');
const mac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

interface ToSign {
  method?: string;
  canonicalPath: string;
  canonicalQuery?: string;
  canonicalHeaders: string; // with the last line break
  signedHeaders: string;
  payload?: string;
  date?: string;
  region?: string;
}

function signed({
  method = 'GET',
  canonicalPath,
  canonicalQuery = '',
  canonicalHeaders,
  signedHeaders,
  payload = 'UNSIGNED-PAYLOAD',
  date = '20130524T000000Z',
  region = 'us-east-1',
}: ToSign): string {
  const canonical = [method, canonicalPath, canonicalQuery, canonicalHeaders, signedHeaders, payload].join('\n');
  const day = date.slice(0, 8);
  const text = ['AWS4-HMAC-SHA256', date, `${day}/${region}/s3/aws4_request`, sha256(canonical)].join('\n');
  return mac(mac(mac(mac(mac(`AWS4${secret}`, day), region), 's3'), 'aws4_request'), text).toString('hex');
}

const names = 'host;x-amz-content-sha256;x-amz-date';
const lines = 'host:s3\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:20130524T000000Z\n';
const base = { Host: 's3', 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD', 'X-Amz-Date': '20130524T000000Z' };

const withPath = (canonicalPath: string, canonicalQuery = ''): Record<string, string> => ({
  ...base,
  Authorization: authorization(
    names,
    signed({ canonicalPath, canonicalQuery, canonicalHeaders: lines, signedHeaders: names }),
  ),
});

suite('the canonical request', () => {
  test('accepts a path that is encoded once, twice, or not at all', async () => {
    assert.ok(await verify({ target: '/b/a%20b%2Bc', headers: withPath('/b/a%20b%2Bc') }));
    assert.ok(await verify({ target: '/b/a%20b%2Bc', headers: withPath('/b/a%2520b%252Bc') }));
    assert.ok(await verify({ target: "/b/it's(1)", headers: withPath("/b/it's(1)") }));
    assert.ok(await verify({ target: "/b/it's(1)", headers: withPath('/b/it%27s%281%29') }));
    assert.ok(await verify({ target: '/b/%c3%a4', headers: withPath('/b/%C3%A4') }));
    assert.ok(await verify({ target: '/b/x%2Fy', headers: withPath('/b/x/y') }));
    assert.ok(await verify({ target: '/b/../c//d', headers: withPath('/b/../c//d') }));
    await refuses({ target: '/b/a%20b', headers: withPath('/b/ab') }, 'SignatureDoesNotMatch');
  });

  test('accepts a path that is encoded twice only with a header, not in a presigned URL', async () => {
    const query =
      `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(`${accessKeyId}/${scope}`)}` +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host';
    const sign = { canonicalPath: '/b/a%2520b', canonicalQuery: query, canonicalHeaders: 'host:s3\n' };
    const signature = signed({ ...sign, signedHeaders: 'host' });
    const url = (path: string) => ({
      target: `${path}?${query}&X-Amz-Signature=${signature}`,
      headers: { Host: 's3' },
    });
    assert.ok(await verify(url('/b/a%2520b')));
    await refuses(url('/b/a%20b'), 'SignatureDoesNotMatch');
  });

  test('sorts repeated parameters and decodes a plus as a space', async () => {
    const headers = withPath('/b', 'a=&a=1&a=2&prefix=x%20y&tagging=');
    assert.ok(await verify({ target: '/b?tagging&a=2&prefix=x+y&a=1&a', headers }));
  });

  test('joins repeated headers, trims them and keeps the bytes of UTF-8', async () => {
    const signedHeaders = `${names};x-amz-meta-a`;
    const utf8AsLatin1 = Buffer.from('ä').toString('latin1');
    const canonicalHeaders = `${lines}x-amz-meta-a:one two,${utf8AsLatin1}\n`;
    const signature = signed({ canonicalPath: '/b', canonicalHeaders, signedHeaders });
    const headers: [string, string][] = [
      ...Object.entries(base),
      ['x-amz-meta-a', '  one    two '],
      ['X-Amz-Meta-A', utf8AsLatin1],
      ['Authorization', authorization(signedHeaders, signature)],
    ];
    assert.ok(await verify({ target: '/b', headers }));
  });

  test('reads an access key id with slashes from the end of the credential', async () => {
    const id = 'a/b+c=';
    const signature = signed({ canonicalPath: '/', canonicalHeaders: lines, signedHeaders: names });
    const header = authorization(names, signature).replace(accessKeyId, id);
    const request = requestOf({ target: '/', headers: { ...base, Authorization: header } });
    const signer = await verifySignature(request, {
      now,
      secretOf: async (accessKey) => (accessKey === id ? secret : undefined),
    });
    assert.equal(signer?.accessKeyId, id);
  });
});

suite('what is refused', () => {
  const good = withPath('/b');

  test('a request that is too old or too new', async () => {
    assert.ok(await verify({ target: '/b', headers: good }, now + 15 * 60_000));
    assert.ok(await verify({ target: '/b', headers: good }, now - 15 * 60_000));
    await refuses({ target: '/b', headers: good }, 'RequestTimeTooSkewed', now + 15 * 60_000 + 1);
    await refuses({ target: '/b', headers: good }, 'RequestTimeTooSkewed', now - 15 * 60_000 - 1);
  });

  test('another method, a header that is not signed, an unknown key', async () => {
    await refuses({ method: 'PUT', target: '/b', headers: good }, 'SignatureDoesNotMatch');
    await refuses({ target: '/b', headers: { ...good, 'x-amz-meta-x': '1' } }, 'AccessDenied');
    await refuses({ target: '/b', headers: { ...good, Host: 'other' } }, 'SignatureDoesNotMatch');
    const Authorization = (good.Authorization ?? '').replace(accessKeyId, 'nobody');
    await refuses({ target: '/b', headers: { ...good, Authorization } }, 'InvalidAccessKeyId');
  });

  test('a signature that leaves the host out', async () => {
    const signedHeaders = 'x-amz-content-sha256;x-amz-date';
    const canonicalHeaders = lines.replace('host:s3\n', '');
    const signature = signed({ canonicalPath: '/b', canonicalHeaders, signedHeaders });
    await refuses(
      { target: '/b', headers: { ...base, Authorization: authorization(signedHeaders, signature) } },
      'AccessDenied',
    );
  });

  test('a malformed header', async () => {
    const cases: [string, string][] = [
      ['AWS4-HMAC-SHA256', 'AuthorizationHeaderMalformed'],
      ['AWS4-HMAC-SHA256 Credential=a/b', 'AuthorizationHeaderMalformed'],
      [authorization(names, 'x').replace('/s3/', '/iam/'), 'AuthorizationHeaderMalformed'],
      [authorization(names, 'x').replace('20130524/', '20130525/'), 'AuthorizationHeaderMalformed'],
      [`${authorization(names, 'x')},Signature=y`, 'AuthorizationHeaderMalformed'],
      ['AWS key:signature', 'InvalidRequest'],
      ['Bearer abc', 'InvalidRequest'],
      [authorization(names, 'short'), 'SignatureDoesNotMatch'],
    ];
    for (const [Authorization, code] of cases)
      await refuses({ target: '/b', headers: { ...base, Authorization } }, code);
  });

  test('two authorizations, in headers or in header and query', async () => {
    const Authorization = good.Authorization ?? '';
    const twice: [string, string][] = [...Object.entries(good), ['Authorization', Authorization]];
    await refuses({ target: '/b', headers: twice }, 'AuthorizationHeaderMalformed');
    await refuses({ target: '/b?X-Amz-Signature=1', headers: good }, 'InvalidArgument');
  });

  test('a payload hash that is missing or nonsense', async () => {
    const { 'X-Amz-Content-Sha256': _, ...without } = good as Record<string, string>;
    await refuses({ target: '/b', headers: without }, 'InvalidRequest');
    await refuses({ target: '/b', headers: { ...good, 'X-Amz-Content-Sha256': 'nonsense' } }, 'InvalidArgument');
  });

  test('presigned parameters out of bounds, missing or repeated', async () => {
    const query = (changes: Record<string, string>): string =>
      new URLSearchParams({
        'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
        'X-Amz-Credential': `${accessKeyId}/${scope}`,
        'X-Amz-Date': '20130524T000000Z',
        'X-Amz-Expires': '60',
        'X-Amz-SignedHeaders': 'host',
        'X-Amz-Signature': 'x',
        ...changes,
      }).toString();
    const cases = [
      query({ 'X-Amz-Expires': '604801' }),
      query({ 'X-Amz-Expires': '0' }),
      query({ 'X-Amz-Expires': '-1' }),
      query({ 'X-Amz-Expires': 'x' }),
      query({ 'X-Amz-Date': 'x' }),
      query({ 'X-Amz-Credential': 'x' }),
      query({ 'X-Amz-Algorithm': 'AWS4-X' }),
      query({ 'X-Amz-SignedHeaders': '' }),
      `${query({})}&X-Amz-Signature=y`,
    ];
    for (const each of cases) {
      await refuses({ target: `/b?${each}`, headers: { Host: 's3' } }, 'AuthorizationQueryParametersError');
    }
    await refuses(
      { target: `/b?${query({ 'X-Amz-Expires': '604800' })}`, headers: { Host: 's3' } },
      'SignatureDoesNotMatch',
    );
  });

  test('a broken escape in the path or query', async () => {
    await refuses({ target: '/b/%zz', headers: good }, 'InvalidURI');
    await refuses({ target: '/b?x=%ff', headers: good }, 'InvalidURI');
  });
});

test('a request without a signature is anonymous', async () => {
  assert.equal(await verify({ target: '/b/k', headers: { Host: 's3' } }), undefined);
});

suite('Version 2 in the query', () => {
  // The example of the documentation "Signing and authenticating REST requests".
  const target =
    '/photos/puppy.jpg?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620';
  const given = { target, headers: { Host: 'johnsmith.s3.amazonaws.com' } };
  const at = 1175139620_000;

  test('is verified as AWS has published it, with the bucket in the host', async () => {
    assert.equal((await verify({ ...given, hostBucket: 'johnsmith' }, at))?.accessKeyId, accessKeyId);
    await refuses({ ...given, hostBucket: 'johnsmith' }, 'AccessDenied', at + 1);
    await refuses(given, 'SignatureDoesNotMatch', at);
    await refuses({ ...given, hostBucket: 'other' }, 'SignatureDoesNotMatch', at);
  });

  test('signs sub-resources and no other parameters', async () => {
    const text = 'GET\n\n\n1175139620\n/b/k?response-content-type=text/plain&versionId=v';
    const signature = encodeURIComponent(createHmac('sha1', secret).update(text).digest('base64'));
    const auth = `AWSAccessKeyId=${accessKeyId}&Expires=1175139620&Signature=${signature}`;
    const url = `/b/k?versionId=v&${auth}&response-content-type=text%2Fplain&x-id=GetObject`;
    assert.ok(await verify({ target: url, headers: { Host: 's3' } }, at));
    await refuses(
      { target: url.replace('versionId=v', 'versionId=w'), headers: { Host: 's3' } },
      'SignatureDoesNotMatch',
      at,
    );
  });
});
