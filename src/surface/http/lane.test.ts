// Connections on the short way, and how they leave it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { Answer } from './exchange.ts';
import { dial, get, open, sayHow } from './testing-lane.ts';

test('one request after the other on one connection', async () => {
  const { port } = await open();
  const { socket, until } = dial(port);
  socket.write(get('/1'));
  assert.match(
    await until('lane GET /1'),
    /^HTTP\/1\.1 200 OK\r\nContent-Length: 12\r\nDate: .+ GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\nlane/,
  );
  socket.write('POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody');
  await until('lane POST /2 body');
  socket.write('HEAD /3 HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.write(get('/4'));
  assert.doesNotMatch(await until('lane GET /4'), /lane HEAD/);
});

test('what comes in pieces is handed over with every byte, and stays there', async () => {
  const { server, port } = await open();
  const accepted = once(server, 'connection');
  const { socket, until } = dial(port);
  const [there] = (await accepted) as [Socket];
  socket.setNoDelay();
  socket.write(get('/1'));
  await until('lane GET /1');
  for (const piece of ['PO', 'ST /2 HTTP/1.1\r\nHost: x\r\nContent-', 'Length: 4\r\n\r\nbo', 'dy']) {
    socket.write(piece);
    while (there.bytesRead < socket.bytesWritten) await new Promise(setImmediate); // or they come as one
  }
  await until('native POST /2 body');
  socket.write(get('/3'));
  await until('native GET /3');
});

test('requests that come together are answered in their order, the last piece by node:http', async () => {
  const pending: (() => void)[] = [];
  const { port } = await open((request, answer) => {
    if (request.url === '/slow') pending.push(() => sayHow(request, answer));
    else sayHow(request, answer);
  });
  const { socket, until, came } = dial(port);
  socket.write(`${get('/1')}${get('/slow')}${get('/2')}${get('/3')}GET /4 HTT`);
  await until('lane GET /1');
  assert.equal(came().includes('/2'), false);
  socket.write('P/1.1\r\nHost: x\r\n\r\n');
  pending[0]?.();
  const all = await until('native GET /4');
  assert.deepEqual(all.match(/(?:lane|native) GET \/\w+/g), [
    'lane GET /1',
    'lane GET /slow',
    'lane GET /2',
    'lane GET /3',
    'native GET /4',
  ]);
});

const posted = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test('what one connection has sent stays as it is, whatever others send before it is looked at', async () => {
  const pending: (() => void)[] = [];
  const { port } = await open((request, answer) => {
    if (request.url === '/slow') pending.push(() => sayHow(request, answer));
    else sayHow(request, answer);
  });
  const one = dial(port);
  one.socket.write(get('/1'));
  await one.until('lane GET /1');
  one.socket.write(posted('/slow', 'first') + posted('/2', 'second'));
  while (pending.length === 0) await new Promise(setImmediate);
  const other = dial(port);
  other.socket.write(posted('/3', 'x'.repeat(10_000)));
  await other.until('lane POST /3 xxx');
  pending[0]?.();
  assert.match(await one.until('second'), /lane POST \/slow firstHTTP.+lane POST \/2 second$/s);
});

test('where Node does not let connections share a buffer, each reads its own', async () => {
  const { port } = await open(sayHow, {
    mayOpen: (socket) => {
      Object.assign((socket as unknown as { _handle: object })._handle, { useUserBuffer: undefined });
      return true;
    },
  });
  const { socket, until } = dial(port);
  socket.write(posted('/1', 'body') + get('/2'));
  await until('lane POST /1 body');
  socket.write(`${get('/3')}GET /4 HTT`);
  await until('lane GET /3');
  socket.write('P/1.1\r\nHost: x\r\n\r\n');
  await until('native GET /4');
});

test('many that come together do not deepen the stack', async () => {
  const { port } = await open();
  const { socket, until } = dial(port);
  socket.write(get('/many').repeat(20_000) + get('/last'));
  await until('GET /last'); // by node:http, for a piece came somewhere
});

test('who says that nothing more comes gets the answer, and the end', async () => {
  const { port } = await open((request, answer) => {
    if (request.url === '/1') request.socket.once('end', () => sayHow(request, answer));
    else setImmediate(() => sayHow(request, answer));
  });
  const { socket, came } = dial(port);
  socket.end(get('/1') + get('/2'));
  await once(socket, 'end');
  const [first, second] = came().split('HTTP/1.1 ').slice(1);
  assert.match(first ?? '', /Connection: keep-alive[\s\S]+lane GET \/1 $/);
  assert.match(second ?? '', /Connection: close[\s\S]+lane GET \/2 $/);
});

test('who leaves is noticed while an answer is on its way, also who has sent more', async () => {
  const taken: Answer[] = [];
  const { server, port } = await open((_, answer) => taken.push(answer));
  const accepted = once(server, 'connection');
  const { socket } = dial(port);
  const [there] = (await accepted) as [Socket];
  socket.write(get('/1'));
  while (taken.length === 0) await new Promise(setImmediate);
  socket.write(get('/2'));
  while (there.bytesRead < socket.bytesWritten) await new Promise(setImmediate);
  const closed = new Promise((resolve) => there.once('close', resolve));
  socket.resetAndDestroy();
  await closed;
  assert.equal(taken[0]?.destroyed, true);
  assert.equal(taken.length, 1);
});

test('who takes no answers is not asked for more', async () => {
  let handled = 0;
  const text = 'x'.repeat(1_000_000);
  const { port } = await open((_, answer) => {
    handled++;
    answer.writeHead(200, ['Content-Length', String(text.length)]);
    answer.end(text, 'latin1');
  });
  const { socket } = dial(port);
  socket.pause();
  for (let n = 0; n < 100; n++) await new Promise((resolve) => socket.write(get(`/${n}`), resolve));
  assert.ok(handled < 30, `${handled} answered`);
  let size = 0;
  socket.removeAllListeners('data').on('data', (chunk) => {
    size += chunk.length;
    if (size > 100 * text.length) socket.emit('all');
  });
  socket.resume();
  await once(socket, 'all');
  assert.equal(handled, 100);
});

test('who takes no answers for a while gets every one of them, also when all leave', async () => {
  const text = 'x'.repeat(10_000_000);
  const { port, lane } = await open(({ url }, answer) => {
    answer.writeHead(200, ['Content-Length', String(text.length)]);
    answer.end(text, 'latin1');
    if (url === '/3') lane.closeIdle();
  });
  const { socket } = dial(port);
  socket.pause();
  socket.end(get('/1') + get('/2') + get('/3'));
  await once(socket, 'finish');
  let size = 0;
  socket.removeAllListeners('data').on('data', (chunk) => {
    size += chunk.length;
  });
  socket.resume();
  await once(socket, 'end');
  assert.ok(size > 3 * text.length, `${size} bytes`);
});

test('an answer without a length comes in chunks', async () => {
  const { port } = await open((request, answer) => {
    if (request.url === '/') return sayHow(request, answer);
    answer.writeHead(200, ['Content-Type', 'text/plain']);
    answer.write('grün');
    answer.write('');
    answer.write(Buffer.from('blau'));
    answer.end();
  });
  const { socket, until } = dial(port);
  socket.write(get('/chunks'));
  const all = Buffer.from(await until('\r\n0\r\n\r\n'), 'latin1').toString();
  assert.match(all, /Transfer-Encoding: chunked\r\n[\s\S]+\r\n\r\n5\r\ngrün\r\n4\r\nblau\r\n0\r\n\r\n$/);
  socket.write(get('/'));
  await until('lane GET /');
});

test('texts that are no ASCII, bytes, and answers without any', async () => {
  const { port } = await open(({ url }, answer) => {
    if (url === '/none') {
      answer.writeHead(204, []);
      answer.end();
      return;
    }
    const content = url === '/text' ? 'grün' : Buffer.from('grün');
    answer.writeHead(200, ['X-Latin', 'ü', 'Content-Length', '5']);
    answer.end(content);
  });
  const { socket, until, came } = dial(port);
  socket.write(get('/none') + get('/text') + get('/bytes') + get('/none'));
  await until('204 No Content\r\n');
  socket.end();
  await once(socket, 'end');
  const [, text, bytes] = came().split('HTTP/1.1 ').slice(1);
  for (const one of [text, bytes]) assert.match(one ?? '', /X-Latin: ü\r\n[\s\S]+\r\n\r\ngr\u00c3\u00bcn$/);
});

test('a value that would begin another header is never sent', async () => {
  const { port } = await open((_, answer) => {
    assert.throws(() => answer.writeHead(200, ['Location', 'a\r\nSet-Cookie: b']), /impossible/);
    answer.destroy();
  });
  const { socket, came } = dial(port);
  socket.write(get('/'));
  await once(socket, 'close');
  assert.equal(came(), '');
});
