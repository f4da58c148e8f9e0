// Bodies and answers that are streams: back pressure, clients that leave, what fails before and after the first piece.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import { serve, testSurface } from '../../testing/surface.ts';
import { until } from '../../testing/waiting.ts';
import { bodyStream } from './body.ts';
import type { Exchange } from './exchange.ts';
import { eventStream, piecesOf, type ServerSentEvent } from './streams.ts';

const mb = 1024 * 1024;
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};
const open = (port: number, path: string, method = 'GET', headers = {}) =>
  request({ port, host: '127.0.0.1', path: `/test${path}`, method, headers, agent: false });
const answerOf = async (sent: ReturnType<typeof open>): Promise<IncomingMessage> =>
  (await once(sent, 'response'))[0] as IncomingMessage;
const textOf = async (answer: IncomingMessage): Promise<string> =>
  (await answer.setEncoding('utf8').toArray()).join('');

test('a client that disconnects during an answer stops its rendering, and causes no error', async (t) => {
  const stream = () =>
    piecesOf(async (send) => {
      for (;;) await send('x'.repeat(100_000));
    });
  const tested = testSurface([{ method: 'GET', path: '/', call: () => ({ status: 200, stream: stream() }) }]);
  const socket = connect(await serve(t, tested), '127.0.0.1');
  socket.write('GET /test/ HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.resetAndDestroy();
  await until('the answer is counted', () => tested.answered.length > 0);
  assert.deepEqual([tested.answered, tested.errors], [[200], []]);
});

test('a body of 50 MB goes through a slow consumer in bounded memory', async (t) => {
  let consumed = 0;
  let client: ReturnType<typeof open> | undefined;
  let mostAhead = 0;
  const call = async (x: Exchange) => {
    for await (const chunk of bodyStream(x)) {
      consumed += chunk.length;
      mostAhead = Math.max(mostAhead, (client?.socket?.bytesWritten ?? 0) - consumed);
      await turns(20);
    }
    return { status: 201, body: String(consumed) };
  };
  const port = await serve(t, testSurface([{ method: 'PUT', path: '/', takesStream: true, call }]));
  client = open(port, '/', 'PUT', { 'content-length': 50 * mb });
  const answer = answerOf(client);
  Readable.from(Array.from({ length: 50 }, () => Buffer.alloc(mb))).pipe(client);
  assert.equal((await answer).statusCode, 201);
  assert.equal(consumed, 50 * mb);
  assert.ok(mostAhead < 20 * mb, `${mostAhead} bytes were sent ahead of the consumer`); // most of it in the system
});

test('a stream that is too long, or stalls, is refused', async (t) => {
  const call = async (x: Exchange) => {
    for await (const _ of bodyStream(x, 50));
    return { status: 200 };
  };
  const port = await serve(t, testSurface([{ method: 'PUT', path: '/', takesStream: true, bodyLimit: 10, call }]));
  const announced = open(port, '/', 'PUT', { 'content-length': 11 });
  announced.flushHeaders();
  assert.equal((await answerOf(announced)).statusCode, 413);
  announced.destroy();
  const chunked = open(port, '/', 'PUT');
  chunked.end('x'.repeat(11));
  assert.equal((await answerOf(chunked)).statusCode, 413);
  const stalled = open(port, '/', 'PUT', { 'content-length': 5 });
  stalled.write('x');
  assert.equal((await answerOf(stalled)).statusCode, 408);
  stalled.destroy();
});

test('a client that waits for 100-continue gets it when its body is read, or is refused without it', async (t) => {
  const call = async (x: Exchange) => ({ status: 200, body: String((await bodyStream(x).next()).value) });
  const port = await serve(
    t,
    testSurface([
      { method: 'PUT', path: '/read', takesStream: true, call },
      { method: 'PUT', path: '/whole', takesBody: true, call: (x) => ({ status: 200, body: x.text }) },
      {
        method: 'PUT',
        path: '/refuse',
        takesStream: true,
        call() {
          throw new Fault('forbidden', 'no');
        },
      },
    ]),
  );
  for (const path of ['/read', '/whole']) {
    const invited = open(port, path, 'PUT', { expect: '100-continue', 'content-length': 4 });
    invited.flushHeaders();
    await once(invited, 'continue');
    invited.end('1234');
    assert.equal(await textOf(await answerOf(invited)), '1234');
  }
  const refused = open(port, '/refuse', 'PUT', { expect: '100-continue', 'content-length': 4 });
  refused.on('continue', () => assert.fail('it got a 100 Continue'));
  refused.flushHeaders();
  assert.equal((await answerOf(refused)).statusCode, 403);
  refused.destroy();
});

test('a source may reuse the memory of a piece when the next one is requested', async (t) => {
  const [pieces, size] = [30, 300_000];
  const stream = async function* () {
    const buffer = Buffer.alloc(size);
    for (let at = 0; at < pieces; at++) yield buffer.fill(at).subarray(0, at % 2 === 0 ? size : 10);
  };
  const port = await serve(
    t,
    testSurface([{ method: 'GET', path: '/', call: () => ({ status: 200, stream: stream() }) }]),
  );
  const answer = await answerOf(open(port, '/').end());
  const expected = Array.from({ length: pieces }, (_, at) => Buffer.alloc(at % 2 === 0 ? size : 10, at));
  const received: Buffer[] = [];
  for await (const chunk of answer) {
    received.push(chunk as Buffer);
    await turns(2); // the system's buffers are full
  }
  assert.ok(Buffer.concat(received).equals(Buffer.concat(expected)));
});

test('an answer is rendered no faster than its client reads it, with any status and headers', async (t) => {
  let made = 0;
  const stream = async function* () {
    for (; made < 50; made++) yield Buffer.alloc(mb, 0x61);
  };
  const reply = () => ({ status: 206, type: 'x/y', headers: ['ETag', '"1"'], size: 50 * mb, stream: stream() });
  const port = await serve(t, testSurface([{ method: 'GET', path: '/', call: reply }]));
  const sent = open(port, '/').end();
  const answer = await answerOf(sent);
  assert.deepEqual(
    [answer.statusCode, answer.headers['content-type'], answer.headers.etag, answer.headers['content-length']],
    [206, 'x/y', '"1"', String(50 * mb)],
  );
  for (let before = -1; before < made; await turns(2000)) before = made; // until no more is made
  assert.ok(made < 25, `${made} MB were made for a client that takes nothing`);
  let size = 0;
  for await (const chunk of answer) size += chunk.length;
  assert.equal(size, 50 * mb);
  const head = await answerOf(open(port, '/', 'HEAD').end());
  assert.equal(head.headers['content-length'], String(50 * mb));
  assert.equal(await textOf(head), '');
});

test('a stream that fails before its first piece is a fault, and after it ends the connection', async (t) => {
  const failing = (pieces: number, error: Error) =>
    async function* () {
      for (let at = 0; at < pieces; at++) yield 'piece';
      throw error;
    };
  const route = (path: string, pieces: number, error: Error) => ({
    method: 'GET',
    path,
    call: () => ({ status: 200, stream: failing(pieces, error)() }),
  });
  const tested = testSurface([
    route('/fault', 0, new Fault('missing', 'it is not there')),
    route('/bug', 0, new Error('broken')),
    route('/later', 1, new Error('broken later')),
    { method: 'GET', path: '/short', call: () => ({ status: 200, size: 9, stream: Readable.from(['12345']) }) },
  ]);
  const port = await serve(t, tested);
  const fault = await answerOf(open(port, '/fault').end());
  assert.equal(fault.statusCode, 404);
  assert.match(await textOf(fault), /it is not there/);
  const bug = await answerOf(open(port, '/bug').end());
  assert.equal(bug.statusCode, 500);
  assert.match(await textOf(bug), /An internal error happened. Its id is/);
  for (const path of ['/later', '/short'])
    await assert.rejects(async () => textOf(await answerOf(open(port, path).end())), /aborted|hang up/, path);
  const messages = tested.errors.map(([, fields]) => (fields as { error: Error }).error.message);
  assert.deepEqual(messages, ['broken', 'broken later', 'a stream of 9 bytes has 5']);
});

test('a client that disconnects during a download of bytes is not reported as an error', async (t) => {
  let isOver = false;
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(1024 * 1024);
    } finally {
      isOver = true;
    }
  };
  const tested = testSurface([{ method: 'GET', path: '/', call: () => ({ status: 200, stream: endless() }) }]);
  const port = await serve(t, tested);
  for (const leave of ['destroy', 'resetAndDestroy'] as const) {
    isOver = false;
    const sent = open(port, '/')
      .on('error', () => undefined)
      .end();
    const answer = await answerOf(sent);
    answer.on('error', () => undefined);
    await once(answer, 'readable');
    sent.socket?.[leave]();
    await until('the source ends', () => isOver);
  }
  await until('both calls end', () => tested.answered.length === 2);
  assert.deepEqual([tested.answered, tested.errors], [[200, 200], []]);
});

