// When certificates are renewed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renewalAfterMs } from './issued-certificate.ts';

const hourMs = 3_600_000;

test('[TOOLS-05] a certificate is renewed after two thirds of its life, but never at once: each is one more', () => {
  assert.equal(renewalAfterMs(90 * 24 * hourMs), 60 * 24 * hourMs);
  // Of a server with a wrong clock, or by a wrong clock of this machine.
  for (const lifetimeMs of [-365 * 24 * hourMs, 0, 60_000]) assert.equal(renewalAfterMs(lifetimeMs), hourMs);
});
