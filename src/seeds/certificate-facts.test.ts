// Placeholders of certificates whose private keys can not be read.
import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createAuthority, issueCertificate } from '../base/certificate.ts';
import { certificateFacts, placeholderCertificate } from './certificate-facts.ts';

test('a placeholder has the names and dates of the original, and another key', async () => {
  const dates = { days: 30, from: Date.UTC(2020, 1, 3), now: () => Date.UTC(2020, 1, 3) };
  const authority = await createAuthority({ ...dates, commonName: 'Public authority' });
  const hosts = ['shop.example', '*.shop.example', '192.0.2.7'];
  const original = await issueCertificate(authority, { ...dates, commonName: 'shop.example', hosts });
  const {
    certificate = '',
    certificateChain = '',
    privateKey = '',
  } = await placeholderCertificate('shop', original.certificate);
  const [before, after] = [certificateFacts(original.certificate), certificateFacts(certificate)];
  assert.deepEqual([before?.isPlaceholder, after?.isPlaceholder], [false, true]);
  assert.deepEqual({ ...after?.facts, serialNumber: '' }, { ...before?.facts, serialNumber: '' });
  const leaf = new X509Certificate(certificate);
  assert.ok(leaf.checkPrivateKey(createPrivateKey(privateKey)));
  assert.ok(leaf.verify(new X509Certificate(certificateChain).publicKey));
});

test('an unreadable certificate gets a placeholder with its name', async () => {
  const { certificate } = await placeholderCertificate('shop', 'no PEM');
  assert.equal(certificateFacts(certificate)?.facts.commonName, 'shop');
  assert.equal(certificateFacts('no PEM'), undefined);
});
