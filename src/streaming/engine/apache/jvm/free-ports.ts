// Finds unused ports on loopback.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Fault } from '../../../../base/fault.ts';

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

export async function mustBeFree(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Fault('refused', `${host}:${port} can't be listened on: ${(cause as Error).message}`, { cause });
  }
  await new Promise((done) => server.close(done));
}
