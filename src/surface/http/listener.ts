// The one home of all listeners: ports, messages about ports that can't be opened, TLS with the region's own
// certificates, the connection limit that all listeners share, and a graceful end. A listener may be HTTP, raw TCP or
// TLS, UDP, or several of them on one port.
import type { Socket as DatagramSocket } from 'node:dgram';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, isIPv6, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import { Fault } from '../../base/fault.ts';
import { counter, type Figures, gauge } from '../../core/figures.ts';
import type { TlsContexts } from './tls.ts';

export interface Listener {
  name: string; // `objects`: what `up --json`, `status` and `env` call it
  scheme: string; // of its url: http, https, tls, dns
  defaultPort: number;
  option: string; // of the command line: --objects-port
  port?: number | undefined; // that was chosen
  open(contexts: TlsContexts, http: ServeHttp): Opened; // a TLS server is made with contexts.options
  listening?(place: Listening): void; // called when it listens
}

// A separate HTTP server for one service, with the same request pipeline as the gateway.
export type ServeHttp = (service: string) => Opened;

// Servers that do not listen yet; all of them get the same port.
export interface Opened {
  servers: readonly (Server | DatagramSocket)[];
  refuse?(socket: Socket): void; // a connection too many; absent: it is closed without a word
  leave?(): void; // asks clients to reconnect elsewhere
  stop?(): void; // ends connections that would last
}

export interface Place {
  host: string;
  port: number; // 0: a free one
  contexts: TlsContexts;
  connections: Connections;
  http?: ServeHttp; // absent: only listeners that serve no HTTP
}

export interface Listening {
  name: string;
  host: string; // by which this machine reaches it
  port: number;
  url: string;
  close(leaving: Leaving): Promise<void>;
}

export interface Leaving {
  politeMs: number; // so long answers say that their connection ends with them, and clients go elsewhere
  graceMs: number; // then so long for calls that are not answered yet
}

// Regions side by side: where another main port than the usual one was chosen, all other listeners take free ports
// unless theirs was given.
export const portFor = ({ port, defaultPort }: Pick<Listener, 'port' | 'defaultPort'>, isUsual: boolean): number =>
  port ?? (isUsual ? defaultPort : 0);

export const connectionFigures = {
  open: gauge('Connections that are open, plain and by TLS.'),
  refused: counter('Connections that were refused because too many were open.'),
  webSockets: gauge('WebSockets among those that are open.'),
};
export type ConnectionFigures = Required<Figures<typeof connectionFigures>>;

const leastShare = 100;

// Of all listeners together. One address and one contract have half of them at most, so that others get in.
export class Connections {
  readonly #most: number;
  readonly #share: number;
  readonly #open = new Set<Socket>();
  readonly #owners = new WeakMap<Socket, Set<string>>();
  readonly #counts = new Map<string, number>(); // by owner
  #refused = 0;

  constructor(most: number) {
    this.#most = most;
    this.#share = Math.max(leastShare, Math.ceil(most / 2));
  }

  // False: it is one too many. The proxy hands a connection on to the TLS server, which adds it again.
  add(socket: Socket): boolean {
    if (this.#open.has(socket)) return true;
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    const hasShare = this.#count(socket, socket.remoteAddress ?? '');
    return this.#judge(hasShare && this.#open.size <= this.#most);
  }

  // It is used by this contract. False: it is one too many of it.
  claim(socket: Socket, contract: number): boolean {
    const owner = String(contract);
    if (this.#owners.get(socket)?.has(owner)) return true;
    return this.#judge(this.#count(socket, owner));
  }

  #judge(isGood: boolean): boolean {
    if (!isGood) this.#refused += 1;
    return isGood;
  }

  // False: the owner has more than its share.
  #count(socket: Socket, owner: string): boolean {
    const owners = this.#owners.get(socket) ?? this.#track(socket);
    owners.add(owner);
    const count = (this.#counts.get(owner) ?? 0) + 1;
    this.#counts.set(owner, count);
    return count <= this.#share;
  }

  #track(socket: Socket): Set<string> {
    const owners = new Set<string>();
    this.#owners.set(socket, owners);
    socket.once('close', () => {
      for (const owner of owners) {
        const left = (this.#counts.get(owner) ?? 1) - 1;
        if (left > 0) this.#counts.set(owner, left);
        else this.#counts.delete(owner);
      }
    });
    return owners;
  }

  figures(): Omit<ConnectionFigures, 'webSockets'> {
    return { open: this.#open.size, refused: this.#refused };
  }
}

export async function openListener(listener: Listener, place: Place): Promise<Listening> {
  const opened = listener.open(place.contexts, place.http ?? withoutHttp);
  const sockets = new Set<Socket>();
  const bound: Opened['servers'][number][] = [];
  let { port } = place;
  for (const server of opened.servers) {
    if (server instanceof TlsServer) place.contexts.attach(server);
    if (isServer(server)) server.on('connection', admit(sockets, place.connections, opened));
    try {
      port = await bind(server, place.host, port, listener.option);
    } catch (error) {
      for (const one of bound) one.close();
      throw error;
    }
    bound.push(server);
  }
  const host = reachable(place.host);
  const listening: Listening = {
    name: listener.name,
    host,
    port,
    url: `${listener.scheme}://${host}:${port}`,
    async close({ politeMs, graceMs }) {
      opened.leave?.();
      if (politeMs > 0) await pause(politeMs);
      await closeAll(opened, sockets, graceMs);
    },
  };
  listener.listening?.(listening);
  return listening;
}

const withoutHttp: ServeHttp = (service) => {
  throw new Error(`there is no HTTP for ${service} here`);
};

// The addresses that `up --json`, `status` and `env` show.
export const placesOf = (all: readonly Listening[]): Record<string, Pick<Listening, 'host' | 'port' | 'url'>> =>
  Object.fromEntries(all.map(({ name, host, port, url }) => [name, { host, port, url }]));

// Where it listens on all addresses, this machine reaches it by loopback.
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return isIPv6(host) ? `[${host}]` : host;
}

const isServer = (server: Server | DatagramSocket): server is Server => 'listen' in server;

const admit =
  (sockets: Set<Socket>, connections: Connections, { refuse }: Opened) =>
  (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (connections.add(socket)) return;
    if (refuse) refuse(socket);
    else socket.destroy();
  };

function bind(server: Server | DatagramSocket, host: string, port: number, option: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(unusable(error, host, port, option));
    server.once('error', failed);
    const listening = (): void => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    };
    if (isServer(server)) server.listen({ host, port, backlog: 1024 }, listening);
    else server.bind({ address: host, port }, listening);
  });
}

function unusable(cause: NodeJS.ErrnoException, host: string, port: number, option: string): Fault {
  const { code = '' } = cause;
  const place = `The port ${port} on ${host}`;
  let message = `${place} can't be used (${code}): choose another with ${option}.`;
  if (code === 'EADDRINUSE') message = `${place} is in use: stop what uses it, or choose another with ${option}.`;
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
    message = `The address ${host} does not belong to this machine: choose another with --host.`;
  return new Fault('unavailable', message, { cause });
}

const idleMs = 20;

// Calls that are not answered yet may end; idle connections go at once, and as soon as they are idle; the rest when
// the grace is over.
async function closeAll({ servers, stop }: Opened, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  const closeIdle = (): void => {
    for (const server of servers) (server as Partial<HttpServer>).closeIdleConnections?.();
  };
  closeIdle();
  const sweep = setInterval(closeIdle, idleMs);
  stop?.();
  const hurry = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, graceMs);
  await Promise.all(closed);
  clearInterval(sweep);
  clearTimeout(hurry);
}
