// The listener of the forward protocol, over TLS with the region's certificates for the names of pipelines.
import { createServer, type TLSSocket } from 'node:tls';
import type { Log } from '../../base/log.ts';
import type { Listener, Listening } from '../../surface/http/listener.ts';
import { type ConnectionOptions, ForwardConnection } from './connection.ts';

export interface ForwardListenerOptions extends Pick<ConnectionOptions, 'keys' | 'keep' | 'current' | 'bodyMemory'> {
  port: number | undefined;
  log: Log;
  real: () => number;
  listening(place: Listening): void;
}

export const usualPort = 9000;
const serverName = 'cumulet';
const repeatMs = 3_600_000;
const mostLogged = 1000;
const mostOfContract = 2000; // connections

export function forwardListener({ port, log, real, listening, ...rest }: ForwardListenerOptions): Listener {
  const loggedAt = new Map<string, number>(); // when
  // Once in a while per address and reason, because refused clients usually try again.
  const refused = (address: string, why: string): void => {
    const key = `${address} ${why}`;
    if (real() - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    if (loggedAt.size >= mostLogged) loggedAt.clear();
    loggedAt.set(key, real());
    log.warn('log forwarding was refused', { address, why });
  };
  return {
    name: 'forward',
    scheme: 'tls',
    defaultPort: usualPort,
    option: '--logs-port',
    port,
    open(contexts) {
      const connections = new Set<ForwardConnection>();
      const counts = new Map<number, number>(); // by contract
      const { ALPNProtocols: _, ...options } = contexts.options;
      const server = createServer(options, (socket: TLSSocket) => {
        const claim = (contract: number): boolean => {
          const add = (more: number): number => (counts.get(contract) ?? 0) + more;
          socket.once('close', () => counts.set(contract, add(-1)));
          counts.set(contract, add(1));
          return add(0) <= mostOfContract;
        };
        const connection = new ForwardConnection(socket, { ...rest, serverName, refused, claim });
        connections.add(connection);
        socket.once('close', () => connections.delete(connection));
      });
      server.on('tlsClientError', (error, socket) => {
        if (error.message !== 'read ECONNRESET') refused(socket.remoteAddress ?? '', 'no TLS');
        socket.destroy(); // a silent connection would stay open
      });
      return { servers: [server], stop: () => connections.forEach((connection) => void connection.end()) };
    },
    listening,
  };
}
