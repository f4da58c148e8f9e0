// An HTTP server of the region, plain or by TLS: its limits, and refusals of what the parser or doubtful headers rule
// out. The gateway has two of them; a product may have one on a port of its own.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { createServer } from '../../base/http.ts';
import { uuid } from '../../base/ids.ts';
import type { RenderRefusal } from './exchange.ts';
import { doubtOf } from './header-doubts.ts';
import type { Opened } from './listener.ts';
import { PipelinedRequests } from './pipelined-requests.ts';
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
  refused(status: number): void; // counts what was not handed on to `handle`
  // By the host that was asked for, where that is known; absent: the platform's payload.
  refusalsFor?(host: string | undefined): RenderRefusal;
  connect(req: IncomingMessage, socket: Socket, head: Buffer, refuse: Refuse): void; // a CONNECT
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
    const doubt = doubtOf(req);
    if (doubt) refuse(socket.resume(), 400, doubt, { isHead: req.method === 'HEAD', host: req.headers.host });
    return doubt !== undefined;
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
    shouldUpgradeCallback: (req: IncomingMessage) => !leaving && upgrades?.isUpgrade(req) === true,
  };
  const server = contexts
    ? createSecureServer({ ...contexts.options, ...parser }, handle)
    : createServer(parser, handle);
  server.on('connection', () => pipelined.accepted());
  server.on('clientError', refuseClient(refuse));
  server.on('checkExpectation', handle); // no expectation is a reason to refuse
  server.on('checkContinue', handle); // the client is told to go on when its body is read
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
    stop: () => upgrades?.close(),
  };
}
