// S3 errors: code and status by the table, XML as clients decode it, nothing for HEAD.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { codeOf, renderError, s3Fault } from './error.ts';

const place = { method: 'GET', resource: '/b/k<', requestId: 'r', hostId: 'h' };

test('an error is rendered with its code, message, resource and ids', () => {
  const answer = renderError(s3Fault('NoSuchKey'), { ...place, details: { Key: 'k' } });
  assert.equal(answer.status, 404);
  assert.equal(answer.headers['content-type'], 'application/xml');
  assert.equal(
    answer.body,
    '<?xml version="1.0" encoding="UTF-8"?><Error><Code>NoSuchKey</Code><Message>The specified key does not exist.' +
      '</Message><Key>k</Key><Resource>/b/k&lt;</Resource><RequestId>r</RequestId><HostId>h</HostId></Error>',
  );
});

test('an error of HEAD and a 304 have no body', () => {
  assert.deepEqual(renderError(s3Fault('NoSuchBucket'), { ...place, method: 'HEAD' }), {
    status: 404,
    headers: {},
    body: '',
  });
  assert.deepEqual(renderError(s3Fault('NotModified'), place), { status: 304, headers: {}, body: '' });
});

test('faults of lower layers are rendered by their kind', () => {
  const cases: [Fault, string, number][] = [
    [new Fault('refused', 'x', { code: '100' }), 'InvalidRequest', 400],
    [new Fault('refused', 'x', { code: 'constructor' }), 'InvalidRequest', 400],
    [new Fault('unauthenticated', 'x'), 'AccessDenied', 403],
    [new Fault('throttled', 'x', { retryAfterS: 3 }), 'SlowDown', 503],
    [new Fault('internal', 'x'), 'InternalError', 500],
    [new Fault('oversized', 'x'), 'EntityTooLarge', 400],
    [new Fault('method', 'x', { allow: ['GET'] }), 'MethodNotAllowed', 405],
  ];
  for (const [fault, code, status] of cases) {
    assert.equal(codeOf(fault), code);
    assert.equal(renderError(fault, place).status, status);
  }
  assert.equal(renderError(new Fault('throttled', 'x', { retryAfterS: 3 }), place).headers['retry-after'], '3');
  assert.equal(renderError(new Fault('method', 'x', { allow: ['GET'] }), place).headers.allow, 'GET');
});

test('a fault has the kind of its status', () => {
  assert.equal(s3Fault('AccessDenied').kind, 'forbidden');
  assert.equal(s3Fault('BucketNotEmpty').kind, 'conflict');
  assert.equal(s3Fault('InvalidRange').kind, 'refused');
  assert.equal(s3Fault('MalformedXML', 'why').message, 'why');
});
