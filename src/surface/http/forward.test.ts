// Calls that are forwarded to another node.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Exchange } from './exchange.ts';
import { forward, forwardStream } from './forward.ts';
import { discard } from './streams.ts';

async function listen(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a call goes to the other node whatever its target looks like, and its target stays as it is', async (t) => {
  const got: string[] = [];
  const stranger = await listen(t, (req, res) => res.end(void got.push(`stranger ${req.url}`)));
  const node = await listen(t, (req, res) => res.end(void got.push(req.url ?? '')));
  const here = await listen(t, (req, res) => {
    const x = new Exchange(req, res, false);
    void forwardStream(x, `http://${node}`, 'objects', 'It is there.').then(({ status, stream }) => {
      if (stream) discard(stream);
      res.writeHead(status).end();
    });
  });
  const [hostname, port] = here.split(':');
  const targets = [`//${stranger}/secret`, `http://${stranger}/secret`, '/bucket/a/../b%2f?x=1', '/%20~!'];
  for (const path of targets) {
    const sent = request({ hostname, port, path, agent: false });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, 200);
  }
  assert.deepEqual(got, [`//${stranger}/secret`, '/secret', '/bucket/a/../b%2f?x=1', '/%20~!']);
  const x = {
    req: { headers: {} },
    base: '',
    host: 'a',
    text: '',
    bytes: new Uint8Array(),
    query: 'q=1',
    method: 'GET',
  };
  await forward(x as unknown as Exchange, `http://${node}`, `//${stranger}/x`, 'It is there.');
  assert.equal(got.at(-1), `//${stranger}/x?q=1`);
});
