// The small rules of S3's HTTP: names, keys, ranges, conditions, entity tags, tags and cross-origin requests.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { isBucketName } from './bucket-name.ts';
import { type CorsRule, corsHeaders, corsRule, preflight } from './cors.ts';
import { multipartEntityTag, namesEntityTag, partCount, quoteEntityTag, unquoteEntityTag } from './entity-tag.ts';
import { instant } from './instant.ts';
import { checkObjectKey, parseCopySource, parseObjectPath, urlEncoded } from './object-key.ts';
import { checkCopyConditions, checkReadConditions, checkWriteConditions } from './preconditions.ts';
import { contentRange, parseCopyRange, parseRange } from './range.ts';
import { parseTaggingHeader } from './tags.ts';

const codeOf = (call: () => unknown): string | undefined => {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.detail.code;
    throw error;
  }
};

test('bucket names', () => {
  const good = ['abc', 'a.b', 'my-bucket.1', '1bucket', 'a'.repeat(63), '1.2.3'];
  const bad = [
    ...['ab', 'a'.repeat(64), 'Abc', 'a_b', '-ab', 'ab-', '.ab', 'ab.', 'a..b', 'a.-b', 'a-.b', '192.168.0.1', ''],
    ...['xn--a', 'sthree-a', 'a-s3alias', 'a--ol-s3', 'a b', 'a/b', '..', 'abc\n', 'äbc'],
  ];
  for (const name of good) assert.ok(isBucketName(name), name);
  for (const name of bad) assert.ok(!isBucketName(name), name);
});

suite('object keys', () => {
  test('have 1 to 1024 bytes and no NUL', () => {
    assert.equal(checkObjectKey('ä'.repeat(512)).length, 512);
    assert.equal(
      codeOf(() => checkObjectKey('ä'.repeat(513))),
      'KeyTooLongError',
    );
    assert.equal(
      codeOf(() => checkObjectKey('')),
      'InvalidArgument',
    );
    assert.equal(
      codeOf(() => checkObjectKey('a\0b')),
      'InvalidArgument',
    );
    assert.equal(
      codeOf(() => checkObjectKey('a\uD800')),
      'InvalidArgument',
    );
  });

  test('are taken from the path unchanged, and never resolve ..', () => {
    const cases: [string, string | undefined, string | undefined][] = [
      ['/', undefined, undefined],
      ['/b', 'b', undefined],
      ['/b/', 'b', undefined],
      ['/b/k', 'b', 'k'],
      ['/b/a%2Fb+c%20d', 'b', 'a/b+c d'],
      ['/b/../../etc/passwd', 'b', '../../etc/passwd'],
      ['/b/%2e%2e/x', 'b', '../x'],
      ['/b//x', 'b', '/x'],
      ['/b%2Fx/k', 'b/x', 'k'],
      ['/b/x/', 'b', 'x/'],
      ['/b/%2525', 'b', '%25'],
    ];
    for (const [path, bucket, key] of cases) assert.deepEqual(parseObjectPath(path), { bucket, key }, path);
    assert.deepEqual(parseObjectPath('/k/x', 'b'), { bucket: 'b', key: 'k/x' });
    assert.equal(
      codeOf(() => parseObjectPath('/b/%00')),
      'InvalidArgument',
    );
    assert.equal(
      codeOf(() => parseObjectPath('/b/%ff')),
      'InvalidURI',
    );
  });

  test('are encoded in lists', () => {
    assert.equal(urlEncoded("a/b c+d&ä*'\u0001"), 'a/b%20c%2Bd%26%C3%A4%2A%27%01');
  });

  test('as the source of a copy', () => {
    const source = { bucket: 'bbb', key: 'a b/ü', versionId: undefined };
    assert.deepEqual(parseCopySource('/bbb/a%20b/%C3%BC'), source);
    assert.deepEqual(parseCopySource('bbb%2Fa%20b%2F%C3%BC'), source);
    assert.deepEqual(parseCopySource('bbb/a%20b/%C3%BC?versionId=v'), { ...source, versionId: 'v' });
    assert.equal(parseCopySource('bbb/what%3FversionId=x').key, 'what?versionId=x');
    for (const header of ['', '/', 'bbb', '/bbb/', '/bbb'])
      assert.equal(
        codeOf(() => parseCopySource(header)),
        'InvalidArgument',
      );
    assert.equal(
      codeOf(() => parseCopySource('../x')),
      'InvalidBucketName',
    );
  });
});

