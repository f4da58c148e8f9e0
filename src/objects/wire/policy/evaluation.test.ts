// A table of policies and requests with the results that S3's documentation defines.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parsePolicy } from './document.ts';
import { evaluatePolicy, type Verdict } from './evaluation.ts';

type Json = Record<string, unknown>;
type Context = Record<string, string | string[]>;

const me = ['arn:aws:iam:::user/31:alice', '31', 'canonical-alice'];
const all = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*' };
const when = (operator: string, key: string, value: unknown): Json => ({
  ...all,
  Condition: { [operator]: { [key]: value } },
});
const on = (resource: string): string => `arn:aws:s3:::${resource}`;

interface Case {
  title: string;
  statements: Json | Json[];
  principals?: string[];
  action?: string;
  resource?: string;
  context?: Context;
  verdict: Verdict;
  version?: string;
}

const cases: Case[] = [];
const add = (title: string, statements: Json | Json[], verdict: Verdict, request: Partial<Case> = {}): void => {
  cases.push({ title, statements, verdict, ...request });
};

// Principals
add('anyone by a star', all, 'allow');
add('anyone by AWS star', { ...all, Principal: { AWS: '*' } }, 'allow');
add('anyone in a list', { ...all, Principal: { AWS: ['x', '*'] } }, 'allow');
add('anyone, anonymous', all, 'allow', { principals: [] });
add('a user by ARN', { ...all, Principal: { AWS: me[0] } }, 'allow');
add('a user in a list', { ...all, Principal: { AWS: ['arn:aws:iam:::user/x', me[0]] } }, 'allow');
add('an account', { ...all, Principal: { AWS: '31' } }, 'allow');
add('a canonical user', { ...all, Principal: { CanonicalUser: 'canonical-alice' } }, 'allow');
add('another user', { ...all, Principal: { AWS: 'arn:aws:iam:::user/31:bob' } }, 'none');
add('a user, anonymous', { ...all, Principal: { AWS: me[0] } }, 'none', { principals: [] });
add('names are compared whole', { ...all, Principal: { AWS: '3' } }, 'none');
const notMe = { Effect: 'Deny', NotPrincipal: { AWS: me[0] }, Action: 's3:*', Resource: on('b/*') };
add('all but me are denied: me', [all, notMe], 'allow');
add('all but me are denied: another', [all, notMe], 'deny', { principals: ['x'] });
add('all but me are denied: anonymous', [all, notMe], 'deny', { principals: [] });

// Actions
const act = (Action: unknown): Json => ({ ...all, Action });
add('another action', act('s3:PutObject'), 'none');
add('an action in a list', act(['s3:PutObject', 's3:GetObject']), 'allow');
add('all actions', act('*'), 'allow');
add('all actions of s3', act('s3:*'), 'allow');
add('actions by prefix', act('s3:Get*'), 'allow');
add('actions by prefix, others', act('s3:Put*'), 'none');
add('actions by question mark', act('s3:GetObjec?'), 'allow');
add('a question mark is one character', act('s3:GetObject?'), 'none');
add('actions fold case', act('S3:getobject'), 'allow');
add('a prefix without a star is whole', act('s3:GetObject'), 'none', { action: 's3:GetObjectAcl' });
const notAction = { Effect: 'Allow', Principal: '*', NotAction: 's3:Delete*', Resource: on('b/*') };
add('all but deletes: a read', notAction, 'allow');
add('all but deletes: a delete', notAction, 'none', { action: 's3:DeleteObject' });

// Resources
const res = (Resource: unknown): Json => ({ ...all, Resource });
add('the bucket is not its objects', res(on('b')), 'none');
add('objects are not the bucket', { ...all, Action: 's3:ListBucket' }, 'none', {
  action: 's3:ListBucket',
  resource: 'b',
});
add('another bucket', res(on('other/*')), 'none'); // the platform accepts such a policy
add('the bucket', { ...res(on('b')), Action: 's3:ListBucket' }, 'allow', { action: 's3:ListBucket', resource: 'b' });
add('a prefix', res(on('b/logs/*')), 'allow', { resource: 'b/logs/2026/x' });
add('another prefix', res(on('b/logs/*')), 'none', { resource: 'b/data/x' });
add('a star crosses slashes', res(on('b/*.txt')), 'allow', { resource: 'b/a/b/c.txt' });
add('resources keep case', res(on('b/A')), 'none', { resource: 'b/a' });
add('a question mark in a resource', res(on('b/a?c')), 'allow', { resource: 'b/abc' });
add('dots are characters', res(on('b/a.c')), 'none', { resource: 'b/abc' });
add('a climbing key is a key', res(on('b/public/*')), 'allow', { resource: 'b/public/../secret' });
add('many stars end in time', res(on(`b/${'*a'.repeat(50)}b`)), 'none', { resource: `b/${'a'.repeat(1000)}` });
const notResource = { Effect: 'Deny', Principal: '*', Action: 's3:*', NotResource: on('b/public/*') };
add('all but a prefix is denied: inside', [all, notResource], 'allow', { resource: 'b/public/x' });
add('all but a prefix is denied: outside', [all, notResource], 'deny', { resource: 'b/x' });

