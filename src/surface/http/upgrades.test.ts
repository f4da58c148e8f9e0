// WebSockets: taken over by a route after the stages of a call, refused as HTTP, counted, and ended with the region.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { createAuthority } from '../../base/certificate.ts';
import { Fault } from '../../base/fault.ts';
import { keyCaller } from '../../core/access.ts';
import { type TestRoute, type TestSurface, testSurface } from '../../testing/surface.ts';
import { until } from '../../testing/waiting.ts';
import type { Exchange, Service } from './exchange.ts';
import { type Gateway, openGateway } from './gateway.ts';
import { Connections } from './listener.ts';
import { createHandler } from './pipeline.ts';
import { namesIn } from './testing.ts';
import { createTlsContexts } from './tls.ts';
import { createUpgrades } from './upgrades.ts';

const now = (): number => performance.timeOrigin + performance.now();
const authority = await createAuthority({ commonName: 'test', days: 1, now });
const keep = { load: async () => undefined, save: async () => undefined };

async function open(t: TestContext, { surface }: TestSurface, most = 100): Promise<Gateway> {
  const gateway = await openGateway(
    {
      host: '127.0.0.1',
      port: 0,
      securePort: 0,
      names: namesIn(),
      contexts: await createTlsContexts({ authority, now, names: namesIn(), keep }),
      passthrough: false,
      connections: new Connections(most),
      handle: createHandler(surface),
      upgrades: createUpgrades(surface),
      refused: () => undefined,
    },
    () => undefined,
  );
  t.after(() => gateway.close({ politeMs: 0, graceMs: 0 }));
  return gateway;
}

const echo = (over: string[] = []): TestRoute => ({
  method: 'GET',
  path: '/echo',
  call: () => ({ status: 200, body: '"plain"' }),
  async upgrade(x, socket) {
    socket.on('message', (data) => socket.send(`${data}`));
    await once(x.signal, 'abort');
    over.push(x.route?.operation ?? '');
  },
});

const refusalOf = async (socket: WebSocket): Promise<{ status: number | undefined; text: string }> => {
  const [, answer] = (await once(socket, 'unexpected-response')) as [ClientRequest, IncomingMessage];
  return { status: answer.statusCode, text: (await answer.setEncoding('utf8').toArray()).join('') };
};

test('a route takes over a WebSocket, plain and by TLS, until the client leaves', async (t) => {
  const over: string[] = [];
  const tested = testSurface([echo(over)]);
  const { listening, figures } = await open(t, tested);
  for (const [at, { url }] of listening.entries()) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/test/echo`, { ca: authority.certificate });
    await once(socket, 'open');
    socket.send('hello');
    assert.equal(String((await once(socket, 'message'))[0]), 'hello');
    assert.equal(figures().webSockets, 1);
    socket.close();
    await until('the connection ends', () => over.length === at + 1 && figures().webSockets === 0);
  }
  assert.deepEqual([tested.answered, tested.errors], [[101, 101], []]);
});

test('an upgrade is refused as a call is, and an Upgrade header that no route asked for means nothing', async (t) => {
  const findCaller = (x: Exchange) => {
    if (x.req.headers.apikey !== 'good') throw new Fault('unauthenticated', 'who is there?');
    return keyCaller(1, 'widget', 'key of a widget');
  };
  const closed: Partial<Service> = { authentication: { schemes: {}, findCaller } };
  const guarded = { ...echo(), open: false };
  const missing: TestRoute = {
    ...guarded,
    path: '/missing',
    resolve: () => {
      throw new Fault('missing', 'it is not there');
    },
  };
  const plain: TestRoute = { method: 'GET', path: '/plain', call: () => ({ status: 200, body: '"plain"' }) };
  const { port } = await open(t, testSurface([guarded, missing, plain], closed));
  const dial = (path: string, headers = {}) => new WebSocket(`ws://127.0.0.1:${port}/test${path}`, { headers });
  const stranger = await refusalOf(dial('/echo'));
  assert.equal(stranger.status, 401);
  assert.match(stranger.text, /^\{"httpStatus":401,.*who is there\?/);
  assert.equal((await refusalOf(dial('/missing', { apikey: 'good' }))).status, 404);
  assert.equal((await refusalOf(dial('/nothing', { apikey: 'good' }))).status, 404);
  assert.equal((await refusalOf(dial('/plain', { apikey: 'good' }))).text, '"plain"');
  const headers = { apikey: 'good', upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '12' };
  const sent = request({ port, host: '127.0.0.1', path: '/test/echo', headers }).end();
  assert.equal(((await once(sent, 'response')) as [IncomingMessage])[0].statusCode, 422);
  const good = dial('/echo', { apikey: 'good' });
  await once(good, 'open');
  good.terminate();
});

test('a bug in the route closes the WebSocket and is logged', async (t) => {
  const upgrade = () => Promise.reject(new Error('broken'));
  const tested = testSurface([{ ...echo(), upgrade }]);
  const { port } = await open(t, tested);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/test/echo`);
  assert.equal((await once(socket, 'close'))[0], 1011);
  assert.equal(tested.errors.length, 1);
});

test('they count as connections, and end when the region stops', async (t) => {
  const gateway = await open(t, testSurface([echo()]), 1);
  const url = `ws://127.0.0.1:${gateway.port}/test/echo`;
  const socket = new WebSocket(url);
  await once(socket, 'open');
  assert.equal((await refusalOf(new WebSocket(url))).status, 503);
  await until('one connection is open', () => gateway.figures().open === 1);
  assert.deepEqual(gateway.figures(), { open: 1, refused: 1, webSockets: 1 });
  const closed = once(socket, 'close');
  await gateway.close({ politeMs: 0, graceMs: 5000 });
  assert.deepEqual((await closed).map(String), ['1001', 'The region is stopping.']);
});
