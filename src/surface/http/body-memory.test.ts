// Bodies that are read whole share one budget of memory: what does not fit is refused, and what a call had is given
// back however it ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import type { Caller } from '../../core/access.ts';
import { bodyMemoryLimit } from '../../core/body-memory.ts';
import { serve, type TestRoute, testSurface } from '../../testing/surface.ts';
import { until } from '../../testing/waiting.ts';
import { bodyStream } from './body.ts';
import type { Exchange } from './exchange.ts';

const limit = 1000;
const done = { status: 200, body: '{}' };

// A header names the caller. `release` answers the calls that wait in /waits.
async function opened(t: TestContext, more: readonly TestRoute[] = []) {
  const gate = Promise.withResolvers<void>();
  const call = async () => {
    await gate.promise;
    return done;
  };
  const findCaller = ({ req }: Exchange) => ({ contract: Number(req.headers['x-contract']) }) as Caller;
  const routes = [{ method: 'POST', path: '/waits', takesBytes: true, call }, ...more];
  const tested = testSurface(
    routes.map((route) => ({ open: false, unaudited: true, ...route })),
    { authentication: { schemes: {}, findCaller } },
    limit,
  );
  const port = await serve(t, tested);
  const figures = () => tested.surface.bodyMemory.figures();
  const send = async (contract: number, bytes: number, path = '/waits') => {
    const headers = { 'x-contract': contract, 'content-length': bytes };
    const sent = request({ port, host: '127.0.0.1', path: `/test${path}`, method: 'POST', headers, agent: false });
    sent.end(Buffer.alloc(bytes, 0x20));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, after: answer.headers['retry-after'], body: await textOf(answer) };
  };
  const held = (bytes: number): Promise<number | undefined> =>
    until(
      `${bytes} bytes are held`,
      () => figures().heldBytes,
      (now) => now === bytes,
    );
  return { tested, port, figures, send, held, release: gate.resolve };
}

const textOf = async (answer: IncomingMessage): Promise<string> =>
  (await answer.setEncoding('utf8').toArray()).join('');

// The head of a POST, with whatever of its body.
function raw(port: number, path: string, headers: string, body: string): Socket {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => {});
  socket.write(`POST /test${path} HTTP/1.1\r\nHost: x\r\nX-Contract: 1\r\n${headers}\r\n\r\n${body}`);
  return socket;
}

test('a body that does not fit next to those of other calls is refused with 503 and Retry-After until they are answered', async (t) => {
  const { send, held, figures, release } = await opened(t);
  const first = [send(1, 400), send(2, 400)];
  await held(800);
  const refused = await send(3, 201);
  assert.deepEqual([refused.status, refused.after], [503, '1']);
  assert.match(
    refused.body,
    /^\{"httpStatus":503,"messages":\[\{"errorCode":"503","message":"The bodies of other calls/,
  );
  const small = send(3, 200);
  await held(1000);
  assert.deepEqual(figures(), { heldBytes: 1000, limitBytes: limit, refused: 1 });
  release();
  for (const one of [...first, small]) assert.equal((await one).status, 200);
  await held(0);
  assert.equal((await send(3, 201)).status, 200);
});

test('one contract gets half of the memory at most, so that others are served', async (t) => {
  const { send, held, release } = await opened(t);
  const first = send(1, 400);
  await held(400);
  assert.equal((await send(1, 101)).status, 503);
  const others = [send(1, 100), send(2, 500)];
  await held(1000);
  release();
  for (const one of [first, ...others]) assert.equal((await one).status, 200);
});

test('a body of unknown length is counted while it is read, and can be refused in the middle', async (t) => {
  const { port, held, send } = await opened(t);
  const other = send(2, 500);
  await held(500);
  const socket = raw(port, '/waits', 'Transfer-Encoding: chunked', '');
  for (let sent = 0; sent < 600; sent++) socket.write('1\r\nx\r\n');
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1\r\n/);
  await held(500); // of the other one
  socket.destroy();
  void other.catch(() => {});
});

test('a client gets no 100 Continue for a body that does not fit', async (t) => {
  const { port, held, send } = await opened(t);
  void send(1, 500).catch(() => {});
  await held(500);
  const socket = raw(port, '/waits', 'Content-Length: 1\r\nExpect: 100-continue', '');
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 503 /);
});

test('the memory of a call is released however it ends', async (t) => {
  const takes = { method: 'POST', takesBody: true } as const;
  const { tested, port, send, held, figures } = await opened(t, [
    { ...takes, path: '/answers', call: () => done },
    {
      ...takes,
      path: '/refuses',
      call: () => {
        throw new Fault('conflict', 'no');
      },
    },
    {
      ...takes,
      path: '/breaks',
      call: () => {
        throw new Error('a bug');
      },
    },
    { ...takes, path: '/short', bodyLimit: 10, call: () => done },
    {
      ...takes,
      path: '/streams',
      call: () => ({ status: 200, stream: endless() }),
    },
  ]);
  // Of spaces, so that it is no JSON.
  assert.equal((await send(1, 300, '/answers')).status, 422);
  await held(0);
  const json = 'Content-Length: 4';
  for (const [path, headers, body, status] of [
    ['/answers', json, 'true', 200],
    ['/refuses', json, 'true', 409],
    ['/breaks', json, 'true', 500],
    ['/short', 'Transfer-Encoding: chunked', `9\r\n${'1'.repeat(9)}\r\n9\r\n${'1'.repeat(9)}\r\n`, 413],
  ] as const) {
    const socket = raw(port, path, headers, body);
    assert.match(String((await once(socket, 'data'))[0]), new RegExp(`^HTTP/1\\.1 ${status} `), path);
    await held(0);
    socket.destroy();
  }
  // Clients that leave: amid the body, while the call waits, amid the answer.
  const amid = raw(port, '/answers', 'Content-Length: 300', 'x');
  await held(300);
  amid.resetAndDestroy();
  await held(0);
  const stream = raw(port, '/streams', json, 'true');
  await once(stream, 'data');
  assert.equal(figures().heldBytes, 4, 'an answer that is sent still has its body');
  stream.resetAndDestroy();
  await held(0);
  assert.deepEqual(
    tested.errors.map(([what]) => what),
    ['bug'],
  );
});

async function* endless(): AsyncGenerator<string> {
  // not a wait: it sends
  for (;;) {
    yield 'x'.repeat(1000);
    await new Promise(setImmediate);
  }
}

test('a body that is read as a stream is not counted', async (t) => {
  const call = async (x: Exchange) => {
    let size = 0;
    for await (const piece of bodyStream(x)) size += piece.length;
    return { status: 200, body: String(size) };
  };
  const { send, figures } = await opened(t, [{ method: 'POST', path: '/streamed', takesStream: true, call }]);
  assert.equal((await send(1, 100 * limit, '/streamed')).body, String(100 * limit));
  assert.equal(figures().refused, 0);
});

test('the budget is an eighth of the memory of the machine or the container, from 64 MB to 1 GB', () => {
  const gb = 2 ** 30;
  assert.equal(bodyMemoryLimit(4 * gb, 0), gb / 2);
  assert.equal(bodyMemoryLimit(64 * gb, 2 ** 63), gb);
  assert.equal(bodyMemoryLimit(64 * gb, 2 * gb), gb / 4);
  assert.equal(bodyMemoryLimit(64 * gb, gb / 4), gb / 16);
});
