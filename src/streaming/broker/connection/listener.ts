// The listener of one broker: mutual TLS only. The handshake fails for plain text and for certificates of another
// authority. Clients without a certificate, without TLS 1.2 or without a common cipher get an alert with the reason; a
// client whose certificate is not trusted is only disconnected, since Node sends no alert for that.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { tlsPolicy } from '../../../base/tls-policy.ts';
import type { Cluster } from '../handlers/handler.ts';
import { type BrokerMemory, Connection, type ConnectionLimits, type Traffic } from './connection.ts';
import { refusalOf } from './refusal.ts';

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
  memory: BrokerMemory;
}

const idleMs = 600_000;
const refusalsEveryMs = 10_000; // identical refusals are logged once in this time
const mostLogged = 1_000;
const pendingShare = 0.25; // share of all connections that unfinished handshakes of one address may use

export class Listener {
  readonly traffic: Traffic = { bytesIn: 0, bytesOut: 0, requests: 0 };
  refused = 0; // handshakes that failed
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #options: ListenerOptions;
  #port: number; // 0: a free one, which is kept when it opens again
  readonly #pending = new Map<string, Map<number, Socket>>(); // handshakes, by address and port, the oldest first
  readonly #loggedAt = new Map<string, number>(); // when a refusal of a client was logged last

  constructor(options: ListenerOptions, cluster: Cluster) {
    const { tls, limits, memory, nodeId, mostConnections } = options;
    this.#options = options;
    this.#port = options.port;
    this.#server = createServer({
      key: tls.key,
      cert: tls.certificate,
      ca: tls.authority,
      requestCert: true,
      rejectUnauthorized: true,
      ...tlsPolicy,
      handshakeTimeout: limits.handshakeMs,
    });
    this.#server.maxConnections = mostConnections;
    this.#server.on('connection', (socket: Socket) => this.#admit(socket));
    // A closed socket forgets the address of its client unless the address was read before. This is the first event
    // that has the socket; its content is not used.
    this.#server.on('keylog', (_, socket) => socket.remoteAddress);
    this.#server.on('tlsClientError', (error, socket) => {
      this.refused++;
      this.#tellRefusal(refusalOf(error, socket), socket.remoteAddress ?? 'unknown', cluster);
      socket.destroy(); // Node leaves the socket open after a mere timeout
    });
    this.#server.on('secureConnection', (socket) => {
      this.#settle(socket.remoteAddress ?? '', socket.remotePort ?? 0);
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.setTimeout(idleMs, () => socket.destroy());
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
      new Connection(socket, { cluster, nodeId, limits, traffic: this.traffic, memory });
    });
  }

  // Clients without a certificate can't exhaust the connections of those that have one: the oldest handshake of an
  // address is ended when the address exceeds its share.
  #admit(socket: Socket): void {
    const { remoteAddress = '', remotePort = 0 } = socket;
    const pending = this.#pending.get(remoteAddress) ?? new Map<number, Socket>();
    const [oldest = 0] = pending.keys();
    if (pending.size >= this.#options.mostConnections * pendingShare) {
      pending.get(oldest)?.destroy();
      pending.delete(oldest);
    }
    pending.set(remotePort, socket);
    this.#pending.set(remoteAddress, pending);
    socket.once('close', () => this.#settle(remoteAddress, remotePort));
  }

  #settle(address: string, port: number): void {
    const pending = this.#pending.get(address);
    pending?.delete(port);
    if (pending?.size === 0) this.#pending.delete(address);
  }

  #tellRefusal(why: string, client: string, { clock, log }: Cluster): void {
    const key = `${client} ${why}`;
    const nowMs = clock.real();
    if (nowMs - (this.#loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < refusalsEveryMs) return;
    if (this.#loggedAt.size >= mostLogged) this.#loggedAt.clear();
    this.#loggedAt.set(key, nowMs);
    log.warn('broker: a handshake failed', { why, client, broker: this.#options.nodeId });
  }

  limitConnections(most: number): void {
    this.#server.maxConnections = Math.min(most, this.#options.mostConnections);
  }

  get connections(): number {
    return this.#sockets.size;
  }

  // Opens the listener, also after it was closed: its counters continue. Returns the port.
  async open(): Promise<number> {
    this.#server.listen(this.#port, this.#options.host);
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.#port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
