// An HTTP server of the region, plain or with TLS: its limits, and the refusal of invalid requests and suspicious
// headers. The gateway has two servers; a product may have one on its own port.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { createServer } from '../../base/http.ts';
import { uuid } from '../../base/ids.ts';
import { headerProblem } from './ambiguous-headers.ts';
import type { RenderRefusal } from './exchange.ts';
import type { Opened } from './listener.ts';
import { PipelinedRequests } from './pipelined-requests.ts';
import { addressesOfSocket } from './proxy.ts';
import {
  answerRaw,
  maxHeaderSize,
  type Refuse,
  refuseClient,
  renderPlatformRefusal,
  trackRequest,
  wasRefused,
} from './refusals.ts';
import type { TlsContexts } from './tls.ts';
import type { Upgrades } from './upgrades.ts';

export interface HttpServerOptions {
  contexts?: TlsContexts | undefined; // absent: plain HTTP
  handle(req: IncomingMessage, res: ServerResponse, secure: boolean): void;
  upgrades?: Upgrades | undefined; // of connections to WebSockets
  refused(status: number): void; // counts requests that were not passed to `handle`
  // By the requested host, if it is known; absent: the platform's payload.
  refusalsFor?(host: string | undefined): RenderRefusal;
  connect(req: IncomingMessage, socket: Socket, head: Buffer, refuse: Refuse): void; // a CONNECT
  plainPort?(): number; // where plain HTTP is served, for clients that send it to this port by mistake
}

export interface HttpServer extends Opened {
  server: Server | SecureServer;
}

const limits = {
  headersTimeout: 20_000,
  requestTimeout: 0, // bodies have their own deadline (body.ts): a stream may take as long as it flows
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { contexts, upgrades } = options;
  const isSecure = contexts !== undefined;
  let leaving = false;
  let stopping = false;
  const pipelined = new PipelinedRequests();
  const last = new WeakSet<Socket>(); // connections that end with the answer that is being made
  const refuse: Refuse = (socket, status, message, { isHead, host } = {}) => {
    const id = uuid();
    const render = options.refusalsFor?.(host) ?? renderPlatformRefusal;
    const reply = render({ status, message, id });
    options.refused(reply.status);
    answerRaw(socket, reply, id, isHead);
  };
  // True: there is nothing more to do with it.
  const isRefused = (req: IncomingMessage, socket: Socket): boolean => {
    if (wasRefused(socket) || last.has(socket)) return true;
    const problem = headerProblem(req);
    if (problem) refuse(socket.resume(), 400, problem, { isHead: req.method === 'HEAD', host: req.headers.host });
    return problem !== undefined;
  };
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    if (isRefused(req, req.socket)) return;
    if (leaving) {
      res.setHeader('Connection', 'close');
      last.add(req.socket);
    }
    const answered = trackRequest(req);
    const connection = pipelined.handle(req.socket, () => options.handle(req, res, isSecure));
    res.on('close', () => {
      answered();
      pipelined.answered(connection);
    });
  };
  const parser = {
    ...limits,
    maxHeaderSize,
    requireHostHeader: false, // refused above, with our payload
    shouldUpgradeCallback: (req: IncomingMessage) => !stopping && upgrades?.isUpgrade(req) === true,
  };
  const server = contexts
    ? createSecureServer({ ...contexts.options, ...parser }, handle)
    : createServer(parser, handle);
  server.on('connection', () => pipelined.accepted());
  const refuseUnreadable = refuseClient(refuse);
  const refusePlain = contexts && plainRefusal(server, refuse, options.plainPort);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!refusePlain?.(error, socket)) refuseUnreadable(error, socket);
  });
  server.on('checkExpectation', handle); // no expectation is a reason to refuse
  server.on('checkContinue', handle); // the client gets the 100 when its body is read
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!isRefused(req, socket)) upgrades?.upgrade(req, socket, head, isSecure);
  });
  // Without a listener Node would hang up without a word.
  server.on('connect', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!isRefused(req, socket)) options.connect(req, socket, head, refuse);
  });
  return {
    server,
    servers: [server],
    // Inside of TLS there is no place for an answer before the handshake.
    ...(!isSecure && { refuse: (socket) => refuse(socket, 503, 'Too many connections are open.') }),
    leave: () => {
      leaving = true;
    },
    stop: () => {
      stopping = true;
      upgrades?.close();
    },
  };
}

// Plain HTTP on a TLS port is answered on the connection below TLS: nothing can be written through TLS before the
// handshake.
function plainRefusal(server: Server | SecureServer, refuse: Refuse, plainPort: (() => number) | undefined) {
  const open = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const key = addressesOfSocket(socket);
    open.set(key, socket);
    socket.once('close', () => open.delete(key));
  });
  return ({ code }: NodeJS.ErrnoException, secure: Socket): boolean => {
    const socket = code === 'ERR_SSL_HTTP_REQUEST' ? open.get(addressesOfSocket(secure)) : undefined;
    if (!socket?.writable) return false;
    const plainHint = plainPort ? `, or port ${plainPort()} for plain HTTP` : '';
    refuse(socket, 400, `Plain HTTP was sent to the HTTPS port ${secure.localPort}. Use https://${plainHint}.`);
    return true;
  };
}
