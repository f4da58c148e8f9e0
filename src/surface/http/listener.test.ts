// Listeners of every kind: one code for ports, refusals, the limit of connections and the end.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, createServer, Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectSecure, createServer as createSecureServer } from 'node:tls';
import { createAuthority } from '../../base/certificate.ts';
import { createHttpServer } from './http-server.ts';
import { Connections, type Listener, type Opened, openListener, placesOf, portFor } from './listener.ts';
import { namesIn } from './testing.ts';
import { createTlsContexts } from './tls.ts';

const now = (): number => performance.timeOrigin + performance.now();
const authority = await createAuthority({ commonName: 'test', days: 1, now });
const keep = { load: async () => undefined, save: async () => undefined };
const contexts = await createTlsContexts({ authority, now, names: namesIn(), keep });
const place = (most = 10, port = 0) => ({
  host: '127.0.0.1',
  port,
  contexts,
  connections: new Connections(most),
});
const at = (open: Listener['open'], scheme = 'tcp'): Listener => ({
  name: 'widget',
  scheme,
  defaultPort: 7099,
  option: '--widget-port',
  open,
});
const tcp = (more: Partial<Opened> = {}) =>
  at(() => ({ servers: [createServer((socket) => socket.pipe(socket))], ...more }));
const now0 = { politeMs: 0, graceMs: 0 };
const echoed = async (socket: Socket): Promise<string> => {
  socket.write('hello');
  return String((await once(socket, 'data'))[0]);
};

test('a connection that is handed on from one server to another is counted once', () => {
  const connections = new Connections(10);
  for (let at = 0; at < 300; at++) {
    const socket = new Socket();
    assert.ok(connections.add(socket), `connection ${at}`);
    assert.ok(connections.add(socket), `connection ${at} again`);
    socket.emit('close');
  }
  assert.deepEqual(connections.figures(), { open: 0, refused: 0 });
});

test('the port: the given one, else the default, else a free one next to another main port', () => {
  assert.equal(portFor(tcp(), true), 7099);
  assert.equal(portFor(tcp(), false), 0);
  assert.equal(portFor({ ...tcp(), port: 1234 }, false), 1234);
});

test('raw TCP, and TLS with certificates of the region', async () => {
  const plain = await openListener(tcp(), place());
  const secured = at(
    (with_) => ({ servers: [createSecureServer(with_.options, (socket) => socket.pipe(socket))] }),
    'tls',
  );
  const secure = await openListener(secured, place());
  assert.deepEqual(placesOf([secure]), {
    widget: { host: '127.0.0.1', port: secure.port, url: `tls://127.0.0.1:${secure.port}` },
  });
  const one = connect(plain.port, '127.0.0.1');
  assert.equal(await echoed(one), 'hello');
  const other = connectSecure({ port: secure.port, host: '127.0.0.1', ca: authority.certificate });
  assert.equal(await echoed(other), 'hello');
  await Promise.all([plain.close(now0), secure.close(now0)]);
  for (const socket of [one, other]) if (!socket.destroyed) await once(socket, 'close');
});

test('UDP and TCP on one port', async () => {
  const udp = createSocket('udp4');
  udp.on('message', (message, from) => udp.send(message, from.port, from.address));
  const { port, close } = await openListener(
    at(() => ({ servers: [createServer((socket) => socket.pipe(socket)), udp] }), 'dns'),
    place(),
  );
  const client = createSocket('udp4');
  client.send('hello', port, '127.0.0.1');
  assert.equal(String((await once(client, 'message'))[0]), 'hello');
  client.close();
  const socket = connect(port, '127.0.0.1');
  assert.equal(await echoed(socket), 'hello');
  await close(now0);
});

test('the error for a port in use, or for an address of another machine, names the option that changes it', async (t) => {
  const { port, close } = await openListener(tcp(), place());
  t.after(() => close(now0));
  await assert.rejects(openListener(tcp(), place(10, port)), {
    message: `The port ${port} on 127.0.0.1 is in use: stop what uses it, or choose another with --widget-port.`,
  });
  await assert.rejects(openListener(tcp(), { ...place(), host: '192.0.2.1' }), {
    message: 'The address 192.0.2.1 does not belong to this machine: choose another with --host.',
  });
});

test('the limit of connections is that of all listeners together', async (t) => {
  const where = place(1);
  const first = await openListener(tcp(), where);
  const second = await openListener(tcp({ refuse: (socket) => void socket.end('no') }), where);
  t.after(() => Promise.all([first.close(now0), second.close(now0)]));
  const socket = connect(first.port, '127.0.0.1');
  assert.equal(await echoed(socket), 'hello');
  const refused = connect(second.port, '127.0.0.1');
  assert.equal(String((await once(refused, 'data'))[0]), 'no');
  await once(connect(first.port, '127.0.0.1'), 'close');
  assert.equal(where.connections.figures().refused, 2);
});

test('the end: first clients are notified, then running calls may end, then all is closed', async () => {
  const events: string[] = [];
  const { port, close } = await openListener(
    tcp({ leave: () => void events.push('leave'), stop: () => void events.push('stop') }),
    place(),
  );
  const socket = connect(port, '127.0.0.1');
  assert.equal(await echoed(socket), 'hello');
  const closing = close({ politeMs: 500, graceMs: 50 });
  assert.deepEqual(events, ['leave']);
  assert.equal(await echoed(socket), 'hello');
  await once(socket, 'close');
  await closing;
  assert.deepEqual(events, ['leave', 'stop']);
});

test('HTTP that leaves: answers say that they are the last, and a request behind such a one is not done', async () => {
  const handled: (string | undefined)[] = [];
  const made = createHttpServer({
    handle: (req, res) => {
      handled.push(req.url);
      res.end('done');
    },
    refused: () => undefined,
    connect: () => undefined,
  });
  const { port, close } = await openListener(
    at(() => made, 'http'),
    place(),
  );
  const socket = connect(port, '127.0.0.1');
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(get('/1'));
  await once(socket, 'data');
  const closing = close({ politeMs: 500, graceMs: 1000 });
  socket.write(get('/2') + get('/3'));
  await once(socket, 'close');
  await closing;
  assert.deepEqual(handled, ['/1', '/2']);
  assert.match(text.slice(text.lastIndexOf('HTTP/1.1')), /^Connection: close\r$/m);
});

test('HTTP: a connection whose last answer ends after the stop has begun is not waited for', async () => {
  const requested = Promise.withResolvers<ServerResponse>();
  const handle = (_: unknown, res: ServerResponse): void => {
    res.write('begun');
    requested.resolve(res);
  };
  const made = createHttpServer({ handle, refused: () => undefined, connect: () => undefined });
  const { port, close } = await openListener(
    at(() => made, 'http'),
    place(),
  );
  const socket = connect(port, '127.0.0.1');
  socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const answer = await requested.promise;
  const closing = close({ politeMs: 0, graceMs: 600_000 });
  answer.end();
  await closing;
});
