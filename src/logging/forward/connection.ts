// One connection of the forward protocol. Before the handshake it may send only a few bytes; after it, messages up to a
// limit. A chunk is acknowledged when it is durable. While several messages are pending, reading pauses.
import type { TLSSocket } from 'node:tls';
import { encode } from '@msgpack/msgpack';
import { randomHex } from '../../base/ids.ts';
import type { BodyHolder, BodyMemory } from '../../core/body-memory.ts';
import type { LogPipeline } from '../pipeline.ts';
import { FrameScanner, type Refusal } from '../push/message-frame.ts';
import { helo, mostPing, nonceBytes, pingOf, pong, refusal } from './handshake.ts';
import type { ForwardKeys } from './keys.ts';

export interface ConnectionOptions {
  keys: ForwardKeys;
  serverName: string;
  // Stores one message, and returns the chunk to acknowledge, if any. Undefined: nothing was stored.
  keep(pipeline: LogPipeline, message: Uint8Array): Promise<{ ack?: string } | undefined>;
  current(pipeline: LogPipeline): Promise<LogPipeline | undefined>; // its current state; undefined: its key has changed
  claim(contract: number): boolean; // false: the contract has too many connections
  refused(address: string, why: string): void;
  bodyMemory: BodyMemory;
}

const mostMessage = 32 * 1024 * 1024;
const handshakeMs = 10_000;
const pieceMs = 60_000; // time limit for the next piece of a message
const idleMs = 3_600_000; // time limit without any message
const mostUnderWay = 8; // messages
const startBytes = 4096;
const heartbeat = 0xc0; // a message of one byte; a packet can contain thousands

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
  #held: BodyHolder | undefined; // the memory of the buffer; absent before the handshake, when it is small
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
    socket.once('close', () => this.#release(this.#held));
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.write(helo(this.#nonce));
  }

  // Messages that are being stored are still acknowledged.
  end(): void {
    this.#isEnding = true;
    this.#socket.pause();
    if (this.#underWay === 0) this.#socket.end();
  }

  #take(piece: Buffer): void {
    if (this.#isEnding) return;
    if (!this.#reserve(this.#size + piece.length)) return;
    piece.copy(this.#buffer, this.#size);
    this.#size += piece.length;
    this.#read();
  }

  #read(): void {
    let at = 0;
    let needed = 0;
    while (at < this.#size && !this.#isEnding && !this.#socket.isPaused()) {
      if (this.#buffer[at] === heartbeat) {
        at++;
        continue;
      }
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
      const message = new Uint8Array(this.#buffer.subarray(at, at + framed.size)); // a separate buffer
      at += framed.size;
      this.#handle(message);
    }
    // Once, not after each message: a packet can contain thousands of them.
    if (at > 0) this.#buffer.copyWithin(0, at, this.#size);
    this.#size -= at;
    if (this.#size === 0) this.#shrink();
    this.#reserve(needed);
  }

  #handle(message: Uint8Array): void {
    const held = this.#hold(message.length);
    if (held === 'full') return;
    if (++this.#underWay >= (this.#pipeline ? mostUnderWay : 1)) this.#socket.pause();
    const work = this.#pipeline ? this.#keep(this.#pipeline, message) : this.#greet(message);
    work
      .catch(() => this.#socket.destroy()) // not acknowledged, so the client sends it again
      .finally(() => {
        this.#release(held);
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
      return this.#refuse('Too many attempts with a wrong key. Try again later.', 'a wrong key');
    if (!claim(found.pipeline.contract)) return this.#refuse('The contract has too many connections.', 'too many');
    this.#pipeline = found.pipeline;
    this.#held = this.#holder();
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

  // The scanner has already refused messages beyond its limit. Returns false if there is no memory left; the client
  // then sends its message again later.
  #reserve(size: number): boolean {
    if (size <= this.#buffer.length) return true;
    const length = Math.max(size, Math.min(this.#buffer.length * 2, mostMessage));
    if (this.#held && this.#hold(length - this.#held.heldBytes, this.#held) === 'full') return false;
    const larger = Buffer.allocUnsafe(length);
    this.#buffer.copy(larger, 0, 0, this.#size);
    this.#buffer = larger;
    return true;
  }

  #shrink(): void {
    if (this.#buffer.length <= 16 * startBytes) return;
    this.#release(this.#held);
    this.#buffer = Buffer.allocUnsafe(startBytes);
  }

  #holder(): BodyHolder {
    return { caller: this.#pipeline, bodyMemory: this.#options.bodyMemory, heldBytes: 0 };
  }

  #hold(bytes: number, holder = this.#holder()): BodyHolder | 'full' {
    try {
      this.#options.bodyMemory.hold(holder, bytes);
      return holder;
    } catch {
      this.#leave('more than fits into the memory of requests');
      return 'full';
    }
  }

  #release(holder: BodyHolder | undefined): void {
    if (holder) this.#options.bodyMemory.release(holder);
  }
}
