// How connections on the short way end: idle ones, and all when the server leaves.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { closing, dial, get, open, sayHow } from './testing-lane.ts';

test('idle ones are closed, those that never asked are told why, and busy ones stay', async () => {
  const { port, refused } = await open((request, answer) => void (request.url === '/1' && sayHow(request, answer)), {
    silentMs: 10,
    idleMs: 20,
    lookMs: 5,
  });
  const silent = dial(port);
  const idle = dial(port);
  const busy = dial(port);
  busy.socket.write(get('/2'));
  idle.socket.write(get('/1'));
  await once(silent.socket, 'end');
  assert.equal(silent.came(), 'late');
  await idle.until('lane GET /1');
  await once(idle.socket, 'close');
  assert.equal(refused.length, 1);
  assert.equal(busy.socket.destroyed, false);
});

test('when all leave: idle ones are closed, and answers say that they are the last', async () => {
  let answerNow = (): void => {};
  const asked = Promise.withResolvers<void>();
  const { port, lane } = await open((request, answer) => {
    answerNow = () => sayHow(request, answer);
    asked.resolve();
  });
  const idle = dial(port);
  await once(idle.socket, 'connect');
  const busy = dial(port);
  busy.socket.write(get('/1'));
  await asked.promise;
  lane.leave();
  lane.closeIdle();
  await once(idle.socket, 'close');
  answerNow();
  await once(busy.socket, 'end');
  assert.match(busy.came(), /Connection: close\r\n\r\nlane GET \/1 $/);
});

test('what comes after the last answer is not done, for nobody would hear of it', async () => {
  const handled: (string | undefined)[] = [];
  const { port, lane } = await open((request, answer) => {
    handled.push(request.url);
    if (request.url === '/1') lane.leave();
    sayHow(request, answer);
  });
  const { socket, came } = dial(port);
  socket.write(get('/1') + get('/2'));
  await once(socket, 'end');
  assert.deepEqual(handled, ['/1']);
  assert.match(came(), /Connection: close\r\n\r\nlane GET \/1 $/);
});

test('a client that never closes its own side holds up nobody who leaves', async () => {
  const { server, port, lane } = await open((request, answer) => {
    lane.leave();
    sayHow(request, answer);
  });
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  closing.push(() => socket.destroy());
  socket.write(get('/1'));
  await once(socket.resume(), 'end');
  await once(server.close(), 'close');
});

test('nor what comes while the last one is on its way to somebody slow', async () => {
  const text = 'x'.repeat(10_000_000);
  const handled: (string | undefined)[] = [];
  const { server, port, lane } = await open((request, answer) => {
    handled.push(request.url);
    answer.writeHead(200, ['Content-Length', String(text.length)]);
    answer.end(text, 'latin1');
    setImmediate(() => lane.closeIdle());
  });
  const accepted = once(server, 'connection');
  const { socket } = dial(port);
  const [there] = (await accepted) as [Socket];
  socket.pause();
  socket.write(get('/1'));
  while (!there.writableEnded) await new Promise(setImmediate);
  socket.write(get('/2'));
  while (there.bytesRead < socket.bytesWritten) await new Promise(setImmediate);
  let size = 0;
  socket.removeAllListeners('data').on('data', (chunk) => {
    size += chunk.length;
  });
  socket.resume();
  await once(socket, 'close');
  assert.deepEqual(handled, ['/1']);
  assert.ok(size > text.length, `${size} bytes`);
});

test('an answer that is on its way is not cut off, however slowly it is taken', async () => {
  const text = 'x'.repeat(10_000_000);
  const { port } = await open(
    (_, answer) => {
      answer.writeHead(200, ['Content-Length', String(text.length)]);
      answer.end(text, 'latin1');
    },
    { silentMs: 20, idleMs: 20, lookMs: 5 },
  );
  const { socket } = dial(port);
  let size = 0;
  socket.removeAllListeners('data').on('data', (chunk) => {
    size += chunk.length;
  });
  socket.write(get('/1'));
  socket.pause();
  for (const one of [dial(port), dial(port)]) await once(one.socket, 'end'); // which are silent: so long it has passed
  await once(dial(port).socket, 'end');
  socket.resume();
  await once(socket, 'close');
  assert.ok(size > text.length, `${size} bytes`);
});

test('a connection too many is not listened to', async () => {
  const { port } = await open(sayHow, {
    mayOpen: (socket) => {
      socket.end('no');
      return false;
    },
  });
  const { socket, came } = dial(port);
  socket.write(get('/1'));
  await once(socket, 'end');
  assert.equal(came(), 'no');
});
