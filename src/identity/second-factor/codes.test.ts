// Codes of authenticator apps, by the numbers of RFC 6238, and recovery codes.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createSeal, newSealKey } from '../../base/seal.ts';
import { openChallenge, sealedChallenge } from './challenge.ts';
import { isRecoveryCode, newRecoveryCodes, recoveryHash } from './recovery-codes.ts';
import { isCode, newSecret, stepOf, uriOf } from './totp.ts';

suite('codes of the second factor', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'; // 12345678901234567890, as in the RFC

  test('are those of RFC 6238, of this step, the one before and the one after', () => {
    for (const [time, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
    ] as const) {
      const step = Math.floor(time / 30);
      for (const shift of [-30, 0, 30]) assert.equal(stepOf(secret, code, (time + shift) * 1000), step, `${time}`);
      for (const shift of [-60, 60]) assert.equal(stepOf(secret, code, (time + shift) * 1000), undefined, `${time}`);
    }
  });

  test('have six digits, and secrets have the form that apps expect', () => {
    assert.ok(isCode('012345'));
    for (const text of ['', '12345', '1234567', '12345a', '１２３４５６']) assert.ok(!isCode(text), text);
    assert.match(newSecret(), /^[A-Z2-7]{32}$/);
    assert.notEqual(newSecret(), newSecret());
    const uri = new URL(uriOf(secret, 'a&b <c>@example.com'));
    assert.equal(decodeURIComponent(uri.pathname.split('/').at(-1) ?? ''), 'Cumulet:a&b <c>@example.com');
    assert.equal(uri.searchParams.get('secret'), secret);
    assert.equal(uri.searchParams.get('issuer'), 'Cumulet');
  });

  test('for recovery are ten of eighty bits, in any spelling', () => {
    const codes = newRecoveryCodes();
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) {
      assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
      assert.ok(isRecoveryCode(code));
      assert.equal(recoveryHash(` ${code.toUpperCase().replaceAll('-', ' ')} `), recoveryHash(code));
    }
    assert.ok(!isRecoveryCode('123456'));
  });
});

test('a challenge is valid for ten minutes, for its purpose, with the key of the region', () => {
  const seal = createSeal(newSealKey());
  const text = sealedChallenge(seal, { purpose: 'sign-in', user: 'somebody' }, 1000);
  assert.ok(!Buffer.from(text, 'base64').toString('latin1').includes('somebody'));
  assert.equal(openChallenge(seal, text, 'sign-in', 600_999).user, 'somebody');
  assert.throws(() => openChallenge(seal, text, 'sign-in', 601_000), /too long/);
  assert.throws(() => openChallenge(seal, text, 'enrolment', 1000), /too long/);
  assert.throws(() => openChallenge(createSeal(newSealKey()), text, 'sign-in', 1000), /too long/);
  for (const bad of ['', 'x', `A${text}`, text.slice(4), seal.close('null'), seal.close('{')])
    assert.throws(() => openChallenge(seal, bad, 'sign-in', 1000), /too long/, bad);
});
