// Calls to addresses that a client has chosen.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { checkedFetch } from './outbound-fetch.ts';

async function serve(t: TestContext): Promise<number> {
  const server = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/' });
    if (request.url === '/long') response.write('x'.repeat(2000));
    response.end(`${request.method} ${request.url} ${request.headers.authorization}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const outbound = checkedFetch((host, why) => new Error(`${host}: ${why}`));
const request = { headers: { authorization: 'Bearer x' }, signal: new AbortController().signal };

test('every connection uses the address that was checked, and redirects are not followed', async (t) => {
  const port = await serve(t);
  let address = '127.0.0.1';
  t.mock.method(dns, 'lookup', ((_name: string, _options: object, done: (...found: unknown[]) => void) =>
    done(null, [{ address, family: 4 }])) as never);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const answer = await outbound(`http://api.example:${port}/a?b=c`, request);
  assert.deepEqual([answer.status, await answer.text()], [200, 'GET /a?b=c Bearer x']);
  const moved = await outbound(`http://api.example:${port}/moved`, request);
  assert.deepEqual([moved.status, moved.headers.get('location')], [302, '/']);
  address = '169.254.169.254';
  await assert.rejects(outbound(`http://monitoring.example:${port}/`, request), /^Error: monitoring\.example: /);
});

test('a literal address is checked, too, and a call ends with its signal', async (t) => {
  await assert.rejects(outbound('http://169.254.169.254/', request), /169\.254\.169\.254: this address is link-local/);
  await assert.rejects(outbound('http://[fe80::1]/', request), /link-local/);
  const port = await serve(t);
  const signal = AbortSignal.abort();
  await assert.rejects(outbound(`http://127.0.0.1:${port}/`, { ...request, signal }), { name: 'AbortError' });
});

test('an answer that is too long is refused, and so are too many answers', async (t) => {
  const port = await serve(t);
  const url = `http://127.0.0.1:${port}`;
  const textOf = async (bounded: typeof outbound, path: string): Promise<string> =>
    (await bounded(url + path, request)).text();
  const mb = 1024 * 1024;
  const short = checkedFetch((host, why) => new Error(`${host}: ${why}`), { one: 1024, all: 10 * mb });
  await textOf(short, '/');
  await assert.rejects(
    textOf(short, '/long'),
    /^Error: 127\.0\.0\.1: it sent an answer of more than 0\.0009765625 MB$/,
  );
  const few = checkedFetch((host, why) => new Error(`${host}: ${why}`), { one: mb, all: 4096 });
  await textOf(few, '/long');
  await assert.rejects(Promise.all([textOf(few, '/long'), textOf(few, '/long')]), /it sent more than/);
});
