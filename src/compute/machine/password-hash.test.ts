// Crypt hashes compared with those of other programs: fixed ones, and openssl's if it is installed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { passwordHash } from './password-hash.ts';

test('[CORE-13] a password is hashed like in /etc/shadow', async () => {
  const known = {
    a: 'b$gGrypGsRGH2Oyy7L7rke3Ap0GG5p/DwKrFOwpBXEy0ZV9TFmIGVMQjcmf4ZUJ2VERdPyNfcAl5Fo0lxKW.2Vx/',
    Hello123: 'saltstring$DUtZtPsE.PhZHBEE8.ior8jUlTjxqs.TzAA3nGwqes4Boay9twwH7YgdoC3JQpa1qwjhSqzGgEAOWNo/6L1SR1',
    '': 'aa$yOPrpIbTH2llgYr0.5wYwO3jPHw1.maW.mLRy5852Km6CmpaLbyXL8btVFyBZOpx1Y17h8nVaDThGA5t.h9c41',
  };
  for (const [password, hash] of Object.entries(known))
    assert.equal(await passwordHash(password, hash.split('$')[0]), `$6$${hash}`);
});

test('the salt is different each time, and a part of the hash', async () => {
  const [first, second] = [await passwordHash('secret'), await passwordHash('secret')];
  assert.match(first, /^\$6\$[./0-9A-Za-z]{16}\$[./0-9A-Za-z]{86}$/);
  assert.notEqual(first, second);
  assert.equal(await passwordHash('secret', first.split('$')[2]), first);
  assert.equal(await passwordHash('x', '0123456789abcdefgh'), await passwordHash('x', '0123456789abcdef'));
  for (const salt of ['', 'a$b', 'ä']) await assert.rejects(passwordHash('x', salt), /salt/);
});

test('other work runs during the computation', async () => {
  let turns = 0;
  let isMade = false;
  const made = passwordHash('secret').then(() => {
    isMade = true;
  });
  // not a wait: it counts turns
  while (!isMade) {
    await new Promise(setImmediate);
    turns++;
  }
  await made;
  assert.ok(turns >= 9, `${turns} turns`);
});

const hasOpenssl = spawnSync('openssl', ['passwd', '-6', '-salt', 'a', 'b']).status === 0;

test('openssl computes the same hash', { skip: hasOpenssl ? false : 'openssl is not installed' }, async () => {
  const salts = ['.', 'ab', 'saltstring', './0123456789ABCD', 'zzzzzzzzzzzzzzzz'];
  const lengths = [1, 2, 3, 8, 15, 16, 31, 32, 50, 63, 64, 65, 127, 128, 129, 200];
  for (const [at, length] of lengths.entries()) {
    const password = 'Pä5$w0rd '.repeat(30).slice(0, length).replace(/ $/, '_');
    const salt = salts[at % salts.length] ?? '';
    const expected = execFileSync('openssl', ['passwd', '-6', '-salt', salt, '-stdin'], { input: `${password}\n` });
    assert.equal(await passwordHash(password, salt), expected.toString().trim(), `${length} characters`);
  }
});
