// Which addresses of ACME servers are allowed, and which parts of their answers are shown.
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import { withoutForeignText } from './acme-http.ts';
import { serverLookup, wrongAddress } from './server-address.ts';

test('HTTPS may go anywhere but to link-local and unspecified addresses, HTTP to this machine', () => {
  for (const good of [
    'https://acme.example/directory',
    'https://10.1.2.3:9000/acme/acme/directory',
    'https://localhost:14000/dir',
    'https://127.0.0.1:14000/dir',
    'http://127.0.0.1:14000/dir',
    'http://127.1:14000/dir',
    'http://[::1]:14000/dir',
    'http://localhost:14000/dir', // resolved when it is used
  ])
    assert.equal(wrongAddress(good), undefined, good);
  for (const bad of [
    'ftp://acme.example/',
    'http://10.1.2.3/dir',
    'https://169.254.169.254/latest',
    'https://0xa9fea9fe/latest',
    'https://[::ffff:169.254.169.254]/latest',
    'https://[64:ff9b::169.254.169.254]/latest',
    'https://[fe80::1]/dir',
    'https://[fd00:ec2::254]/latest',
    'https://0.0.0.0/dir',
    'https://[::]/dir',
    'https://239.0.0.1/dir',
    'https://user:secret@acme.example/dir',
  ])
    assert.notEqual(wrongAddress(bad), undefined, bad);
});

test('a name is refused if it resolves to forbidden addresses', async () => {
  const ask = (scheme: 'http:' | 'https:', name: string): Promise<string | LookupAddress[]> =>
    new Promise((resolve, reject) =>
      serverLookup(scheme)(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
    );
  assert.deepEqual(await ask('http:', '127.0.0.1'), [{ address: '127.0.0.1', family: 4 }]);
  assert.deepEqual(await ask('https:', '10.1.2.3'), [{ address: '10.1.2.3', family: 4 }]);
  await assert.rejects(ask('http:', '10.1.2.3'), /plain http is for servers on this machine/);
  await assert.rejects(ask('https:', '169.254.169.254'), /link-local/);
});

test('only the detail of a problem document is shown of an answer', () => {
  const problem = { type: 'urn:ietf:params:acme:error:badNonce', detail: 'no such nonce', more: 'secret' };
  const { more: _, ...expected } = problem;
  assert.deepEqual(withoutForeignText(400, 'application/problem+json; charset=utf-8', problem), expected);
  assert.deepEqual(withoutForeignText(404, 'application/json', problem), { detail: 'it answers 404' });
  assert.deepEqual(withoutForeignText(403, 'text/html', 'secret'), { detail: 'it answers 403' });
  assert.deepEqual(withoutForeignText(200, 'application/json', { status: 'secret' }), { status: 'unknown' });
  const order = { status: 'invalid', error: { detail: 'it is forbidden' }, finalize: 'https://acme.example/1' };
  assert.deepEqual(withoutForeignText(200, 'application/json', order), order);
  assert.deepEqual(withoutForeignText(200, 'application/json', { status: 'invalid', error: 'secret' }), {
    status: 'invalid',
    error: { detail: 'it is not valid' },
  });
});
