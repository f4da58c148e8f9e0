// WebSockets into a running server, for callers who may change it: a login shell, its SSH server, or one of its ports.
// They enter through the machine engine, not through the network, so they need no NIC and pass no firewall. Binary
// messages are bytes; a text message `{"columns":…,"rows":…}` resizes the terminal.
import type { WebSocket } from 'ws';
import { Fault } from '../../base/fault.ts';
import { parseJson } from '../../base/json.ts';
import type { CallHome } from '../../core/nodes/engine-home.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { pathParameter } from '../../surface/docs/openapi.ts';
import type { Exchange, Parameter, Route } from '../../surface/http/exchange.ts';
import { datacenter } from '../datacenter.ts';
import type { MachineEngine, MachineHandle, MachineStream, OpenOptions, TerminalSize } from '../machine/engine.ts';
import { server } from './server.ts';
import { machineIn } from './server-machine.ts';

const path = '/datacenters/{datacenterId}/servers/{serverId}';
const maxPort = 65_535;
const usualSize: TerminalSize = { columns: 80, rows: 24 };
const largestSide = 1000; // columns or rows
const normalClosure = 1000;
const tryAgain = 1013;
const longestReason = 120; // bytes: the WebSocket protocol allows 123

export function connectionRoutes(store: Store, machines: MachineEngine, home: CallHome): Route[] {
  const route = (
    name: string,
    more: Pick<Route, 'summary' | 'parameters'> & { at: string },
    optionsOf: (x: Exchange) => OpenOptions,
  ): Route => {
    const { at, ...described } = more;
    return {
      method: 'GET',
      path: `${path}/${at}`,
      operation: `server_${name}`,
      ...described,
      mayRefuse: true,
      keptBy: home,
      resolve: async (x) => {
        await resolve(store, x, [datacenter, server], 'change');
        demandRunning(machines, x.rows.at(-1) as Row);
        optionsOf(x);
      },
      call: () => {
        throw new Fault('refused', 'This address accepts only WebSockets.', { code: '100' });
      },
      upgrade: async (x, socket) => {
        socket.pause(); // a client may send before its process has started
        try {
          const handle = machineIn(x.rows.at(-1) as Row) as MachineHandle;
          join(socket, await machines.open(handle, optionsOf(x)));
          socket.resume();
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          socket.close(tryAgain, reasonOf(error.message));
        }
      },
    };
  };
  return [
    route(
      'terminal',
      {
        at: 'terminal',
        summary: 'Open a root shell of a running server in a terminal, on a WebSocket',
        parameters: [side('columns', 'Columns of the terminal'), side('rows', 'Rows of the terminal')],
      },
      (x) => ({ size: { columns: sideOf(x, 'columns'), rows: sideOf(x, 'rows') } }),
    ),
    route('ssh', { at: 'ssh', summary: 'Connect to the SSH server of a running server, on a WebSocket' }, () => ({
      command: ['/usr/sbin/sshd', '-i'],
    })),
    route(
      'port',
      {
        at: 'ports/{port}',
        summary: 'Connect to a TCP port of a running server, at its address 127.0.0.1, on a WebSocket',
        parameters: [pathParameter('port', 'The number of the port', '80')],
      },
      (x) => ({ command: machines.connectCommand(portOf(x)) }),
    ),
  ];
}

function demandRunning(machines: MachineEngine, row: Row): void {
  const { name, vmState } = JSON.parse(row.body) as { name: string; vmState: string };
  const refuse = (why: string): never => {
    throw new Fault('refused', `Server '${name}' (id ${row.id}) ${why}`, { code: '200' });
  };
  if (!machines.abilities.terminal)
    refuse(`is ${machines.name}, so nothing runs in it. Start the region with --machines docker.`);
  if (vmState !== 'RUNNING' || !machineIn(row)) refuse(`is ${vmState}. Start it first.`);
}

const side = (name: 'columns' | 'rows', description: string): Parameter => ({
  name,
  in: 'query',
  description: `${description}; ${usualSize[name]} if absent`,
  schema: { type: 'integer', minimum: 1, maximum: largestSide },
});

function sideOf(x: Exchange, name: 'columns' | 'rows'): number {
  const text = x.search.get(name);
  const value = text === null ? usualSize[name] : Number(text);
  if (isSide(value)) return value;
  throw new Fault('refused', `[(query).${name}] Expected a whole number from 1 to ${largestSide}`, { code: '100' });
}

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= largestSide;

function portOf(x: Exchange): number {
  const port = Number(x.params[2]);
  if (Number.isInteger(port) && port >= 1 && port <= maxPort) return port;
  throw new Fault('refused', `[(path).port] Expected a whole number from 1 to ${maxPort}`, { code: '100' });
}

function join(socket: WebSocket, { duplex, errors, resize, exitCode }: MachineStream): void {
  let complaint = '';
  errors.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-longestReason);
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      if (duplex.write(data)) return;
      socket.pause();
      duplex.once('drain', () => socket.resume());
    } else {
      const size = sizeFrom(String(data));
      if (size) resize(size).catch(() => undefined);
    }
  });
  socket.once('close', () => duplex.destroy());
  duplex.on('data', (chunk: Buffer) => {
    duplex.pause();
    socket.send(chunk, () => duplex.resume());
  });
  duplex.on('error', () => socket.terminate());
  duplex.once('end', async () => {
    const code = await exitCode.catch(() => -1);
    if (code === 0) socket.close(normalClosure);
    else socket.close(tryAgain, reasonOf(complaint.trim() || `The process ended with code ${code}.`));
  });
}

function sizeFrom(text: string): TerminalSize | undefined {
  try {
    const { columns, rows } = Object(parseJson(text)) as Partial<TerminalSize>;
    return isSide(columns) && isSide(rows) ? { columns, rows } : undefined;
  } catch {
    return undefined;
  }
}

const reasonOf = (text: string): string => Buffer.from(text).subarray(0, longestReason).toString().replace(/�$/, '');
