// The gateway as an HTTP proxy, for clients with built-in hosts. It serves the platform's names itself and refuses all
// other targets. That is decided by the text of the target alone: nothing is resolved or normalised before, because
// every normalisation is one more spelling of 127.0.0.1.
import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import { BlockList, connect as dial, isIP, isIPv4, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { type HostNames, plain } from './host-names.ts';

export interface ProxyOptions {
  names: HostNames;
  secureServer: Server; // gets the raw socket after the 200; it need not listen itself
  passthrough: boolean;
  handshakeTimeoutMs?: number;
  resolve?: (name: string) => Promise<string[]>;
  open?: (addresses: string[], port: number) => Socket;
}

export interface AbsoluteTarget {
  host: string;
  path: string;
  secure: boolean; // the scheme of links in the answer; clients without CONNECT send https: URLs in the clear
}

export interface ConnectProxy {
  connect(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  // For every request's url before it is routed; undefined is the ordinary form, a path.
  absoluteTarget(url: string): AbsoluteTarget | 'refused' | undefined;
  close(): void; // closes the tunnels; connections to our own names belong to the secure server
}

export function createProxy(options: ProxyOptions): ConnectProxy {
  const { names, passthrough } = options;
  const endHere = createEnding(options.secureServer, options.handshakeTimeoutMs ?? 30_000);
  const tunnels = createTunnels(options);
  return {
    connect(request, socket, head) {
      socket.on('error', () => {}); // a client may leave at any time
      const given = /^([^:]*):443$/.exec(request.url ?? '')?.[1];
      const name = plain(given ?? '');
      if (!isCanonicalName(name)) refuse(socket);
      else if (names.has(name)) endHere(socket, head);
      else if (passthrough) void tunnels.open(name, socket, head);
      else refuse(socket);
    },
    absoluteTarget(url) {
      if (url.startsWith('/')) return undefined;
      const [, scheme, given = '', port, rest = ''] =
        /^(https?):\/\/([^/?#:]*)(?::(\d+))?([/?][^#]*)?$/.exec(url) ?? [];
      const host = plain(given);
      const secure = scheme === 'https';
      if (port !== undefined && port !== (secure ? '443' : '80')) return 'refused';
      if (!isCanonicalName(host) || !names.has(host)) return 'refused';
      return { host, path: rest.startsWith('/') ? rest : `/${rest}`, secure };
    },
    close: tunnels.close,
  };
}

// The answer to a refused target, in the platform's form; the gateway gives it to absolute forms as well.
export const refusal =
  "This proxy serves the platform's own names, https at port 443 and http at port 80, and with --proxy-passthrough " +
  'public names at port 443; nothing else.';

export const refusedTarget = payload(403, refusal);

// One spelling per name, whatever the client's: lower case, no dot at the end. A last label that begins with a letter
// leaves out every form of an IPv4 address, numbers and hexadecimal ones included.
const canonicalName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const isCanonicalName = (name: string): boolean => name.length <= 253 && canonicalName.test(name);

const established = 'HTTP/1.1 200 Connection Established\r\n\r\n';

function createEnding(secureServer: Server, timeoutMs: number): (socket: Duplex, head: Buffer) => void {
  const pending = new Map<string, () => void>();
  secureServer.on('secureConnection', (secure) => pending.get(addressesOfSocket(secure))?.());

  return (socket, head) => {
    if (!(socket instanceof Socket)) return void socket.destroy();
    // The secure socket is another object on the same connection: the two are matched by their addresses.
    const key = addressesOfSocket(socket);
    const timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
    const settle = () => {
      clearTimeout(timer);
      if (pending.get(key) === settle) pending.delete(key);
    };
    pending.set(key, settle);
    socket.once('close', settle);
    // A client in a hurry sends its hello along with the CONNECT; the TLS socket reads what is buffered first.
    if (head.length > 0) socket.unshift(head);
    socket.write(established, (error) => {
      if (!error && !socket.destroyed) secureServer.emit('connection', socket);
    });
  };
}

// Tells connections apart.
export const addressesOfSocket = (socket: Socket): string =>
  [socket.remoteAddress, socket.remotePort, socket.localAddress, socket.localPort].join(' ');

const tunnelIdleMs = 600_000;

function createTunnels({ handshakeTimeoutMs = 30_000, resolve = addressesOf, open = dialAny }: ProxyOptions) {
  const sockets = new Set<Duplex>();

  async function openTunnel(name: string, socket: Duplex, head: Buffer): Promise<void> {
    hold(socket);
    const addresses = await resolve(name).catch(() => []);
    if (socket.destroyed) return;
    if (addresses.length === 0) return refuse(socket, 502, `${name} is not known`);
    // All of them must be public: a name that also has a private address is an attack.
    if (!addresses.every(isPublic)) return refuse(socket);
    const upstream = hold(open(addresses, 443));
    let connected = false;
    upstream.setTimeout(handshakeTimeoutMs, () => upstream.destroy(new Error('timed out')));
    upstream.once('connect', () => {
      connected = true;
      upstream.setTimeout(tunnelIdleMs);
      socket.write(established);
      if (head.length > 0) upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => {
      if (connected) socket.destroy();
      else refuse(socket, 502, `${name} can't be reached`);
    });
    socket.once('close', () => {
      // Where both ends have closed, the last bytes may still be on their way.
      if (!upstream.writableEnded || !upstream.readableEnded) upstream.destroy();
    });
  }

  function hold<T extends Duplex>(socket: T): T {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  }

  return {
    open: openTunnel,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function addressesOf(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

// Dials the addresses that were checked: resolving the name again could give others.
function dialAny(addresses: string[], port: number): Socket {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return dial({
    host: 'checked.invalid',
    port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    lookup: (_name, _options, done) => done(null, found),
  });
}

const notPublic = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  notPublic.addSubnet(network, prefix, 'ipv4');
}
// Tunnels that carry an IPv4 address in an IPv6 one, and the addresses of examples.
notPublic.addSubnet('2001::', 32, 'ipv6');
notPublic.addSubnet('2001:db8::', 32, 'ipv6');
notPublic.addSubnet('2002::', 16, 'ipv6');

// Of IPv6, only global unicast addresses can be public.
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

function isPublic(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  if (!isIP(address) || own.some((each) => each.address === address)) return false;
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4');
  return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

function refuse(socket: Duplex, status: 403 | 502 = 403, message?: string): void {
  const body = JSON.stringify(message === undefined ? refusedTarget : payload(status, message));
  const lines = [
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Bad Gateway'}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // The client's remaining bytes are read and dropped, because closing with unread bytes would reset the connection.
  const timer = setTimeout(() => socket.destroy(), 5_000).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function payload(httpStatus: number, message: string) {
  return { httpStatus, messages: [{ errorCode: 'proxy-target', message }] };
}
