// The listener of one broker: mutual TLS only. Without a certificate of the cluster's authority the handshake fails,
// and so does whatever is not TLS.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Cluster } from '../handlers/handler.ts';
import { Connection, type ConnectionLimits, type Traffic } from './connection.ts';

export interface ListenerTls {
  key: string;
  certificate: string;
  authority: string; // of the certificates of clients
}

export interface ListenerOptions {
  nodeId: number;
  host: string;
  port: number;
  tls: ListenerTls;
  mostConnections: number;
  limits: ConnectionLimits;
}

const handshakeMs = 10_000;
const idleMs = 600_000;
const refusalsEveryMs = 10_000; // of many, one is logged

export class Listener {
  readonly traffic: Traffic = { bytesIn: 0, bytesOut: 0, requests: 0 };
  refused = 0; // handshakes that failed
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #options: ListenerOptions;
  #toldMs = 0; // when a refusal was logged last

  constructor(options: ListenerOptions, cluster: Cluster) {
    const { tls, limits, nodeId, mostConnections } = options;
    this.#options = options;
    this.#server = createServer({
      key: tls.key,
      cert: tls.certificate,
      ca: tls.authority,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      handshakeTimeout: handshakeMs,
    });
    this.#server.maxConnections = mostConnections;
    this.#server.on('tlsClientError', (error, socket) => {
      this.refused++;
      const nowMs = cluster.clock.real();
      if (nowMs - this.#toldMs < refusalsEveryMs) return;
      this.#toldMs = nowMs;
      cluster.log.warn('broker: a handshake was refused', { why: error.message, client: socket.remoteAddress });
    });
    this.#server.on('secureConnection', (socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.setTimeout(idleMs, () => socket.destroy());
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
      new Connection(socket, { cluster, nodeId, limits, traffic: this.traffic });
    });
  }

  get connections(): number {
    return this.#sockets.size;
  }

  // Returns the port.
  async open(): Promise<number> {
    this.#server.listen(this.#options.port, this.#options.host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
