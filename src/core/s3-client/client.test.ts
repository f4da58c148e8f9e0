// The S3 client against a server whose answers are set by the test.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { S3Client } from './client.ts';
import { s3Error } from './error.ts';

async function serve(t: TestContext, statuses: number[]): Promise<{ client: S3Client; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(request.headers.authorization?.includes('Credential=KEY/') ? (statuses.shift() ?? 200) : 403);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const credentials = { accessKey: 'KEY', secretKey: 'SECRET', region: 'eu-central-3' };
  return { client: new S3Client({ origin: `http://127.0.0.1:${port}`, credentials, now: () => 0 }), seen };
}

test('a temporary failure is repeated, three attempts in all', async (t) => {
  const { client, seen } = await serve(t, [503, 429, 200, 500, 502, 504]);
  assert.equal((await client.call({ method: 'GET' })).status, 200);
  assert.equal(seen.length, 3);
  assert.equal((await client.call({ method: 'GET' })).status, 504);
  assert.equal(seen.length, 6);
});

test('a refusal is not repeated, and neither is a call that must happen once', async (t) => {
  const { client, seen } = await serve(t, [409, 503]);
  assert.equal((await client.call({ method: 'PUT', bucket: 'b', body: 'x' })).status, 409);
  assert.equal((await client.call({ method: 'POST', bucket: 'b', isOnce: true })).status, 503);
  assert.equal(seen.length, 2);
});

test('keys and queries are encoded', async (t) => {
  const { client, seen } = await serve(t, []);
  await client.call({ method: 'GET', bucket: 'b', key: "a b/(ü)'+", query: { versionId: 'x&y', none: undefined } });
  await client.call({ method: 'GET', bucket: 'b', query: { location: '' } });
  assert.deepEqual(seen, ['GET /b/a%20b/%28%C3%BC%29%27%2B?versionId=x%26y', 'GET /b?location=']);
});

test('the code and the message of a refusal are read', () => {
  const text = '<Error><Code>NoSuchKey</Code><Message>There is none.</Message></Error>';
  assert.deepEqual(s3Error(text), { code: 'NoSuchKey', message: 'There is none.' });
  assert.deepEqual(s3Error(''), { code: '', message: '' });
});
