// For tests: a server whose connections go the short way first, and a client that writes what it likes.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from 'node:test';
import type { Answer } from './exchange.ts';
import { type LaneOptions, openLane } from './lane.ts';
import type { WholeRequest } from './whole-request.ts';

export const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

export type Handle = (request: WholeRequest, answer: Answer) => void;

export const sayHow: Handle = ({ method, url, content }, answer) => {
  const text = `lane ${method} ${url} ${content}`;
  answer.writeHead(200, ['Content-Length', String(text.length)]);
  answer.end(method === 'HEAD' ? '' : text, 'latin1');
};

export async function open(handle: Handle = sayHow, options: Partial<LaneOptions> = {}) {
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (piece) => {
      body += piece;
    });
    req.on('end', () => res.end(`native ${req.method} ${req.url} ${body}`));
  });
  const refused: Socket[] = [];
  const lane = openLane(server, {
    handle,
    mayOpen: () => true,
    refuse: (socket) => {
      refused.push(socket);
      socket.end('late');
    },
    silentMs: 60_000,
    idleMs: 65_000,
    lookMs: 5000,
    ...options,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close().closeAllConnections());
  return { server, lane, refused, port: (server.address() as AddressInfo).port };
}

// `until` gives all that has come as soon as that is in it.
export function dial(port: number) {
  const socket = connect({ host: '127.0.0.1', port });
  closing.push(() => socket.destroy());
  let came = '';
  socket.on('data', (chunk) => {
    came += chunk.toString('latin1');
    socket.emit('more');
  });
  socket.on('error', () => {});
  socket.on('end', () => socket.emit('more'));
  const until = async (text: string): Promise<string> => {
    while (!came.includes(text)) {
      if (socket.readableEnded) throw new Error(`the end came before ${text}: ${came.slice(-500)}`);
      await once(socket, 'more');
    }
    return came;
  };
  return { socket, until, came: () => came };
}

export const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
