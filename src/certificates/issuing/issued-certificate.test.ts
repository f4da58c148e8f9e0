// When certificates are renewed, and which ones are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthority, issueCertificate } from '../../base/certificate.ts';
import { machineTime } from '../../base/clock.ts';
import { renewalAfterMs, unwanted } from './issued-certificate.ts';

const hourMs = 3_600_000;

test('[TOOLS-05] a certificate is renewed after two thirds of its life, but never at once, because each renewal creates another one', () => {
  assert.equal(renewalAfterMs(90 * 24 * hourMs), 60 * 24 * hourMs);
  // For a server or this machine with a wrong clock.
  for (const lifetimeMs of [-365 * 24 * hourMs, 0, 60_000]) assert.equal(renewalAfterMs(lifetimeMs), hourMs);
});

test('[TOOLS-05] a certificate is accepted if it belongs to the key, has all names, and its issuers follow it', async () => {
  const request = { days: 1, now: machineTime };
  const authority = await createAuthority({ commonName: 'CA', ...request });
  const hosts = ['a.example', '*.b.example'];
  const { certificate, key } = await issueCertificate(authority, { commonName: 'a.example', hosts, ...request });
  const other = await createAuthority({ commonName: 'other', ...request });
  const wanted = { names: hosts, key };
  const issued = { certificate, certificateChain: authority.certificate };
  assert.equal(unwanted(issued, wanted), undefined);
  assert.equal(unwanted({ certificate, certificateChain: '' }, wanted), undefined);
  assert.match(unwanted(issued, { names: ['c.example'], key }) ?? '', /is not for c\.example/);
  assert.match(unwanted(issued, { names: ['x.b.example'], key }) ?? '', /is not for x\.b\.example/);
  assert.match(unwanted(issued, { names: hosts, key: other.key }) ?? '', /The key does not belong to the certificate/);
  assert.match(unwanted({ certificate, certificateChain: other.certificate }, wanted) ?? '', /has not issued/);
  assert.match(unwanted({ certificate: 'none', certificateChain: '' }, wanted) ?? '', /Expected a certificate/);
});
