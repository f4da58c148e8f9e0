// The examples of the signature's published documentation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SignedRequest, sign } from './sign.ts';
import { sha256 } from './signing-key.ts';

const credentials = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};

function signatureOf(request: Omit<SignedRequest, 'payloadHash'>): string | undefined {
  const { authorization = '' } = sign(
    { ...request, payloadHash: sha256('') },
    credentials,
    Date.parse('2013-05-24T00:00:00Z'),
  );
  return /Signature=(\w+)$/.exec(authorization)?.[1];
}

test('a request with a range is signed as documented', () => {
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  assert.equal(
    signatureOf({ method: 'GET', url, headers: { range: 'bytes=0-9' } }),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('a request with a query is signed as documented', () => {
  const url = new URL('https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2');
  assert.equal(
    signatureOf({ method: 'GET', url, headers: {} }),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

test('a parameter without a value is signed as documented', () => {
  const url = new URL('https://examplebucket.s3.amazonaws.com/?lifecycle');
  assert.equal(
    signatureOf({ method: 'GET', url, headers: {} }),
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  );
});
