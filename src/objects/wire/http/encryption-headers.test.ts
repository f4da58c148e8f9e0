// Headers about encryption that contradict themselves, that name what is not offered, and that do not belong to reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { codeOf as s3CodeOf } from '../error.ts';
import { demandNoEncryption, demandPlainEncryption } from './encryption-headers.ts';

const prefix = 'x-amz-server-side-encryption';
const reader =
  (headers: Record<string, string>) =>
  (name: string): string | undefined =>
    headers[name];
const plain = { [prefix]: 'AES256' };
const key = { [`${prefix}-customer-key`]: 'a2V5', [`${prefix}-customer-key-md5`]: 'bWQ1' };
const algorithm = { [`${prefix}-customer-algorithm`]: 'AES256' };
const kmsKey = { [`${prefix}-aws-kms-key-id`]: 'one' };

const codeOf = (check: () => void): string => {
  try {
    check();
    return 'taken';
  } catch (error) {
    return error instanceof Fault ? s3CodeOf(error) : String(error);
  }
};

test('a write may ask for AES256 by the storage; contradictions are refused before what is not offered', () => {
  const cases: [headers: Record<string, string>, code: string][] = [
    [{}, 'taken'],
    [plain, 'taken'],
    [{ [prefix]: 'aws:kms' }, 'InvalidArgument'],
    [{ [prefix]: 'aws:kms', ...kmsKey }, 'InvalidArgument'],
    [kmsKey, 'InvalidArgument'],
    [{ ...plain, ...kmsKey }, 'InvalidArgument'],
    [key, 'InvalidArgument'],
    [{ ...plain, ...algorithm, ...key }, 'InvalidArgument'],
    [{ ...algorithm, ...key }, 'NotImplemented'],
  ];
  for (const [headers, code] of cases)
    assert.equal(
      codeOf(() => demandPlainEncryption(reader(headers))),
      code,
      JSON.stringify(headers),
    );
});

test('a read names no encryption', () => {
  assert.equal(
    codeOf(() => demandNoEncryption(reader({}))),
    'taken',
  );
  assert.equal(
    codeOf(() => demandNoEncryption(reader(plain))),
    'InvalidArgument',
  );
  assert.equal(
    codeOf(() => demandNoEncryption(reader({ ...algorithm, ...key }))),
    'InvalidRequest',
  );
});
