// The gateway's two listeners: plain HTTP with the proxy, and HTTPS.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { RenderRefusal } from './exchange.ts';
import type { HostNames } from './host-names.ts';
import { createHttpServer } from './http-server.ts';
import { type ConnectionFigures, type Connections, type Leaving, type Listening, openListener } from './listener.ts';
import { type ConnectProxy, createProxy } from './proxy.ts';
import type { TlsContexts } from './tls.ts';
import type { Upgrades } from './upgrades.ts';

export interface GatewayOptions {
  host: string;
  port: number;
  securePort: number;
  names: HostNames;
  contexts: TlsContexts;
  passthrough: boolean;
  connections: Connections;
  handle(req: IncomingMessage, res: ServerResponse, secure: boolean): void;
  upgrades: Upgrades;
  refused(status: number): void; // counts requests that were not passed to `handle`
  refusalsFor?(host: string | undefined): RenderRefusal;
}

export interface Gateway {
  port: number;
  securePort: number;
  listening: readonly Listening[];
  figures(): ConnectionFigures; // the connections of all listeners
  close(leaving: Leaving): Promise<void>;
}

export async function openGateway(options: GatewayOptions, onProxy: (proxy: ConnectProxy) => void): Promise<Gateway> {
  const { host, contexts, connections, names, passthrough } = options;
  const secure = createHttpServer({
    ...options,
    connect: (_req, socket, _head, refuse) =>
      refuse(socket.resume(), 400, 'The proxy is served on the plain port: there is no CONNECT inside of TLS.'),
    plainPort: () => http.port,
  });
  const proxy = createProxy({ names, secureServer: secure.server as SecureServer, passthrough });
  onProxy(proxy);
  const plain = createHttpServer({
    ...options,
    contexts: undefined,
    connect: (req, socket, head) => proxy.connect(req, socket, head),
  });
  const stop = (): void => {
    plain.stop?.();
    proxy.close();
  };
  const place = { host, contexts, connections };
  const http = await openListener(
    { name: 'http', scheme: 'http', defaultPort: 7070, option: '--port', open: () => ({ ...plain, stop }) },
    { ...place, port: options.port },
  );
  const https = await openListener(
    { name: 'https', scheme: 'https', defaultPort: 7443, option: '--https-port', open: () => secure },
    { ...place, port: options.securePort },
  ).catch(async (error: unknown) => {
    await http.close({ politeMs: 0, graceMs: 0 });
    throw error;
  });
  return {
    port: http.port,
    securePort: https.port,
    listening: [http, https],
    figures: () => ({ ...connections.figures(), webSockets: options.upgrades.size }),
    async close(leaving) {
      await Promise.all([http.close(leaving), https.close(leaving)]);
    },
  };
}
