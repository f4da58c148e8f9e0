// Follows a query on a WebSocket, like Loki's tail: first the last lines before now, then new ones. Lines arrive late
// and out of order, so each round searches the last while again, and skips the lines already sent.
import { hash } from 'node:crypto';
import type { WebSocket } from 'ws';
import { Fault } from '../../base/fault.ts';
import type { Exchange } from '../../surface/http/exchange.ts';
import type { LogStore } from '../store.ts';
import { encodingFlags, parseTime } from './parameters.ts';

const everyMs = 1000;
const overlapNs = 60_000_000_000n;
const mostTails = 10; // tails per pipeline
const mostDelayS = 5;
const mostSent = 50_000; // remembered lines
const mostBuffered = 4 * 1024 * 1024; // bytes that a slow client has not received
const roundLimit = 5000;
const defaultLimit = 10;
const policyViolation = 1008;
const tryAgain = 1013;

interface TailedStream {
  stream: Record<string, string>;
  values: [timeNs: string, line: string, more?: unknown][];
}

interface Round {
  times: bigint[]; // times of the lines found
  isFull: boolean; // there may be more lines
}

export interface TailTools {
  store: Pick<LogStore, 'ask'>;
  now: () => number;
}

export class Tails {
  readonly #tools: TailTools;
  readonly #open = new Map<string, number>(); // by pipeline

  constructor(tools: TailTools) {
    this.#tools = tools;
  }