// Effects
const deny = { ...all, Effect: 'Deny' };
add('a deny alone', deny, 'deny');
add('a deny wins over an allow before it', [all, deny], 'deny');
add('a deny wins over an allow behind it', [deny, all], 'deny');
add('a deny for another action', [all, { ...deny, Action: 's3:PutObject' }], 'allow');
add(
  'a deny whose condition fails',
  [all, { ...deny, ...when('Bool', 'aws:SecureTransport', 'false'), Effect: 'Deny' }],
  'allow',
  {
    context: { 'aws:securetransport': 'true' },
  },
);
add('plain HTTP is denied', [all, { ...when('Bool', 'aws:SecureTransport', false), Effect: 'Deny' }], 'deny', {
  context: { 'aws:securetransport': 'false' },
});

// Addresses
const ip = (operator: string, networks: unknown, address: string, verdict: Verdict): void =>
  add(`${operator} ${JSON.stringify(networks)} from ${address}`, when(operator, 'aws:SourceIp', networks), verdict, {
    context: { 'aws:sourceip': address },
  });
ip('IpAddress', '10.0.0.0/8', '10.255.1.2', 'allow');
ip('IpAddress', '10.0.0.0/8', '11.0.0.1', 'none');
ip('IpAddress', ['1.2.3.4', '5.6.7.8/31'], '5.6.7.9', 'allow');
ip('IpAddress', '1.2.3.4', '1.2.3.5', 'none');
ip('IpAddress', '10.0.0.0/8', '::ffff:10.1.1.1', 'allow');
ip('IpAddress', '2001:db8::/32', '2001:db8:1::5', 'allow');
ip('IpAddress', '2001:db8::/32', '2001:db9::5', 'none');
ip('IpAddress', '0.0.0.0/0', '::1', 'none');
ip('NotIpAddress', '10.0.0.0/8', '10.0.0.1', 'none');
ip('NotIpAddress', '10.0.0.0/8', '192.168.0.1', 'allow');
ip('NotIpAddress', ['10.0.0.0/8', '192.168.0.0/16'], '192.168.0.1', 'none');

// Strings
const str = (operator: string, expected: unknown, actual: string | string[] | undefined, verdict: Verdict): void =>
  add(`${operator} ${JSON.stringify(expected)} of ${actual}`, when(operator, 's3:prefix', expected), verdict, {
    context: actual === undefined ? {} : { 's3:prefix': actual },
  });
str('StringEquals', 'home/', 'home/', 'allow');
str('StringEquals', 'home/', 'Home/', 'none');
str('StringEquals', ['a', 'home/'], 'home/', 'allow');
str('StringEquals', 'home/*', 'home/x', 'none');
str('StringEquals', 'home/', undefined, 'none');
str('StringEqualsIfExists', 'home/', undefined, 'allow');
str('StringEqualsIfExists', 'home/', 'x', 'none');
str('StringNotEquals', 'home/', 'x', 'allow');
str('StringNotEquals', ['home/', 'x'], 'x', 'none');
str('StringNotEquals', 'home/', undefined, 'allow');
str('StringEqualsIgnoreCase', 'HOME/', 'home/', 'allow');
str('StringNotEqualsIgnoreCase', 'HOME/', 'home/', 'none');
str('StringLike', 'home/*', 'home/x', 'allow');
str('StringLike', 'home/?', 'home/xy', 'none');
str('StringNotLike', 'home/*', 'home/x', 'none');
str('StringNotLike', 'home/*', 'else', 'allow');
str('ForAnyValue:StringEquals', ['a', 'b'], ['x', 'b'], 'allow');
str('ForAnyValue:StringEquals', ['a', 'b'], ['x', 'y'], 'none');
str('ForAnyValue:StringEquals', ['a'], undefined, 'none');
str('ForAllValues:StringEquals', ['a', 'b'], ['a', 'b'], 'allow');
str('ForAllValues:StringEquals', ['a', 'b'], ['a', 'x'], 'none');
str('ForAllValues:StringEquals', ['a'], undefined, 'allow');
str('ArnLike', 'arn:aws:s3:::*', 'arn:aws:s3:::x', 'allow');
str('ArnNotLike', 'arn:aws:s3:::*', 'arn:aws:s3:::x', 'none');
str('Null', 'true', undefined, 'allow');
str('Null', 'true', 'x', 'none');
str('Null', 'false', 'x', 'allow');
str('Null', false, undefined, 'none');

