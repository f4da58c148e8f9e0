// Finds the pipeline whose shared key a handshake was computed with. The TLS server name of the client contains the
// pipeline's number. Without such a name the keys are tried, first those that the address has used before; failures are
// throttled by address.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Seal } from '../../base/seal.ts';
import type { Store } from '../../core/store.ts';
import { Throttle } from '../../surface/http/throttle.ts';
import { everyPipeline, type PipelineKeys } from '../../surface/pipelines/key-check.ts';
import { type LogPipeline, logPipelines } from '../pipeline.ts';

// The client's message as bytes, because Fluent Bit's salt is not valid text.
export interface Proof {
  salt: Uint8Array;
  hostname: Uint8Array;
  digest: string; // in hexadecimal
}

export interface KnownKey {
  pipeline: LogPipeline;
  key: string;
}

export interface ForwardKeysOptions {
  store: Store;
  keys: PipelineKeys<LogPipeline>;
  seal: Seal;
  real: () => number;
}

const triesPerMinute = 120;
const triesAtOnce = 60;
const mostAddresses = 1000;
const mostOpened = 10_000;
const mostRecent = 20; // pipelines per address

export class ForwardKeys {
  readonly #options: ForwardKeysOptions;
  readonly #tries: Throttle;
  readonly #opened = new Map<string, string>(); // keys by their sealed form
  readonly #recent = new Map<string, Map<string, LogPipeline>>(); // by address: pipelines whose key was right

  constructor(options: ForwardKeysOptions) {
    this.#options = options;
    this.#tries = new Throttle(triesPerMinute, triesAtOnce, options.real);
  }

  async find(host: string | undefined, address: string, nonce: Uint8Array, proof: Proof): Promise<Found> {
    const fits = ({ sealedKey }: LogPipeline): string | undefined => {
      const key = this.#open(sealedKey);
      return isEqual(digestOf(proof.salt, proof.hostname, nonce, key), proof.digest) ? key : undefined;
    };
    const number = host === undefined ? undefined : numberOf(host);
    const recent = this.#recent.get(address);
    for (const known of recent?.values() ?? []) {
      const current = fits(known) === undefined ? undefined : await this.#current(known);
      const key = current && fits(current);
      if (current && key !== undefined) return { pipeline: current, key };
    }
    if (this.#tries.take(address) < 0) return 'throttled';
    for await (const pipeline of this.#candidates(number)) {
      const key = fits(pipeline);
      if (key === undefined) continue;
      this.#tries.giveBack(address);
      this.#remember(address, pipeline);
      return { pipeline, key };
    }
    return 'wrong';
  }

  async *#candidates(number: string | undefined): AsyncGenerator<LogPipeline> {
    if (number === undefined) return yield* everyPipeline(this.#options.store, logPipelines);
    const pipeline = await this.#options.keys.pipeline(number);
    if (pipeline) yield pipeline;
  }

  // Reads the current pipeline: its key may have been replaced.
  #current({ number }: LogPipeline): Promise<LogPipeline | undefined> {
    return this.#options.keys.pipeline(String(number));
  }

  #open(sealed: string): string {
    const known = this.#opened.get(sealed);
    if (known !== undefined) return known;
    if (this.#opened.size >= mostOpened) this.#opened.clear();
    const key = this.#options.seal.open(sealed);
    this.#opened.set(sealed, key);
    return key;
  }

  #remember(address: string, pipeline: LogPipeline): void {
    if (this.#recent.size >= mostAddresses) this.#recent.clear();
    const recent = this.#recent.get(address) ?? new Map<string, LogPipeline>();
    if (recent.size >= mostRecent) recent.clear();
    recent.set(pipeline.id, pipeline);
    this.#recent.set(address, recent);
  }
}

export type Found = KnownKey | 'wrong' | 'throttled';

export const digestOf = (salt: Uint8Array, hostname: Uint8Array, nonce: Uint8Array, key: string): string =>
  hash('sha512', Buffer.concat([salt, hostname, nonce, Buffer.from(key)]));

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

// 7-logs.31000001.logging.de-txl.example
const numberOf = (host: string): string | undefined => /^(\d{1,12})-logs\./i.exec(host)?.[1];
