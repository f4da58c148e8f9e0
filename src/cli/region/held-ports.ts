// Keeps the ports of a region that is offline for work on its state. Otherwise another program could get one, and the
// region could not start again. HTTP clients get 503 in the meantime, other clients are disconnected.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';

export interface HeldPorts {
  release(): Promise<void>;
}

// A port that can't be held is skipped: the start of the region reports a port that is in use.
export async function holdPorts(host: string, ports: readonly number[]): Promise<HeldPorts> {
  const held = await Promise.all(ports.flatMap((port) => [holdTcp(host, port), holdUdp(host, port)]));
  return {
    async release() {
      await Promise.all(held.map((release) => release()));
    },
  };
}

type Release = () => Promise<unknown>;

const nothingHeld: Release = async () => {};

async function holdTcp(host: string, port: number): Promise<Release> {
  const server = createServer((_request, response) => {
    response.writeHead(503, { 'Retry-After': '1', Connection: 'close' });
    response.end('The region is offline for work on its state. Try again later.\n');
  });
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch {
    return nothingHeld;
  }
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

async function holdUdp(host: string, port: number): Promise<Release> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    await once(socket.bind({ address: host, port }), 'listening');
  } catch {
    socket.close();
    return nothingHeld;
  }
  return async () => {
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  };
}