suite('ranges', () => {
  const cases: [string | undefined, number, [number, number] | undefined | 'InvalidRange'][] = [
    [undefined, 10, undefined],
    ['bytes=0-4', 10, [0, 4]],
    ['bytes=5-', 10, [5, 9]],
    ['bytes=-3', 10, [7, 9]],
    ['bytes=-30', 10, [0, 9]],
    ['bytes=0-99', 10, [0, 9]],
    ['bytes = 1 - 2', 10, [1, 2]],
    ['bytes=10-', 10, 'InvalidRange'],
    ['bytes=10-12', 10, 'InvalidRange'],
    ['bytes=-0', 10, 'InvalidRange'],
    ['bytes=0-0', 0, 'InvalidRange'],
    ['bytes=-1', 0, 'InvalidRange'],
    ['bytes=5-4', 10, undefined],
    ['bytes=0-1,3-4', 10, undefined],
    ['bytes=-', 10, undefined],
    ['bytes=a-b', 10, undefined],
    ['items=0-1', 10, undefined],
  ];
  for (const [header, size, expected] of cases) {
    test(`${header} of ${size}`, () => {
      if (expected === 'InvalidRange')
        assert.equal(
          codeOf(() => parseRange(header, size)),
          expected,
        );
      else assert.deepEqual(parseRange(header, size), expected && { start: expected[0], end: expected[1] });
    });
  }

  test('of a copy are whole', () => {
    assert.deepEqual(parseCopyRange('bytes=0-9', 10), { start: 0, end: 9 });
    assert.equal(contentRange({ start: 0, end: 9 }, 20), 'bytes 0-9/20');
    assert.equal(
      codeOf(() => parseCopyRange('bytes=0-10', 10)),
      'InvalidRange',
    );
    for (const header of ['bytes=1-', 'bytes=-1', '0-1', 'bytes=5-1']) {
      assert.equal(
        codeOf(() => parseCopyRange(header, 10)),
        'InvalidArgument',
      );
    }
  });
});

suite('conditions', () => {
  const state = { etag: 'e', lastModified: Date.UTC(2026, 0, 1, 0, 0, 0, 500) };
  const before = 'Wed, 31 Dec 2025 23:59:59 GMT';
  const same = 'Thu, 01 Jan 2026 00:00:00 GMT';
  type Headers = Record<string, string>;
  const cases: [Headers, string | undefined][] = [
    [{}, undefined],
    [{ 'if-match': '"e"' }, undefined],
    [{ 'if-match': 'e' }, undefined],
    [{ 'if-match': '*' }, undefined],
    [{ 'if-match': '"x", "e"' }, undefined],
    [{ 'if-match': '"x"' }, 'PreconditionFailed'],
    [{ 'if-none-match': '"e"' }, 'NotModified'],
    [{ 'if-none-match': 'W/"e"' }, 'NotModified'],
    [{ 'if-none-match': '*' }, 'NotModified'],
    [{ 'if-none-match': '"x"' }, undefined],
    [{ 'if-modified-since': same }, 'NotModified'],
    [{ 'if-modified-since': before }, undefined],
    [{ 'if-unmodified-since': same }, undefined],
    [{ 'if-unmodified-since': before }, 'PreconditionFailed'],
    [{ 'if-match': '"e"', 'if-unmodified-since': before }, undefined],
    [{ 'if-none-match': '"x"', 'if-modified-since': same }, undefined],
    [{ 'if-none-match': '"e"', 'if-modified-since': before }, 'NotModified'],
    [{ 'if-match': '"x"', 'if-none-match': '"e"' }, 'PreconditionFailed'],
    [{ 'if-modified-since': 'nonsense' }, undefined],
  ];
  for (const [headers, expected] of cases) {
    test(`of a read: ${JSON.stringify(headers)}`, () => {
      assert.equal(
        codeOf(() => checkReadConditions((name) => headers[name], state)),
        expected,
      );
    });
  }

  test('of a copy fail with 412 only', () => {
    const check = (headers: Headers) => codeOf(() => checkCopyConditions((name) => headers[name], state));
    assert.equal(check({ 'x-amz-copy-source-if-none-match': '"e"' }), 'PreconditionFailed');
    assert.equal(check({ 'x-amz-copy-source-if-modified-since': same }), 'PreconditionFailed');
    assert.equal(check({ 'x-amz-copy-source-if-match': '"e"' }), undefined);
    assert.equal(check({ 'if-match': '"x"' }), undefined);
  });

  test('of a write', () => {
    const check = (headers: Headers, current?: { etag: string }) =>
      codeOf(() => checkWriteConditions((name) => headers[name], current));
    assert.equal(check({ 'if-none-match': '*' }), undefined);
    assert.equal(check({ 'if-none-match': '*' }, state), 'PreconditionFailed');
    assert.equal(check({ 'if-match': '"e"' }, state), undefined);
    assert.equal(check({ 'if-match': '"x"' }, state), 'PreconditionFailed');
    assert.equal(check({ 'if-match': '*' }), 'NoSuchKey');
  });
});

