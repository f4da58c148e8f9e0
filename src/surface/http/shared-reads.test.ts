// That connections of a server do share a buffer with the Node that is pinned: a newer one may have changed inside.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { readShared } from './shared-reads.ts';

test('two connections read into one buffer, and a socket without a system behind it says no', async () => {
  const buffers = new Set<ArrayBufferLike>();
  const texts: string[] = [];
  const server = createServer((socket) => {
    const isShared = readShared(socket, (bytes) => {
      buffers.add(bytes.buffer);
      texts.push(bytes.toString('latin1'));
      socket.end();
      return true;
    });
    assert.equal(isShared, true);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const text of ['one', 'two']) {
    const client = connect(port, '127.0.0.1').resume();
    client.write(text);
    await once(client, 'close');
  }
  server.close();
  assert.deepEqual(texts, ['one', 'two']);
  assert.equal(buffers.size, 1);
  assert.equal(
    readShared({} as Socket, () => true),
    false,
  );
});

test('who wants nothing more for now is not given more', async () => {
  let count = 0;
  const server = createServer((socket) => {
    readShared(socket, (bytes) => {
      count += bytes.length;
      return false;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [there] = (await accepted) as [Socket];
  client.write('x'.repeat(1000));
  while (count === 0) await new Promise(setImmediate);
  const first = count;
  client.write('y'.repeat(1000));
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  assert.equal(count, first);
  there.resume();
  while (count === first) await new Promise(setImmediate);
  client.destroy();
  there.destroy();
  server.close();
});
