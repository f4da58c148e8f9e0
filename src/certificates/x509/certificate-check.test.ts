// Uploads that are not certificates.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createAuthority, issueCertificate } from '../../base/certificate.ts';
import { machineTime } from '../../base/clock.ts';
import { checkedCertificate, presentedChain } from './certificate-check.ts';

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

test('a presented chain begins with the certificate and has each certificate once', async () => {
  const now = machineTime;
  const authority = await createAuthority({ commonName: 'CA', days: 1, now });
  const leaf = await issueCertificate(authority, { commonName: 'a.test', hosts: ['a.test'], days: 1, now });
  const whole = presentedChain(leaf.certificate, authority.certificate);
  assert.equal(whole.match(/BEGIN CERTIFICATE/g)?.length, 2);
  assert.equal(presentedChain(leaf.certificate, leaf.certificate + authority.certificate), whole);
  assert.equal(new X509Certificate(whole).fingerprint256, new X509Certificate(leaf.certificate).fingerprint256);
  assert.equal(presentedChain(authority.certificate, ''), presentedChain(authority.certificate, authority.certificate));
});