test('entity tags', () => {
  const md5s = ['a', 'b'].map((text) => createHash('md5').update(text).digest());
  const tag = multipartEntityTag(md5s);
  assert.equal(tag, `${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-2`);
  assert.equal(partCount(`"${tag}"`), 2);
  assert.equal(partCount('0cc175b9c0f1b6a831c399e269772661'), undefined);
  assert.equal(quoteEntityTag('"x"'), '"x"');
  assert.equal(unquoteEntityTag(' "x" '), 'x');
  assert.ok(namesEntityTag('"a","b"', 'b') && !namesEntityTag('"a"', 'b'));
});

test('tags in a header', () => {
  assert.deepEqual(parseTaggingHeader('a=1&b=x%20y&c=x+y&d'), [
    { key: 'a', value: '1' },
    { key: 'b', value: 'x y' },
    { key: 'c', value: 'x y' },
    { key: 'd', value: '' },
  ]);
  for (const header of [
    'a=1&a=2',
    '=x',
    `${'k'.repeat(129)}=1`,
    'a=%3C',
    Array.from({ length: 11 }, (_, at) => `k${at}=`).join('&'),
  ]) {
    assert.equal(
      codeOf(() => parseTaggingHeader(header)),
      'InvalidTag',
      header,
    );
  }
});

test('times', () => {
  assert.equal(instant('2026-01-01'), Date.UTC(2026, 0, 1));
  assert.equal(instant('2026-01-01T02:00:00+02:00'), Date.UTC(2026, 0, 1));
  for (const text of ['', 'x', '2026-02-30', '2026-13-01', '2026-01-01T00:00:00', '1767225600'])
    assert.equal(instant(text), undefined);
});

suite('cross-origin rules', () => {
  const rule = (changes: Partial<CorsRule>): CorsRule => ({
    id: undefined,
    allowedOrigins: ['https://*.example.com'],
    allowedMethods: ['GET', 'PUT'],
    allowedHeaders: ['x-amz-*', 'Content-Type'],
    exposeHeaders: ['ETag'],
    maxAgeSeconds: 60,
    ...changes,
  });
  const options = (headers: Record<string, string>, rules: CorsRule[] | undefined = [rule({})]) =>
    codeOf(() => preflight(rules, (name) => headers[name]));
  const good = { origin: 'https://a.example.com', 'access-control-request-method': 'PUT' };

  test('an allowed preflight gets the headers of its rule', () => {
    const preflightHeaders: Record<string, string> = {
      ...good,
      'access-control-request-headers': 'X-Amz-Date, content-type',
    };
    assert.deepEqual(
      preflight([rule({})], (name) => preflightHeaders[name]),
      {
        'access-control-allow-origin': 'https://a.example.com',
        'access-control-allow-methods': 'GET, PUT',
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'x-amz-date, content-type',
        'access-control-expose-headers': 'ETag',
        'access-control-max-age': '60',
        vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
      },
    );
  });

  test('other preflights are refused', () => {
    assert.equal(options({ ...good, origin: 'https://example.com' }), 'AccessForbidden');
    assert.equal(options({ ...good, origin: 'https://a.example.com.evil.org' }), 'AccessForbidden');
    assert.equal(options({ ...good, 'access-control-request-method': 'DELETE' }), 'AccessForbidden');
    assert.equal(options({ ...good, 'access-control-request-headers': 'authorization' }), 'AccessForbidden');
    assert.equal(options(good, []), 'AccessForbidden');
    assert.equal(
      codeOf(() => preflight(undefined, (name) => (good as Record<string, string>)[name])),
      'AccessForbidden',
    );
    assert.equal(options({ 'access-control-request-method': 'PUT' }), 'InvalidRequest');
    assert.equal(options({ origin: 'https://a.example.com' }), 'InvalidRequest');
  });

  test('the first rule that allows a request applies', () => {
    const rules = [rule({ allowedMethods: ['PUT'] }), rule({ allowedOrigins: ['*'] })];
    const request = { origin: 'https://a.example.com', method: 'GET', headers: [] };
    const found = corsRule(rules, request);
    assert.equal(found, rules[1]);
    const headers = corsHeaders(rules[1] as CorsRule, request);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['access-control-allow-credentials'], undefined);
  });
});
