// Refused policies, policies that make a bucket public, and the condition keys of a request.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { parsePolicy } from './document.ts';
import { isPublicPolicy } from './public-policy.ts';
import { requestContext } from './request-context.ts';

type Json = Record<string, unknown>;

const statement = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*' };
const parse = (changes: Json) =>
  parsePolicy(JSON.stringify({ Version: '2012-10-17', Statement: [{ ...statement, ...changes }] }));
const refuses = (text: string): void =>
  assert.throws(
    () => parsePolicy(text),
    (error) => error instanceof Fault && error.detail.code === 'MalformedPolicy',
    text.slice(0, 100),
  );

test('malformed policies are refused', () => {
  for (const text of ['', 'x', '[]', 'null', '{}', '{"Statement":[]}', '{"Statement":"x"}', `{"Statement":[{}]}`])
    refuses(text);
  const changes: Json[] = [
    { Effect: 'allow' },
    { Effect: undefined },
    { Principal: undefined },
    { Principal: 'x' },
    { Principal: {} },
    { Principal: { Service: 'x' } },
    { Principal: { AWS: 'arn:aws:iam:::user/*' } },
    { NotPrincipal: '*' },
    { Principal: undefined, NotPrincipal: { AWS: 'x' } },
    { Action: undefined },
    { Action: [] },
    { Action: 'ec2:Run' },
    { Action: 's3:' },
    { NotAction: 's3:*' },
    { Resource: undefined },
    { Resource: 'arn:aws:s3:::' },
    { Resource: 'arn:aws:s3:::/*' },
    { Resource: '*' },
    { Resource: 5 },
    { Sid: 5 },
    { Unknown: 1 },
    { Condition: 'x' },
    { Condition: { StringEquals: 'x' } },
    { Condition: { StringEquals: { 's3:prefix': [] } } },
    { Condition: { StringEquals: { 's3:prefix': {} } } },
    { Condition: { StringEquals: { prefix: 'x' } } },
    { Condition: { Strange: { 's3:prefix': 'x' } } },
    { Condition: { constructor: { 's3:prefix': 'x' } } },
    { Condition: { NullIfExists: { 's3:prefix': 'true' } } },
    { Condition: { Bool: { 'aws:SecureTransport': 'yes' } } },
    { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/33' } } },
    { Condition: { IpAddress: { 'aws:SourceIp': 'x' } } },
    { Condition: { NumericEquals: { 's3:max-keys': 'x' } } },
    { Condition: { DateLessThan: { 'aws:CurrentTime': 'soon' } } },
  ];
  for (const change of changes)
    refuses(JSON.stringify({ Version: '2012-10-17', Statement: { ...statement, ...change } }));
  refuses(JSON.stringify({ Version: '2020-01-01', Statement: statement }));
  refuses(JSON.stringify({ Extra: 1, Statement: statement }));
  refuses(JSON.stringify({ Statement: { ...statement, Sid: 'x'.repeat(30_000) } }));
});

suite('a policy is public', () => {
  const cases: [string, Json, boolean][] = [
    ['for anyone', {}, true],
    ['for any AWS user', { Principal: { AWS: '*' } }, true],
    ['not for one user', { Principal: { AWS: 'x' } }, false],
    ['not by a deny', { Effect: 'Deny' }, false],
    ['not from a network', { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }, false],
    ['from half of the world', { Condition: { IpAddress: { 'aws:SourceIp': ['10.0.0.0/8', '0.0.0.0/1'] } } }, true],
    ['outside a network', { Condition: { NotIpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }, true],
    ['with secure transport', { Condition: { Bool: { 'aws:SecureTransport': 'true' } } }, true],
    ['with a prefix', { Condition: { StringEquals: { 's3:prefix': 'a' } } }, true],
    ['with a user agent', { Condition: { StringEquals: { 'aws:UserAgent': 'secret' } } }, true],
    ['not for one account', { Condition: { StringEquals: { 'aws:SourceAccount': '31' } } }, false],
    ['for accounts by wildcard', { Condition: { StringLike: { 'aws:SourceAccount': '3*' } } }, true],
    ['if the account may be absent', { Condition: { StringEqualsIfExists: { 'aws:SourceAccount': '31' } } }, true],
  ];
  for (const [title, changes, isPublic] of cases)
    test(title, () => assert.equal(isPublicPolicy(parse(changes)), isPublic));
});

test('the context of a request has the names that policies use', () => {
  const context = requestContext({
    now: Date.UTC(2026, 0, 1),
    sourceIp: '10.0.0.1',
    isSecure: false,
    userId: undefined,
    userName: undefined,
    isPresigned: false,
    header: (name) => ({ referer: 'r', 'x-amz-acl': 'private' })[name],
    query: [
      ['prefix', 'p'],
      ['max-keys', '5'],
      ['toString', 'x'],
    ],
    requestTags: [{ key: 'Team', value: 'a' }],
  });
  assert.deepEqual(Object.fromEntries(context), {
    'aws:currenttime': '2026-01-01T00:00:00.000Z',
    'aws:epochtime': '1767225600',
    'aws:sourceip': '10.0.0.1',
    'aws:securetransport': 'false',
    'aws:referer': 'r',
    'aws:principaltype': 'Anonymous',
    's3:prefix': 'p',
    's3:max-keys': '5',
    's3:x-amz-acl': 'private',
    's3:requestobjecttag/team': 'a',
    's3:requestobjecttagkeys': ['Team'],
  });
});