// Numbers and dates
const num = (operator: string, expected: unknown, actual: string, verdict: Verdict): void =>
  add(`${operator} ${expected} of ${actual}`, when(operator, 's3:max-keys', expected), verdict, {
    context: { 's3:max-keys': actual },
  });
num('NumericEquals', '10', '10.0', 'allow');
num('NumericNotEquals', 10, '10', 'none');
num('NumericLessThan', 10, '9', 'allow');
num('NumericLessThan', 10, '10', 'none');
num('NumericLessThanEquals', '10', '10', 'allow');
num('NumericGreaterThan', '9', '10', 'allow');
num('NumericGreaterThanEquals', '10', '9', 'none');
num('NumericLessThan', 10, 'x', 'none');
const time = (operator: string, expected: string, verdict: Verdict): void =>
  add(`${operator} ${expected}`, when(operator, 'aws:CurrentTime', expected), verdict, {
    context: { 'aws:currenttime': '2026-06-01T12:00:00.000Z' },
  });
time('DateLessThan', '2026-06-01T12:00:01Z', 'allow');
time('DateLessThan', '2026-06-01T12:00:00Z', 'none');
time('DateGreaterThan', '2026-06-01', 'allow');
time('DateGreaterThanEquals', '2026-06-01T14:00:00+02:00', 'allow');
time('DateEquals', '1780315200', 'allow');
time('DateNotEquals', '2026-06-01T12:00:00Z', 'none');

// Several conditions, and variables
const both = { ...all, Condition: { StringEquals: { 's3:prefix': 'a' }, Bool: { 'aws:SecureTransport': 'true' } } };
add('both conditions hold', both, 'allow', { context: { 's3:prefix': 'a', 'aws:securetransport': 'true' } });
add('one of two conditions holds', both, 'none', { context: { 's3:prefix': 'a', 'aws:securetransport': 'false' } });
const home = res(on(['b/home/$', '{aws:username}/*'].join('')));
add('a variable', home, 'allow', { resource: 'b/home/alice/x', context: { 'aws:username': 'alice' } });
add('a variable of another', home, 'none', { resource: 'b/home/bob/x', context: { 'aws:username': 'alice' } });
add('a variable with a star is not a wildcard', home, 'none', {
  resource: 'b/home/bob/x',
  context: { 'aws:username': '*' },
});
add('a variable without a value', home, 'none', { resource: 'b/home//x' });
add('a variable in the version of 2008', home, 'none', {
  resource: 'b/home/alice/x',
  context: { 'aws:username': 'alice' },
  version: '2008-10-17',
});
add('an escaped star', res(on(['b/$', '{*}'].join(''))), 'allow', { resource: 'b/*' });
add('an escaped star is not a wildcard', res(on(['b/$', '{*}'].join(''))), 'none', { resource: 'b/x' });

suite(`${cases.length} policies`, () => {
  for (const each of cases) {
    test(`${each.title}: ${each.verdict}`, () => {
      const text = JSON.stringify({ Version: each.version ?? '2012-10-17', Statement: each.statements });
      const verdict = evaluatePolicy(parsePolicy(text), {
        principals: each.principals ?? me,
        action: each.action ?? 's3:GetObject',
        resource: each.resource ?? 'b/k',
        context: new Map(Object.entries(each.context ?? {})),
      });
      assert.equal(verdict, each.verdict);
    });
  }
  test('are a hundred', () => assert.ok(cases.length >= 100));
});
