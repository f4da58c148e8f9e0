// A client of the forward protocol by TLS, for tests of what the real ones do not show.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { Decoder, encode } from '@msgpack/msgpack';
import type { LogPipeline } from './logs.ts';
import type { Ready } from './region.ts';

// As Fluent Bit sends it: a text whose bytes are not UTF-8.
const salt = Buffer.from('ff00fe80c3280102a0a1e28ca000ff7f', 'hex');
const hostname = 'agent';

// A region, or a node of which only this much is known because it is not ready yet.
export interface ForwardPlace {
  data: string;
  ready: Pick<Ready, 'services'>;
}

export interface ForwardOptions {
  servername?: string;
  ca?: string; // absent: the region's own
  key?: string;
}

export class ForwardClient {
  readonly socket: TLSSocket;
  #answers: AsyncGenerator<unknown>;

  constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('error', () => {});
    this.#answers = new Decoder({ useBigInt64: true }).decodeStream(socket) as AsyncGenerator<unknown>;
  }

  // Undefined: the connection ended.
  async next<T = unknown>(): Promise<T | undefined> {
    try {
      const { done, value } = await this.#answers.next();
      return done ? undefined : (value as T);
    } catch {
      return undefined;
    }
  }

  send(message: unknown): void {
    this.socket.write(encode(message));
  }

  async sendAcked(message: unknown[], chunk: string): Promise<void> {
    this.send([...message, { chunk }]);
    assert.deepEqual(await this.next(), { ack: chunk });
  }

  close(): void {
    this.socket.destroy();
  }
}

export async function dialForward(
  region: ForwardPlace,
  { servername, ca }: ForwardOptions = {},
): Promise<ForwardClient> {
  const { host, port } = forwardPlace(region);
  const socket = connect({
    host,
    port,
    ca: ca ?? readFileSync(join(region.data, 'ca.pem')),
    ...(servername === undefined ? {} : { servername }),
  });
  await once(socket, 'secureConnect');
  return new ForwardClient(socket);
}

// The answer to its PING: whether it may, and the reason.
export async function greet(client: ForwardClient, key: string): Promise<[isIn: boolean, reason: string]> {
  const helo = await client.next<[string, { nonce: Uint8Array; auth: string; keepalive: boolean }]>();
  const [word, { nonce, auth, keepalive }] = helo ?? ['', { nonce: new Uint8Array(), auth: '-', keepalive: false }];
  assert.deepEqual([word, nonce.length, auth, keepalive], ['HELO', 16, '', true]);
  const digestOf = (name: string): string =>
    createHash('sha512').update(salt).update(name).update(nonce).update(key).digest('hex');
  const text = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([0xd9, bytes.length]), bytes]);
  const parts = ['PING', hostname].map((one) => Buffer.from(encode(one)));
  const rest = [digestOf(hostname), '', ''].map((one) => Buffer.from(encode(one)));
  client.socket.write(Buffer.concat([Buffer.from([0x96]), ...parts, text(salt), ...rest]));
  const pong = await client.next<[string, boolean, string, string, string]>();
  const [, isIn, reason, serverName, digest] = pong ?? ['', false, 'closed', '', ''];
  if (isIn) assert.equal(digest, digestOf(serverName));
  return [isIn, reason];
}

export async function openForward(
  region: ForwardPlace,
  { key }: Pick<LogPipeline, 'key'>,
  options: ForwardOptions = {},
): Promise<ForwardClient> {
  const client = await dialForward(region, options);
  assert.deepEqual(await greet(client, options.key ?? key), [true, '']);
  return client;
}

export const forwardPlace = ({ ready }: Pick<ForwardPlace, 'ready'>): { host: string; port: number } => {
  const { hostname: host, port } = new URL((ready.services.forward ?? '').replace('tls:', 'https:'));
  return { host, port: Number(port) };
};
