// What stands in front of a region as a load balancer would: an address that stays while the region behind it comes and
// goes on other ports. While there is none, connections are closed.
import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay extends AsyncDisposable {
  url: string;
  to(port: number | undefined): void;
}

export async function openRelay(): Promise<Relay> {
  let target: number | undefined;
  const open = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on('error', () => {}).once('close', () => open.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    if (target === undefined) {
      socket.destroy();
      return;
    }
    const behind = keep(connect({ host: '127.0.0.1', port: target, noDelay: true }));
    socket.setNoDelay(true).pipe(behind);
    behind.pipe(socket);
    // An end in the middle of something is passed on as such, and not as an orderly one.
    socket.once('close', () => behind.destroy());
    behind.once('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return {
    url: `http://localhost:${address.port}`,
    to(port) {
      target = port;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
