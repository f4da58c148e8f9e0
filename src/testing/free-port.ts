// A free port of loopback, for programs that have to be told theirs. It is none of those which the system hands out by
// itself, to connections and to whoever listens on port 0: else another could get it before it is used.
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

// Undefined: somebody has it.
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
