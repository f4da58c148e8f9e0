// Uploads by an HTML form: its policy document limits what may be uploaded and until when, and the signature covers the
// policy. A condition must cover every field of the form, otherwise a user could add other fields.
import { createHmac } from 'node:crypto';
import { isEqual, sign, signingKey } from '../../../core/s3-signature/signing-key.ts';
import { s3Fault } from '../error.ts';
import { parseCredential, parseTimestamp } from '../signature/credential.ts';
import type { SignatureContext } from '../signature/signer.ts';
import { instant } from './instant.ts';

export type FormFields = ReadonlyMap<string, string>; // by lower-case name, without the file

export interface FormPermission {
  accessKeyId: string;
  size: { least: number; most: number }; // of the file
}

type Rule = { kind: 'eq' | 'starts-with'; field: string; value: string };

// Undefined: the form has no policy, so its sender is anonymous.
export async function verifyPostForm(
  fields: FormFields,
  context: SignatureContext,
): Promise<FormPermission | undefined> {
  const encoded = fields.get('policy');
  if (encoded === undefined) return undefined;
  const accessKeyId = await verifyFormSignature(fields, encoded, context);
  const { expiration, rules, size } = parseFormPolicy(encoded);
  if (context.now > expiration) throw denied('Policy expired.');
  for (const rule of rules) {
    const given = fields.get(rule.field) ?? '';
    const holds = rule.kind === 'eq' ? given === rule.value : given.startsWith(rule.value);
    if (!holds) throw denied(`Policy Condition failed: ["${rule.kind}", "$${rule.field}", "${rule.value}"]`);
  }
  const covered = new Set([...rules.map(({ field }) => field), ...uncovered]);
  const extra = [...fields.keys()].find((name) => !covered.has(name) && !isFree.test(name));
  if (extra !== undefined) throw denied(`Extra input fields: ${extra.slice(0, 60)}`);
  return { accessKeyId, size };
}

const isFree = /^x-(?:ignore|amz-checksum)-/;
const uncovered = ['bucket', 'policy', 'awsaccesskeyid', 'signature', 'x-amz-signature', 'file'];

async function verifyFormSignature(fields: FormFields, policy: string, context: SignatureContext): Promise<string> {
  const version4 = fields.get('x-amz-signature');
  const required = (name: string): string => {
    const value = fields.get(name);
    if (value) return value;
    throw s3Fault('InvalidArgument', `Bucket POST must contain a field named '${name}'.`);
  };
  if (version4 === undefined) {
    const accessKeyId = required('awsaccesskeyid');
    const secret = await secretOf(accessKeyId, context);
    const expected = createHmac('sha1', secret).update(policy).digest('base64');
    if (!isEqual(expected, required('signature'))) throw s3Fault('SignatureDoesNotMatch');
    return accessKeyId;
  }
  if (required('x-amz-algorithm') !== 'AWS4-HMAC-SHA256') throw s3Fault('InvalidArgument', 'Use AWS4-HMAC-SHA256.');
  const credential = parseCredential(required('x-amz-credential'));
  const date = required('x-amz-date');
  if (!credential || Number.isNaN(parseTimestamp(date)) || !date.startsWith(credential.scope.day)) {
    throw s3Fault('InvalidArgument', 'The credential of the form is malformed.');
  }
  const secret = await secretOf(credential.accessKeyId, context);
  if (!isEqual(sign(signingKey(secret, credential.scope), policy), version4)) throw s3Fault('SignatureDoesNotMatch');
  return credential.accessKeyId;
}

async function secretOf(accessKeyId: string, context: SignatureContext): Promise<string> {
  const secret = await context.secretOf(accessKeyId);
  if (secret === undefined) throw s3Fault('InvalidAccessKeyId');
  return secret;
}

interface FormPolicy {
  expiration: number;
  rules: Rule[];
  size: { least: number; most: number };
}

function parseFormPolicy(encoded: string): FormPolicy {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(encoded, 'base64').toString());
  } catch {
    throw invalid('Invalid JSON.');
  }
  const { expiration, conditions } = (document ?? {}) as { expiration?: unknown; conditions?: unknown };
  const expires = typeof expiration === 'string' ? instant(expiration) : undefined;
  if (expires === undefined) throw invalid('Policy missing expiration.');
  if (!Array.isArray(conditions)) throw invalid('Policy missing conditions.');
  const policy: FormPolicy = { expiration: expires, rules: [], size: { least: 0, most: Number.POSITIVE_INFINITY } };
  for (const condition of conditions) addCondition(policy, condition);
  return policy;
}

function addCondition(policy: FormPolicy, condition: unknown): void {
  if (!Array.isArray(condition)) {
    const pairs = typeof condition === 'object' && condition !== null ? Object.entries(condition) : [];
    if (pairs.length !== 1) throw invalid('Invalid Simple-Condition: it must have exactly one property.');
    for (const [name, value] of pairs) policy.rules.push({ kind: 'eq', field: name.toLowerCase(), value: text(value) });
    return;
  }
  const [operator, left, right] = condition as unknown[];
  if (condition.length !== 3) throw invalid('A condition must have three elements.');
  const kind = String(operator).toLowerCase();
  if (kind === 'content-length-range') {
    policy.size = { least: bound(left), most: bound(right) };
  } else if ((kind === 'eq' || kind === 'starts-with') && typeof left === 'string' && left.startsWith('$')) {
    policy.rules.push({ kind, field: left.slice(1).toLowerCase(), value: text(right) });
  } else throw invalid('Invalid condition.');
}

function bound(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw invalid('Invalid content-length-range.');
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid('The value of a condition must be a string.');
}

const invalid = (reason: string): Error => s3Fault('InvalidPolicyDocument', `Invalid Policy: ${reason}`);
const denied = (reason: string): Error => s3Fault('AccessDenied', `Invalid according to Policy: ${reason}`);
