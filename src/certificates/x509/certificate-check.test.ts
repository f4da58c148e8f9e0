// Uploads that are not certificates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedCertificate } from './certificate-check.ts';

const begin = '-----BEGIN CERTIFICATE-----\n';
const end = '-----END CERTIFICATE-----\n';
const refusal = (certificate: string): string => {
  try {
    checkedCertificate({ certificate, certificateChain: '', privateKey: '' });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

test('blocks without an end are reported, and a body full of them takes no time', () => {
  for (const text of [begin, end, `${begin}${end}${begin}`, `${end}${begin}`, begin.repeat(37_000), end.repeat(37_000)])
    assert.match(refusal(text), /a PEM block without an end/);
});

test('other blocks are named, and invalid certificates are reported by number', () => {
  assert.match(refusal('-----BEGIN EC PRIVATE KEY-----\n-----END EC PRIVATE KEY-----\n'), /found a key/);
  assert.match(refusal('-----BEGIN X-----\n-----END X-----\n'), /found 'X'/);
  assert.match(refusal(`${begin}AAAA\n${end}`), /Certificate 1 is not valid/);
  assert.match(refusal('text'), /Expected a certificate in PEM/);
});
