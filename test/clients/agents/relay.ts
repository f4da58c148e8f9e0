// A proxy in front of a region, like a load balancer: its address stays while the region restarts on other ports.
// Without a region, connections are closed.
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
    // A connection that breaks is passed on as broken, not as closed.
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