test('a call whose source ends with its client is not reported as an error', async (t) => {
  let isCalled = false;
  const call = async ({ signal }: Exchange): Promise<never> => {
    isCalled = true;
    await once(signal, 'abort');
    throw signal.reason;
  };
  const tested = testSurface([{ method: 'GET', path: '/', call }]);
  const sent = open(await serve(t, tested), '/')
    .on('error', () => undefined)
    .end();
  await until('the call begins', () => isCalled);
  sent.destroy();
  await until('the call ends', () => tested.answered.length === 1);
  assert.deepEqual([tested.answered, tested.errors], [[499], []]);
});

test('server-sent events come as they happen, with comments between them, until the client leaves', async (t) => {
  let isOver = false;
  const call = (x: Exchange) => {
    const events = async function* (): AsyncGenerator<ServerSentEvent> {
      try {
        yield { event: 'first', id: '1', data: 'one\ntwo' };
        await once(x.signal, 'abort');
      } finally {
        isOver = true;
      }
    };
    return eventStream(x, events(), 10);
  };
  const tested = testSurface([{ method: 'GET', path: '/', call }]);
  const sent = open(await serve(t, tested), '/').end();
  const answer = await answerOf(sent);
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  answer.on('error', () => undefined);
  await until('comments come', () => text.includes(':\n\n:\n\n'));
  assert.ok(text.startsWith('event: first\nid: 1\ndata: one\ndata: two\n\n'), text);
  sent.destroy();
  await until('the events end', () => isOver && tested.answered.length > 0);
  assert.deepEqual([tested.answered, tested.errors], [[200], []]);
});
