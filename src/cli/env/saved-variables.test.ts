// What `env` sets and restores.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf, original, type Variables, type Wanted, withValues } from './saved-variables.ts';

// The environment after a shell has run what `env` printed.
function after(wanted: Wanted, now: Variables): Variables {
  const { set, unset } = withValues(changeOf(wanted, now), now);
  return Object.fromEntries(Object.entries({ ...now, ...set }).filter(([name]) => !unset.includes(name)));
}
const back: Wanted = { set: {}, unset: [] };
const endpoint: Wanted = { set: { IONOS_API_URL: 'http://here', IONOS_TOKEN: 'T' }, unset: ['IONOS_USERNAME'] };
const proxy: Wanted = { set: { HTTPS_PROXY: 'http://here', IONOS_TOKEN: 'T' }, unset: ['IONOS_API_URL'] };
const user: Variables = {
  HOME: '/home',
  IONOS_TOKEN: 'real',
  IONOS_USERNAME: 'me',
  HTTPS_PROXY: '',
  SSL_CERT_FILE: '/c',
};

test('previous values are restored, however often and with whichever methods they were replaced', () => {
  for (const variablesByMethod of [[endpoint], [endpoint, endpoint], [endpoint, proxy], [proxy, endpoint, proxy]]) {
    let now = user;
    for (const method of variablesByMethod) {
      now = after(method, now);
      assert.equal(now.IONOS_TOKEN, 'T');
      for (const name of [...Object.keys(user), 'IONOS_API_URL']) assert.equal(original(now)[name], user[name], name);
    }
    assert.deepEqual(after(back, now), user);
  }
});

test('one method replaces the other', () => {
  const now = after(proxy, after(endpoint, user));
  assert.deepEqual([now.IONOS_API_URL, now.IONOS_USERNAME, now.HTTPS_PROXY], [undefined, 'me', 'http://here']);
});

test('a shell that env never changed is unchanged, and so are foreign names', () => {
  assert.deepEqual(changeOf(back, user), { keep: [], restore: [], set: {}, unset: [] });
  const forged = { ...user, CUMULET_SAVED: 'HOME,$(rm -rf /),PATH' };
  assert.deepEqual(changeOf(back, forged), { keep: [], restore: [], set: {}, unset: ['CUMULET_SAVED'] });
});
