// `forward`: a port of this machine that leads to a port of a server.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../../base/fault.ts';
import { type Command, dataOption } from '../../../command/command.ts';
import { print } from '../../../command/terminal.ts';
import { self } from '../../../config/command-line.ts';
import { RegionServers } from './region-servers.ts';

const maxPort = 65_535;

export const forward: Command = {
  name: 'forward',
  operands: 'SERVER [LOCAL:]PORT',
  mostOperands: 2,
  about:
    'Listens on a port of this machine and connects each client with a TCP port of a running server, until Ctrl-C. The ' +
    'connections go through the machine engine, so the server needs no NIC, and no firewall applies to them. The server ' +
    'sees them come from 127.0.0.1.',
  options: [{ name: 'host', takes: 'ADDRESS', help: 'the address to listen on (127.0.0.1)' }, dataOption],
  examples: [['cumulet forward web-1 8080:80', 'http://localhost:8080 is port 80 of web-1']],
  async run(input, host) {
    const [wanted, ports = ''] = input.operands;
    const [local, port] = portsOf(ports);
    if (wanted === undefined || port === undefined || local === undefined)
      throw new Fault('refused', `forward needs a server and ports, such as 8080:80. See: ${self()} forward --help`);
    const servers = await RegionServers.of(host, input.data);
    const server = await servers.find(wanted);
    await servers.demandReachable(server, `ports/${port}`);
    const listener = createServer({ allowHalfOpen: true }, (client) => void serve(client));
    async function serve(client: Socket): Promise<void> {
      try {
        const connection = await servers.connect(server, `ports/${port}`);
        await Promise.all([pipeline(client, connection), pipeline(connection, client)]);
      } catch (error) {
        client.destroy();
        if (error instanceof Fault) process.stderr.write(`${error.message}\n`);
      }
    }
    const address = input.get('host') ?? '127.0.0.1';
    listener.listen(local, address);
    await Promise.race([once(listener, 'listening'), failing(once(listener, 'error'), address, local)]);
    const listening = listener.address() as { port: number };
    print(`Forwarding ${address}:${listening.port} to port ${port} of '${server.name}'. Press Ctrl-C to stop.`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    process.exit(0); // open connections end with it
  },
};

async function failing(failed: Promise<unknown[]>, address: string, port: number): Promise<never> {
  const [error] = (await failed) as [Error];
  throw new Fault('refused', `Cannot listen on ${address}:${port} (${error.message}). Choose another local port.`);
}

// 8080:80, or 80 for the same port on both sides. A local port of 0 is a free one.
function portsOf(text: string): [local: number | undefined, port: number | undefined] {
  const [first = '', second = first] = text.split(':');
  const numberOf = (part: string, least: number): number | undefined =>
    /^\d{1,5}$/.test(part) && Number(part) >= least && Number(part) <= maxPort ? Number(part) : undefined;
  return text.split(':').length > 2 ? [undefined, undefined] : [numberOf(first, 0), numberOf(second, 1)];
}
