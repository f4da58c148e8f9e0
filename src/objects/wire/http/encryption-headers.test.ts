// Encryption headers: contradictions, malformed keys, and missing, wrong or unneeded keys.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { randomHex } from '../../../base/ids.ts';
import { type CustomerKey, proofOf } from '../../encryption/customer-key.ts';
import { codeOf as s3CodeOf } from '../error.ts';
import { demandKeyOf, demandUploadKey, readKeyIn, sourceKeyIn, writeKeyIn } from './encryption-headers.ts';

const bytesOf = (size: number): Buffer => Buffer.from(randomHex(size), 'hex');

const prefix = 'x-amz-server-side-encryption';
const reader =
  (headers: Record<string, string>) =>
  (name: string): string | undefined =>
    headers[name];
const secret = bytesOf(32);
const plain = { [prefix]: 'AES256' };
const algorithm = { [`${prefix}-customer-algorithm`]: 'AES256' };
const key = { [`${prefix}-customer-key`]: secret.toString('base64') };
const md5 = { [`${prefix}-customer-key-md5`]: hash('md5', secret, 'base64') };
const kmsKey = { [`${prefix}-aws-kms-key-id`]: 'one' };
const short = bytesOf(16);

const codeOf = (check: () => unknown): string => {
  try {
    check();
    return 'accepted';
  } catch (error) {
    return error instanceof Fault ? s3CodeOf(error) : String(error);
  }
};

test('[OBJ-01] a write names one kind of encryption, and a complete customer key', () => {
  const cases: [headers: Record<string, string>, code: string][] = [
    [{}, 'accepted'],
    [plain, 'accepted'],
    [{ [prefix]: 'aws:kms' }, 'InvalidArgument'],
    [{ [prefix]: 'aws:kms', ...kmsKey }, 'InvalidArgument'],
    [kmsKey, 'InvalidArgument'],
    [{ ...plain, ...kmsKey }, 'InvalidArgument'],
    [{ ...algorithm, ...key, ...md5 }, 'accepted'],
    [{ ...plain, ...algorithm, ...key, ...md5 }, 'InvalidArgument'],
    [{ ...key, ...md5 }, 'InvalidArgument'],
    [{ ...algorithm, ...md5 }, 'InvalidArgument'],
    [{ ...algorithm, ...key }, 'InvalidArgument'],
    [{ ...algorithm, ...key, ...md5, [`${prefix}-customer-algorithm`]: 'AES128' }, 'InvalidEncryptionAlgorithmError'],
    [{ ...algorithm, ...key, [`${prefix}-customer-key-md5`]: 'AAAAAAAAAAAAAAAAAAAAAA==' }, 'InvalidArgument'],
    [{ ...algorithm, ...md5, [`${prefix}-customer-key`]: 'no base64!' }, 'InvalidArgument'],
    [
      {
        ...algorithm,
        [`${prefix}-customer-key`]: short.toString('base64'),
        [`${prefix}-customer-key-md5`]: hash('md5', short, 'base64'),
      },
      'InvalidArgument',
    ],
  ];
  for (const [headers, code] of cases)
    assert.equal(
      codeOf(() => writeKeyIn(reader(headers))),
      code,
      JSON.stringify(headers),
    );
});

test('a read must not name AES256; the source of a copy has separate headers', () => {
  assert.equal(
    codeOf(() => readKeyIn(reader(plain))),
    'InvalidArgument',
  );
  const headers = { ...algorithm, ...key, ...md5 };
  assert.deepEqual(readKeyIn(reader(headers))?.secret, secret);
  assert.equal(sourceKeyIn(reader(headers)), undefined);
  const ofSource = Object.entries(headers).map(([name, value]) => [
    name.replace('x-amz-', 'x-amz-copy-source-'),
    value,
  ]);
  assert.deepEqual(sourceKeyIn(reader(Object.fromEntries(ofSource)))?.secret, secret);
});

test('[OBJ-01] only the key that encrypted an object is accepted, and none for an object without one', () => {
  const right: CustomerKey = { secret, md5: '' };
  const wrong: CustomerKey = { secret: bytesOf(32), md5: '' };
  const proof = proofOf(right);
  assert.notDeepEqual(proofOf(right), proof, 'proofs are salted');
  for (const [demand, code] of [
    [demandKeyOf, 'InvalidArgument'],
    [demandUploadKey, 'InvalidRequest'],
  ] as const) {
    assert.equal(demand(proof, right), right);
    assert.equal(demand(undefined, undefined), undefined);
    const codes = [() => demand(proof, wrong), () => demand(proof, undefined), () => demand(undefined, right)];
    assert.deepEqual(codes.map(codeOf), [code, 'InvalidRequest', 'InvalidRequest']);
  }
});
