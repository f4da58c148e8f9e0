// Reads a region or the platform through its public API. It sends nothing but GET, a bounded number at once, waits
// where the server asks for it, and repeats calls that fail temporarily.
import { setTimeout as wait } from 'node:timers/promises';
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isObject, type Values } from '../../base/json.ts';
import type { OutboundFetch } from '../../base/outbound/outbound-fetch.ts';
import { CallSlots } from '../call-slots.ts';
import { mostThrottled, retryAfterOf } from '../retry-after.ts';
import { messagesOf } from '../seed-client.ts';

export interface Reader {
  // `path`: as the gateway of a region has it, such as /de-txl/monitoring/pipelines. Throws Unreadable.
  get(path: string): Promise<Values>;
}

export interface HttpReaderOptions {
  urlOf(path: string): string;
  token: string;
  signal?: AbortSignal | undefined; // ends it
  fetch?: OutboundFetch | undefined; // instead of the fetch of Node
  atOnce?: number;
  pauseMs?: number; // before the second attempt; doubled for each further one
}

export class Unreadable extends Error {
  readonly status: number; // 0: no answer
  readonly isUnknownHost: boolean;
  readonly retryAfterMs: number | undefined; // as the server asked for

  constructor(
    status: number,
    reason: string,
    more: { isUnknownHost?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(reason);
    this.status = status;
    this.isUnknownHost = more.isUnknownHost ?? false;
    this.retryAfterMs = more.retryAfterMs;
  }
}

const answerMs = 120_000; // a long page of a large contract takes its time
const mostAttempts = 4;

export class HttpReader implements Reader {
  readonly #options: Required<Omit<HttpReaderOptions, 'signal' | 'fetch'>>;
  readonly #signal: AbortSignal;
  readonly #fetch: OutboundFetch;
  readonly #slots: CallSlots;
  #pausedUntil = 0;
  readonly #silentHosts = new Set<string>(); // that answered none of the attempts of a call

  constructor({ signal, fetch: outbound = fetch, ...options }: HttpReaderOptions) {
    this.#fetch = outbound;
    this.#signal = signal ?? new AbortController().signal;
    this.#options = { atOnce: 8, pauseMs: 500, ...options };
    this.#slots = new CallSlots(this.#options.atOnce);
  }

  get(path: string): Promise<Values> {
    return this.#slots.run(() => this.#repeated(path));
  }

  async #repeated(path: string): Promise<Values> {
    const { host } = new URL(this.#options.urlOf(path));
    let failures = 0;
    for (let throttled = 0; ; ) {
      await this.#pauseFor(Math.max(0, this.#pausedUntil - machineTime()));
      const answer = await this.#attempt(path);
      const isSilent = answer instanceof Unreadable && answer.status === 0;
      if (!isSilent) this.#silentHosts.delete(host);
      if (!(answer instanceof Unreadable)) return answer;
      if (answer.status === 429 && ++throttled < mostThrottled) continue;
      const isTemporary = (isSilent && !answer.isUnknownHost) || answer.status >= 500;
      if (!isTemporary || ++failures >= mostAttempts || (isSilent && this.#silentHosts.has(host))) {
        if (isSilent) this.#silentHosts.add(host);
        throw answer;
      }
      await this.#pauseFor(answer.retryAfterMs ?? this.#options.pauseMs * 2 ** (failures - 1));
    }
  }

  async #attempt(path: string): Promise<Values | Unreadable> {
    const { urlOf, token, pauseMs } = this.#options;
    try {
      const answer = await this.#fetch(urlOf(path), {
        headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
        redirect: 'manual', // the token must not go elsewhere
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(answerMs)]),
      });
      const retryAfterMs = retryAfterOf(answer.headers);
      if (answer.status === 429) this.#pause(retryAfterMs ?? pauseMs * 2);
      const body = jsonOf(await answer.text());
      if (answer.status === 200 && body) return body;
      return new Unreadable(answer.status, this.#reasonOf(answer.status, body), { retryAfterMs });
    } catch (error) {
      this.#signal.throwIfAborted();
      if (error instanceof Fault) throw error;
      const { code } = ((error as Error).cause ?? error) as { code?: string };
      const isUnknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
      const name = (error as Error).name === 'TimeoutError' ? 'no answer in time' : (code ?? 'the connection failed');
      return new Unreadable(0, isUnknown ? 'unknown host' : (words[name] ?? name), { isUnknownHost: isUnknown });
    }
  }

  #pauseFor(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#signal });
  }

  // All calls wait: the limit is that of the account.
  #pause(pauseMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, machineTime() + pauseMs);
  }

  // A server may repeat what it was sent.
  #reasonOf(status: number, body: Values | undefined): string {
    if (status === 200) return 'the answer is not JSON';
    const said = body && Array.isArray(body.messages) ? messagesOf(body).join(' ') : '';
    const reason = `${status}${said === '' ? '' : ` ${said}`}`.replaceAll(this.#options.token, '…').slice(0, 300);
    return reason.replace(/\.+$/, ''); // the message around it has its own full stop
  }
}

// Why there is no answer, by the system's code.
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak HTTPS',
};

function jsonOf(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value as Values) ? (value as Values) : undefined;
  } catch {
    return undefined;
  }
}