  async follow(x: Exchange, socket: WebSocket, tenant: string): Promise<void> {
    const count = this.#open.get(tenant) ?? 0;
    if (count >= mostTails) {
      socket.close(tryAgain, `A pipeline can have at most ${mostTails} tails at a time. Close another one first.`);
      return;
    }
    this.#open.set(tenant, count + 1);
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    x.signal.addEventListener('abort', () => gone.abort(), { once: true, signal: gone.signal });
    socket.on('message', () => {}); // messages of clients are ignored
    try {
      await new Tail(this.#tools, x, socket, tenant, gone.signal).run();
    } catch (error) {
      if (!(error instanceof Fault) && !gone.signal.aborted) throw error;
      socket.close(tryAgain, error instanceof Error ? error.message.slice(0, 120) : '');
    } finally {
      const left = (this.#open.get(tenant) ?? 1) - 1;
      if (left > 0) this.#open.set(tenant, left);
      else this.#open.delete(tenant);
    }
  }
}

class Tail {
  readonly #tools: TailTools;
  readonly #x: Exchange;
  readonly #socket: WebSocket;
  readonly #tenant: string;
  readonly #signal: AbortSignal;
  readonly #sent = new Map<string, bigint>(); // times of lines by a digest of their content

  constructor(tools: TailTools, x: Exchange, socket: WebSocket, tenant: string, signal: AbortSignal) {
    this.#tools = tools;
    this.#x = x;
    this.#socket = socket;
    this.#tenant = tenant;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { search } = this.#x;
    const delayS = Number(search.get('delay_for') || 0);
    const limit = Number(search.get('limit') || defaultLimit);
    if (!(delayS >= 0 && delayS <= mostDelayS)) {
      this.#socket.close(policyViolation, `delay_for can't be greater than ${mostDelayS}`);
      return;
    }
    const delayNs = BigInt(Math.trunc(delayS)) * 1_000_000_000n;
    const beganNs = this.#nowNs();
    const startNs = parseTime(search.get('start') ?? '') ?? beganNs - 3_600_000_000_000n;
    // The newest existing lines first, then all new ones.
    const newest = Math.min(roundLimit, Math.max(1, limit));
    let isOpen = (await this.#round(startNs, beganNs - delayNs, 'backward', newest)) !== undefined;
    while (isOpen && !this.#signal.aborted) {
      await this.#pause();
      if (this.#signal.aborted) return;
      const nowNs = this.#nowNs();
      const since = nowNs - overlapNs;
      isOpen = await this.#catchUp(since > beganNs ? since : beganNs - delayNs, nowNs - delayNs + 1n);
      for (const [key, timeNs] of this.#sent) if (timeNs < since) this.#sent.delete(key);
    }
  }

  // Runs rounds until there are no more lines up to now. False: the socket is closed.
  async #catchUp(since: bigint, toNs: bigint): Promise<boolean> {
    for (let fromNs = since; ; ) {
      const round = await this.#round(fromNs, toNs, 'forward', roundLimit);
      if (!round) return false;
      const last = round.times.reduce((latest, time) => (time > latest ? time : latest), fromNs);
      if (!round.isFull || last === fromNs) return true;
      fromNs = last;
    }
  }

  #nowNs(): bigint {
    return BigInt(Math.trunc(this.#tools.now() * 1000)) * 1000n;
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = (): void => resolve();
    const timer = setTimeout(done, everyMs).unref();
    this.#signal.addEventListener('abort', done, { once: true });
    await promise;
    clearTimeout(timer);
    this.#signal.removeEventListener('abort', done);
  }

  // Undefined: the query is invalid, and the socket is closed.
  async #round(fromNs: bigint, toNs: bigint, direction: string, limit: number): Promise<Round | undefined> {
    if (toNs <= fromNs) return { times: [], isFull: false };
    const parameters = new URLSearchParams({
      query: this.#x.search.get('query') ?? '',
      start: padded(fromNs),
      end: padded(toNs),
      direction,
      limit: String(limit),
    });
    const flags = this.#x.req.headers[encodingFlags.toLowerCase()];
    if (flags !== undefined) parameters.set(encodingFlags, String(flags));
    const question = {
      tenant: this.#tenant,
      path: 'tail',
      parameters: parameters.toString(),
      nowMs: this.#tools.now(),
    };
    const origin = { group: String(this.#x.who.contract), signal: this.#signal };
    const { status, body } = await this.#tools.store.ask(question, origin);
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    const text = Buffer.concat(parts).toString('utf8');
    if (status !== 200) {
      this.#socket.close(
        policyViolation,
        Buffer.from(text)
          .subarray(0, 120)
          .toString('utf8')
          .replace(/\uFFFD$/, ''),
      );
      return undefined;
    }
    const { streams, isFull } = JSON.parse(text) as { streams: TailedStream[]; isFull: boolean };
    this.#send(streams, flags !== undefined, direction);
    const times = streams.flatMap(({ values }) => values.map(([timeNs]) => BigInt(timeNs)));
    return { times, isFull: isFull || times.length >= limit };
  }

  #send(found: TailedStream[], isCategorized: boolean, direction: string): void {
    const streams: TailedStream[] = [];
    for (const { stream, values } of found) {
      const name = JSON.stringify(stream);
      const fresh = values.filter(([timeNs, line]) => this.#isNew(`${timeNs} ${name} ${line}`, BigInt(timeNs)));
      if (direction === 'backward') fresh.reverse();
      if (fresh.length > 0) streams.push({ stream, values: fresh });
    }
    if (streams.length === 0) return;
    // Lines that a slow client does not receive are reported as dropped, as in Loki.
    if (this.#socket.bufferedAmount > mostBuffered) {
      if (this.#socket.bufferedAmount > 2 * mostBuffered) this.#socket.terminate(); // it does not even receive these
      const dropped = streams.flatMap(({ stream, values }) =>
        values.map(([timestamp]) => ({ timestamp, labels: stream })),
      );
      this.#socket.send(JSON.stringify({ streams: [], dropped_entries: dropped.slice(0, 100) }));
      return;
    }
    this.#socket.send(JSON.stringify({ streams, ...(isCategorized && { encodingFlags: ['categorize-labels'] }) }));
  }

  #isNew(line: string, timeNs: bigint): boolean {
    const key = hash('sha256', line, 'base64');
    if (this.#sent.has(key)) return false;
    if (this.#sent.size >= mostSent) this.#sent.delete(this.#sent.keys().next().value as string);
    this.#sent.set(key, timeNs);
    return true;
  }
}

// Times with eleven digits or more are nanoseconds.
const padded = (ns: bigint): string => String(ns < 10_000_000_000n ? 10_000_000_000n : ns);
