// Calls of a seed to a region that limits them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { SeedClient } from './seed-client.ts';

test('a call that the region limits is repeated after the time that it names, also when a seed is undone', async (t) => {
  const calls: string[] = [];
  const server = createServer(({ method }, response) => {
    calls.push(`${method}`);
    const isLimited = calls.length % 3 !== 0;
    response.writeHead(isLimited ? 429 : 202, isLimited ? { 'retry-after': '0.02' } : {});
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = new SeedClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
  assert.equal((await client.call('POST', '/servers', { properties: {} })).status, 202);
  assert.equal(await client.remove('/servers/1'), undefined);
  assert.deepEqual(calls, ['POST', 'POST', 'POST', 'DELETE', 'DELETE', 'DELETE']);
});
