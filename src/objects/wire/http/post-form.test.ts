// Form uploads: the published example of a POST policy, and forms that violate their policy.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { signingKey } from '../../../core/s3-signature/signing-key.ts';
import { type FormPermission, verifyPostForm } from './post-form.ts';

const accessKeyId = 'AKIAIOSFODNN7EXAMPLE';
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const credential = `${accessKeyId}/20151229/us-east-1/s3/aws4_request`;
const now = Date.UTC(2015, 11, 29, 12);
const key = signingKey(secret, { day: '20151229', region: 'us-east-1', service: 's3' });

const verify = (fields: Record<string, string>, at = now): Promise<FormPermission | undefined> =>
  verifyPostForm(new Map(Object.entries(fields)), {
    now: at,
    secretOf: (id) => (id === accessKeyId ? secret : undefined),
  });

const refuses = (fields: Record<string, string>, code: string, at = now): Promise<void> =>
  assert.rejects(verify(fields, at), (error) => error instanceof Fault && error.detail.code === code, code);

function form(policy: unknown, fields: Record<string, string>): Record<string, string> {
  const encoded = Buffer.from(typeof policy === 'string' ? policy : JSON.stringify(policy)).toString('base64');
  const signature = createHmac('sha256', key).update(encoded).digest('hex');
  const signed = {
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': credential,
    'x-amz-date': '20151229T000000Z',
  };
  return { ...signed, policy: encoded, 'x-amz-signature': signature, ...fields };
}

const conditions = [
  { bucket: 'sigv4examplebucket' },
  ['starts-with', '$key', 'user/user1/'],
  { 'x-amz-credential': credential },
  { 'x-amz-algorithm': 'AWS4-HMAC-SHA256' },
  { 'x-amz-date': '20151229T000000Z' },
  ['content-length-range', 1, '10485760'],
];
const policy = { expiration: '2015-12-30T12:00:00.000Z', conditions };
const fields = { bucket: 'sigv4examplebucket', key: 'user/user1/a.txt' };

suite('a form upload', () => {
  test('within its policy is allowed', async () => {
    assert.deepEqual(await verify(form(policy, fields)), { accessKeyId, size: { least: 1, most: 10_485_760 } });
    assert.ok(await verify(form(policy, { ...fields, 'x-ignore-this': '1' })));
    assert.equal(await verify({ key: 'x' }), undefined);
  });

  test('beyond its policy is refused', async () => {
    await refuses(form(policy, { ...fields, key: 'user/user2/a.txt' }), 'AccessDenied');
    await refuses(form(policy, { ...fields, bucket: 'other' }), 'AccessDenied');
    await refuses(form(policy, { ...fields, acl: 'public-read' }), 'AccessDenied');
    await refuses(form(policy, fields), 'AccessDenied', Date.UTC(2015, 11, 30, 12, 0, 1));
  });

  test('with a wrong signature or key is refused', async () => {
    const good = form(policy, fields);
    await refuses({ ...good, 'x-amz-signature': '0'.repeat(64) }, 'SignatureDoesNotMatch');
    await refuses({ ...good, policy: Buffer.from('{}').toString('base64') }, 'SignatureDoesNotMatch');
    await refuses({ ...good, 'x-amz-credential': credential.replace(accessKeyId, 'nobody') }, 'InvalidAccessKeyId');
    await refuses({ ...good, 'x-amz-credential': 'x' }, 'InvalidArgument');
    await refuses({ ...good, 'x-amz-algorithm': 'x' }, 'InvalidArgument');
    await refuses({ policy: good.policy ?? '' }, 'InvalidArgument');
  });

  test('with a malformed policy is refused', async () => {
    for (const each of [
      'x',
      'null',
      {},
      { expiration: 'soon', conditions },
      { expiration: policy.expiration },
      { ...policy, conditions: [['eq', '$key']] },
      { ...policy, conditions: [['eq', 'key', 'x']] },
      { ...policy, conditions: [['like', '$key', 'x']] },
      { ...policy, conditions: [{ a: 'b', c: 'd' }] },
      { ...policy, conditions: [{ a: 1 }] },
      { ...policy, conditions: [['content-length-range', -1, 2]] },
    ]) {
      await refuses(form(each, fields), 'InvalidPolicyDocument');
    }
  });

  test('may be signed by Version 2', async () => {
    const encoded = Buffer.from(
      JSON.stringify({ ...policy, conditions: [{ bucket: fields.bucket }, ['starts-with', '$key', '']] }),
    ).toString('base64');
    const signature = createHmac('sha1', secret).update(encoded).digest('base64');
    const given = { ...fields, awsaccesskeyid: accessKeyId, policy: encoded, signature };
    assert.equal((await verify(given))?.accessKeyId, accessKeyId);
    await refuses({ ...given, signature: 'x' }, 'SignatureDoesNotMatch');
  });
});

test('the signature of the published example of a POST policy', async () => {
  const published =
    'eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7ImJ1Y2tldCI6ICJzaWd2NGV4' +
    'YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91c2VyMS8iXSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9' +
    'LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3QiOiAiaHR0cDovL3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3Nm' +
    'dWxfdXBsb2FkLmh0bWwifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRhLXV1' +
    'aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVTMjU2In0sDQogICAgWyJzdGFydHMt' +
    'd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNyZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEy' +
    'MjkvdXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEyNTYifSwNCiAgICB7Ingt' +
    'YW16LWRhdGUiOiAiMjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9';
  const permission = await verify({
    bucket: 'sigv4examplebucket',
    key: 'user/user1/x.png',
    acl: 'public-read',
    success_action_redirect: 'http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html',
    'content-type': 'image/jpeg',
    'x-amz-meta-uuid': '14365123651274',
    'x-amz-server-side-encryption': 'AES256',
    'x-amz-credential': credential,
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-date': '20151229T000000Z',
    policy: published,
    'x-amz-signature': '8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e',
  });
  assert.equal(permission?.accessKeyId, accessKeyId);
});
