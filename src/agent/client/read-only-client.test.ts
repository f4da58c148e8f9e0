// The client can only read, and no other file of the agent can send requests.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { ReadOnlyClient } from './read-only-client.ts';

const folder = join(import.meta.dirname, '..');

test('[TOOLS-03] the client has get and head, and sends exactly these methods', async (t) => {
  assert.deepEqual(Object.getOwnPropertyNames(ReadOnlyClient.prototype).sort(), ['constructor', 'get', 'head']);
  assert.deepEqual(Object.getOwnPropertyNames(new ReadOnlyClient()), []);
  const seen: string[] = [];
  const server = createServer((req, res) => {
    seen.push(req.method ?? '');
    res.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end('moved');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  const client = new ReadOnlyClient();
  const { status, text } = await client.get(url, { authorization: 'Bearer x' });
  assert.deepEqual([status, text], [302, 'moved'], 'a redirect is not followed');
  await client.head(url, {});
  assert.deepEqual(seen, ['GET', 'HEAD']);
});

test('[TOOLS-03] no other file of the agent can send a request', () => {
  const ways =
    /\b(?:fetch|request|connect)\s*\(|from 'node:(?:https?|net|tls|dgram|child_process)'|\bWebSocket\b|undici/g;
  const allowed: Readonly<Record<string, RegExp>> = {
    'client/read-only-client.ts': /./, // the way itself
    'server/http.ts': /from 'node:(?:http|net)'|fetch\(/, // it listens; `fetch` is the SDK's handler of what comes in
    'insight/reachability.ts': /from 'node:net'/, // isIP
  };
  for (const file of globSync('**/*.ts', { cwd: folder }).filter((path) => !path.endsWith('.test.ts'))) {
    const found = readFileSync(join(folder, file), 'utf8').match(ways) ?? [];
    assert.deepEqual(
      found.filter((way) => !allowed[file]?.test(way)),
      [],
      file,
    );
  }
});
