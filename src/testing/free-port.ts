// Finds a free port of loopback for a program that needs one as an argument. It is outside the range that the system
// assigns to connections and to port 0, because another process could get such a port before it is used.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';

const lowest = 10_000;
const fewest = 1000;

export async function freePort(): Promise<number> {
  const end = firstOfSystem();
  for (;;) {
    const free = await listened(end - lowest < fewest ? 0 : randomInt(lowest, end));
    if (free !== undefined) return free;
  }
}

function firstOfSystem(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'latin1'), 10);
  } catch {
    return 0;
  }
}

// Undefined: the port is in use.
async function listened(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const address = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return address.port;
}
