// The listeners: plain HTTP with the proxy, and HTTPS. What the parser refuses (a header too large, a client too
// slow, bytes that are no HTTP) gets the platform's payload too.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { createServer } from '../../base/http.ts';
import { counter, type Figures, gauge } from '../../core/figures.ts';
import { isHost } from './host-names.ts';
import { type ConnectProxy, createProxy } from './proxy.ts';
import { answerRaw, maxHeaderSize, type Refuse, refuseClient, trackRequest, wasRefused } from './refusals.ts';
import type { TlsContexts } from './tls.ts';

export interface GatewayOptions {
  host: string;
  port: number;
  securePort: number;
  domains: string[];
  contexts: TlsContexts;
  passthrough: boolean;
  mostConnections: number;
  handle(req: IncomingMessage, res: ServerResponse, secure: boolean): void;
  refused(status: number): void; // one that was not handed on to `handle`
}

export const connectionFigures = {
  open: gauge('Connections that are open, plain and by TLS.'),
  refused: counter('Connections that were one too many.'),
};

export interface Gateway {
  port: number;
  securePort: number;
  figures(): Required<Figures<typeof connectionFigures>>;
  close(leaving: Leaving): Promise<void>;
}

export interface Leaving {
  politeMs: number; // so long every answer says that its connection ends with it, and whoever calls goes elsewhere
  graceMs: number; // then so long for what is under way
}

const limits = {
  headersTimeout: 20_000,
  requestTimeout: 0, // bodies have their own deadline (body.ts): a stream may take as long as it flows
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

export async function openGateway(options: GatewayOptions, onProxy: (proxy: ConnectProxy) => void): Promise<Gateway> {
  let leaving = false;
  let tooMany = 0;
  const refuse: Refuse = (socket, status, message, isHead) => {
    options.refused(status);
    answerRaw(socket, status, message, isHead);
  };
  const last = new WeakSet<Socket>(); // connections that end with the answer that is being made
  const handle = (req: IncomingMessage, res: ServerResponse, isSecure: boolean): void => {
    if (wasRefused(req.socket) || last.has(req.socket)) return;
    if (leaving) {
      res.setHeader('Connection', 'close');
      last.add(req.socket);
    }
    const doubt = doubtOf(req);
    if (doubt) refuse(req.socket, 400, doubt, req.method === 'HEAD');
    else {
      trackRequest(req, res);
      options.handle(req, res, isSecure);
    }
  };
  const parser = { ...limits, maxHeaderSize, requireHostHeader: false }; // refused above, with our payload
  const secure = createSecureServer({ ...options.contexts.options, ...parser }, (req, res) => handle(req, res, true));
  options.contexts.attach(secure);
  const proxy = createProxy({ domains: options.domains, secureServer: secure, passthrough: options.passthrough });
  onProxy(proxy);
  const plain = createServer(parser, (req, res) => handle(req, res, false));
  plain.on('connect', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    const doubt = doubtOf(req);
    if (doubt) refuse(socket.resume(), 400, doubt);
    else proxy.connect(req, socket, head);
  });
  // Without a listener Node would hang up without a word.
  secure.on('connect', (_req: IncomingMessage, socket: Socket) =>
    refuse(socket.resume(), 400, 'The proxy is served on the plain port: there is no CONNECT inside of TLS.'),
  );
  const open = new Set<Socket>();
  for (const server of [plain, secure]) {
    server.on('clientError', refuseClient(refuse));
    server.on('checkContinue', (req, res) => handle(req, res, server === secure)); // told when the body is read
    server.on('checkExpectation', (req, res) => handle(req, res, server === secure)); // none is a reason to refuse
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      if (open.size <= options.mostConnections) return;
      tooMany += 1;
      if (server === secure) socket.destroy();
      else refuse(socket, 503, 'Too many connections are open.');
    });
  }
  const port = await listen(plain, options.host, options.port, '--port');
  const securePort = await listen(secure, options.host, options.securePort, '--https-port').catch((error: unknown) => {
    plain.close();
    throw error;
  });
  return {
    port,
    securePort,
    figures: () => ({ open: open.size, refused: tooMany }),
    close: async ({ politeMs, graceMs }) => {
      leaving = true;
      if (politeMs > 0) await pause(politeMs);
      await closeAll([plain, secure], proxy, open, graceMs);
    },
  };
}

// Where it listens on all addresses, this machine reaches it by loopback.
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return isIPv6(host) ? `[${host}]` : host;
}

// Which host is meant must not depend on who reads the request: a proxy before us may take the other one.
// Of a target that names a host itself, that one counts: what the header says is for the proxy to ignore.
function doubtOf({ rawHeaders, headers, httpVersion, url = '' }: IncomingMessage): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The Host header is missing.' : undefined;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) return 'There is more than one Host header.';
  const counts = url.startsWith('/') && headers.host !== '';
  return counts && !isHost(headers.host) ? 'The Host header names no host.' : undefined;
}

function listen(server: Server | SecureServer, host: string, port: number, option: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const { code = '' } = error;
      const place = `The port ${port} on ${host}`;
      let message = `${place} can't be used (${code}): choose another with ${option}.`;
      if (code === 'EADDRINUSE') message = `${place} is in use: stop what uses it, or choose another with ${option}.`;
      if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
        message = `The address ${host} is none of this machine's: choose another with --host.`;
      reject(new Fault('unavailable', message, { cause: error }));
    });
    server.listen({ host, port, backlog: 1024 }, () => resolve((server.address() as AddressInfo).port));
  });
}

// Calls that are under way may end; idle connections go at once, the rest when the grace is over.
async function closeAll(
  servers: (Server | SecureServer)[],
  proxy: ConnectProxy,
  open: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  for (const server of servers) server.closeIdleConnections();
  const hurry = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
    for (const socket of open) socket.destroy(); // one that is amid a handshake belongs to no server yet
  }, graceMs);
  proxy.close();
  await Promise.all(closed);
  clearTimeout(hurry);
}
