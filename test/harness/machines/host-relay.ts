// Connects the network of the engine's host with the test's machine, where the region is: clients that run on that host
// reach a port at the same address as clients outside. The socket that listens there is handed to this process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import type { DockerEngine } from './docker-engine.ts';

const listen = `
const server = require('node:net').createServer();
server.listen(Number(process.argv[1]), '127.0.0.1', () => process.send('listening', server, () => process.exit()));
`;

export async function relayToHost({ onHost: [program = '', ...args] }: DockerEngine, port: number): Promise<Server> {
  const child = spawn(program, [...args, process.execPath, '-e', listen, String(port)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`no relay of port ${port}: ${code}`)));
  const [, server] = (await Promise.race([once(child, 'message'), ended])) as [string, Server];
  ended.catch(() => undefined); // after its message
  return server.on('connection', (client: Socket) => {
    const region = connect(port, '127.0.0.1').on('error', () => client.destroy());
    client.on('error', () => region.destroy()).pipe(region);
    region.pipe(client);
  });
}
