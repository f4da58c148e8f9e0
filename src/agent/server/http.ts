// MCP over Streamable HTTP, stateless: each call gets a new server, so nothing is kept between calls.
// In lazy mode, the loaded groups apply to the whole process.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { type AgentServerOptions, agentServer } from './agent-server.ts';

export type OptionsOf = (request: Request | undefined) => AgentServerOptions;

export function mcpHandler(optionsOf: OptionsOf, unexpected: (error: unknown) => void): McpHttpHandler {
  const handler: McpHttpHandler = createMcpHandler(
    ({ requestInfo }) => agentServer({ ...optionsOf(requestInfo), changed: () => handler.notify.toolsChanged() }),
    { onerror: unexpected },
  );
  return handler;
}

export interface AgentHttpOptions extends Omit<AgentServerOptions, 'loaded'> {
  host: string;
  port: number;
}

export interface ListeningAgent {
  url: string;
  close(): Promise<void>;
}

const maxBytes = 4 * 1024 * 1024;

// This endpoint has no authentication. On a loopback address it answers only to local host names, so that no web page
// can reach it by a name that resolves to this machine.
export async function listenAgent(options: AgentHttpOptions): Promise<ListeningAgent> {
  const loaded = new Set<string>();
  const handler = mcpHandler(() => ({ ...options, loaded }), options.unexpected);
  const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(options.host);
  const server = createServer((req, res) => {
    answer(req, res, handler, isLocal).catch((error: unknown) => {
      options.unexpected(error);
      res.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}/mcp`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  handler: McpHttpHandler,
  isLocal: boolean,
): Promise<void> {
  const url = new URL(req.url ?? '/', `http://${req.headers.host ?? 'localhost'}`);
  if (url.pathname !== '/' && url.pathname !== '/mcp') return send(res, new Response('Not found\n', { status: 404 }));
  const request = await requestOf(req, url);
  if (!request) return send(res, new Response('Too large\n', { status: 413 }));
  const refused = isLocal
    ? (hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins()))
    : undefined;
  return send(res, refused ?? (await handler.fetch(request)));
}

async function requestOf(req: IncomingMessage, url: URL): Promise<Request | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of req as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) headers.set(name, String(value));
  const { method = 'GET' } = req;
  const body = method === 'GET' || method === 'HEAD' ? null : Buffer.concat(pieces);
  return new Request(url, { method, headers, body });
}

async function send(res: ServerResponse, response: Response): Promise<void> {
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return void res.end();
  const stream = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  res.once('close', () => stream.destroy());
  stream.on('error', () => res.destroy());
  stream.pipe(res);
}
