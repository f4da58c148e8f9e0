// One connection to a broker over mutual TLS, with the codec of our own broker. Requests use the newest version that
// both sides support.
import { connect, type TLSSocket } from 'node:tls';
import { Fault } from '../../../../base/fault.ts';
import { FrameReader } from '../../../broker/connection/frame-reader.ts';
import type { Api } from '../../../broker/wire/api.ts';
import { readResponse, writeRequest } from '../../../broker/wire/frame.ts';
import { apiVersions } from '../../../broker/wire/messages/cluster.ts';

export interface BrokerAddress {
  host: string;
  port: number;
}

export interface ClientTls {
  authority: string;
  certificate: string;
  key: string;
}

interface Pending {
  resolve(frame: Buffer): void;
  reject(error: Error): void;
}

const clientId = 'cumulet';
const mostBytes = 64 * 1024 * 1024;
const idleMs = 30_000;
const openMs = 5000; // a frozen process still accepts TCP connections

export class BrokerConnection {
  readonly #socket: TLSSocket;
  readonly #address: BrokerAddress;
  readonly #frames = new FrameReader(mostBytes);
  readonly #pending: Pending[] = []; // a broker answers in the order of the requests
  #versions = new Map<number, [first: number, last: number]>();
  #correlationId = 0;

  private constructor(socket: TLSSocket, address: BrokerAddress) {
    this.#socket = socket;
    this.#address = address;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.setTimeout(idleMs, () => socket.destroy(new Error('it is idle')));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  // The certificate of a broker is checked against its authority only, not against its host name.
  static async open(address: BrokerAddress, tls: ClientTls): Promise<BrokerConnection> {
    const socket = connect({
      host: address.host,
      port: address.port,
      ca: tls.authority,
      cert: tls.certificate,
      key: tls.key,
      checkServerIdentity: () => undefined,
    });
    const connection = new BrokerConnection(socket, address);
    const software = { clientSoftwareName: clientId, clientSoftwareVersion: '1' };
    const { apiKeys } = await connection.#askIn(apiVersions, 3, software, openMs);
    connection.#versions = new Map(apiKeys.map((one) => [one.apiKey, [one.minVersion, one.maxVersion]]));
    return connection;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  async ask<Request, Answer>(
    api: Api<Request, never, Answer>,
    body: Partial<Request>,
    limitMs: number,
  ): Promise<Answer> {
    const [first, last] = this.#versions.get(api.key) ?? [0, -1];
    const version = Math.min(last, api.versions[1]);
    if (version < Math.max(first, api.versions[0]))
      throw new Fault('refused', `the broker at ${this.#where} supports no known version of ${api.name}`);
    return this.#askIn(api, version, body, limitMs);
  }

  async #askIn<Request, Answer>(
    api: Api<Request, never, Answer>,
    version: number,
    body: Partial<Request>,
    limitMs: number,
  ): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    if (!this.isOpen) throw this.#gone(new Error('the connection was closed'));
    this.#pending.push({ resolve, reject });
    this.#socket.ref();
    const header = { version, correlationId: this.#correlationId++, clientId };
    for (const chunk of writeRequest(api as Api<never, never>, header, body)) this.#socket.write(chunk);
    // Answers have the order of the requests, so a connection ends with its first late answer.
    const timer = setTimeout(() => this.#socket.destroy(new Error(`no answer after ${limitMs} ms`)), limitMs);
    try {
      return readResponse(api as unknown as Api<never, never, Answer>, version, await promise);
    } finally {
      clearTimeout(timer);
    }
  }

  #read(chunk: Buffer): void {
    this.#frames.push(chunk);
    try {
      for (let frame = this.#frames.next(); frame; frame = this.#frames.next()) this.#pending.shift()?.resolve(frame);
      if (this.#pending.length === 0) this.#socket.unref(); // an idle connection keeps no process alive
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #fail(cause: Error): void {
    for (const { reject } of this.#pending.splice(0)) reject(this.#gone(cause));
  }

  #gone(cause: Error): Fault {
    return new Fault('unavailable', `the broker at ${this.#where} does not answer: ${cause.message}`, {
      cause,
      retryAfterS: 2,
    });
  }

  get #where(): string {
    return `${this.#address.host}:${this.#address.port}`;
  }

  close(): void {
    this.#socket.destroy();
  }
}
