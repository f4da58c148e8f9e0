// One connection of the forward protocol. Before the handshake it may send a few bytes only; after it, messages up to a
// limit. A chunk is acknowledged when it is durable. While several are being kept, nothing more is read.
import type { TLSSocket } from 'node:tls';
import { encode } from '@msgpack/msgpack';
import { randomHex } from '../../base/ids.ts';
import type { LogPipeline } from '../pipeline.ts';
import { FrameScanner, type Refusal } from '../push/message-frame.ts';
import { helo, mostPing, nonceBytes, pingOf, pong, refusal } from './handshake.ts';
import type { ForwardKeys } from './keys.ts';

export interface ConnectionOptions {
  keys: ForwardKeys;
  serverName: string;
  // Keeps one message; the chunk to acknowledge, where there is one. Undefined: nothing was kept.
  keep(pipeline: LogPipeline, message: Uint8Array): Promise<{ ack?: string } | undefined>;
  current(pipeline: LogPipeline): Promise<LogPipeline | undefined>; // as it is now; undefined: its key has changed
  claim(contract: number): boolean; // false: the contract has too many connections
  refused(address: string, why: string): void;
}

const mostMessage = 32 * 1024 * 1024;
const handshakeMs = 10_000;
const pieceMs = 60_000; // for the next piece of a message
const idleMs = 3_600_000; // without any message
const mostUnderWay = 8; // messages
const startBytes = 4096;

const refusals: Record<Refusal, string> = {
  garbage: 'no MessagePack',
  'too large': 'a message too large',
  'too deep': 'a message nested too deep',
  'too many values': 'a message of too many values',
};

export class ForwardConnection {
  readonly #socket: TLSSocket;
  readonly #options: ConnectionOptions;
  readonly #address: string;
  readonly #nonce = Buffer.from(randomHex(nonceBytes), 'hex');
  #scanner = new FrameScanner(mostPing);
  #buffer = Buffer.allocUnsafe(startBytes);
  #size = 0;
  #pipeline: LogPipeline | undefined;
  #underWay = 0;
  #isEnding = false;

  constructor(socket: TLSSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#address = socket.remoteAddress ?? '';
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    socket.setTimeout(handshakeMs, () => this.#leave(this.#pipeline ? undefined : 'no handshake in time'));
    socket.on('error', () => {}); // it closes
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.write(helo(this.#nonce));
  }

  // What is being kept is acknowledged still.
  end(): void {
    this.#isEnding = true;
    this.#socket.pause();
    if (this.#underWay === 0) this.#socket.end();
  }

  #take(piece: Buffer): void {
    if (this.#isEnding) return;
    this.#reserve(this.#size + piece.length);
    piece.copy(this.#buffer, this.#size);
    this.#size += piece.length;
    this.#read();
  }

  #read(): void {
    let at = 0;
    let needed = 0;
    while (at < this.#size && !this.#isEnding && !this.#socket.isPaused()) {
      const framed = this.#scanner.scan(this.#buffer.subarray(at, this.#size));
      if (typeof framed === 'string') {
        this.#leave(refusals[framed]);
        return;
      }
      if ('more' in framed) {
        if (this.#pipeline) this.#socket.setTimeout(pieceMs);
        needed = framed.more;
        break;
      }
      const message = new Uint8Array(this.#buffer.subarray(at, at + framed.size)); // a buffer of its own
      at += framed.size;
      this.#handle(message);
    }
    // Once, not after each message: a packet can have thousands of them.
    if (at > 0) this.#buffer.copyWithin(0, at, this.#size);
    this.#size -= at;
    if (this.#size === 0) this.#shrink();
    this.#reserve(needed);
  }

  #handle(message: Uint8Array): void {
    const { length, 0: first } = message;
    if (length === 1 && first === 0xc0) return; // a heartbeat
    if (++this.#underWay >= (this.#pipeline ? mostUnderWay : 1)) this.#socket.pause();
    const work = this.#pipeline ? this.#keep(this.#pipeline, message) : this.#greet(message);
    work
      .catch(() => this.#socket.destroy()) // not acknowledged: it is sent again
      .finally(() => {
        this.#underWay--;
        if (this.#isEnding) {
          if (this.#underWay === 0) this.#socket.end();
          return;
        }
        if (this.#pipeline) this.#socket.setTimeout(idleMs);
        this.#socket.resume();
        this.#read();
      });
  }

  async #greet(message: Uint8Array): Promise<void> {
    const proof = pingOf(message);
    if (!proof) return this.#leave('no handshake');
    const { keys, serverName, claim } = this.#options;
    const host = this.#socket.servername || undefined;
    const found = await keys.find(host, this.#address, this.#nonce, proof);
    if (found === 'wrong') return this.#refuse('shared_key mismatch', 'a wrong key');
    if (found === 'throttled')
      return this.#refuse('too many attempts with a wrong key: try again later', 'a wrong key');
    if (!claim(found.pipeline.contract)) return this.#refuse('too many connections of the contract', 'too many');
    this.#pipeline = found.pipeline;
    this.#scanner = new FrameScanner(mostMessage);
    this.#socket.write(pong(this.#nonce, proof, found.key, serverName));
  }

  async #keep(known: LogPipeline, message: Uint8Array): Promise<void> {
    const pipeline = await this.#options.current(known);
    if (!pipeline) return this.#leave();
    const kept = await this.#options.keep(pipeline, message);
    if (kept?.ack !== undefined && this.#socket.writable) this.#socket.write(encode({ ack: kept.ack }));
  }

  #refuse(reason: string, why: string): void {
    this.#isEnding = true;
    this.#options.refused(this.#address, why);
    this.#socket.end(refusal(reason));
    this.#socket.setTimeout(1000, () => this.#socket.destroy());
  }

  #leave(why?: string): void {
    this.#isEnding = true;
    if (why !== undefined) this.#options.refused(this.#address, why);
    this.#socket.destroy();
  }

  // The scanner has refused what is beyond its limit before.
  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(size, Math.min(this.#buffer.length * 2, mostMessage)));
    this.#buffer.copy(larger, 0, 0, this.#size);
    this.#buffer = larger;
  }

  #shrink(): void {
    if (this.#buffer.length > 16 * startBytes) this.#buffer = Buffer.allocUnsafe(startBytes);
  }
}
