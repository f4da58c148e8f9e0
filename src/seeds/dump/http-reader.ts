// Reads a region or the platform through its public API. It sends nothing but GET, a bounded number at once, waits
// where the server asks for it, and repeats calls that fail temporarily.
import { setTimeout as wait } from 'node:timers/promises';
import { machineTime } from '../../base/clock.ts';
import { isObject, type Values } from '../../base/json.ts';
import { messagesOf } from '../seed-client.ts';

export interface Reader {
  // `path`: as the gateway of a region has it, such as /de-txl/monitoring/pipelines. Throws Unreadable.
  get(path: string): Promise<Values>;
}

export interface HttpReaderOptions {
  urlOf(path: string): string;
  token: string;
  atOnce?: number;
  pauseMs?: number; // before the second attempt; doubled for each further one
}

export class Unreadable extends Error {
  readonly status: number; // 0: no answer
  readonly isUnknownHost: boolean;

  constructor(status: number, reason: string, isUnknownHost = false) {
    super(reason);
    this.status = status;
    this.isUnknownHost = isUnknownHost;
  }
}

const answerMs = 120_000; // a long page of a large contract takes its time
const mostAttempts = 4;
const mostThrottled = 30; // answers of 429, for one call
const mostWaitS = 120;

export class HttpReader implements Reader {
  readonly #options: Required<HttpReaderOptions>;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #pausedUntil = 0;

  constructor(options: HttpReaderOptions) {
    this.#options = { atOnce: 8, pauseMs: 500, ...options };
  }

  async get(path: string): Promise<Values> {
    if (this.#running >= this.#options.atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await this.#repeated(path);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #repeated(path: string): Promise<Values> {
    let failures = 0;
    for (let throttled = 0; ; ) {
      await wait(Math.max(0, this.#pausedUntil - machineTime()));
      const answer = await this.#attempt(path);
      if (!(answer instanceof Unreadable)) return answer;
      if (answer.status === 429 && ++throttled < mostThrottled) continue;
      const isTemporary = (answer.status === 0 && !answer.isUnknownHost) || answer.status >= 500;
      if (!isTemporary || ++failures >= mostAttempts) throw answer;
      await wait(this.#options.pauseMs * 2 ** (failures - 1));
    }
  }

  async #attempt(path: string): Promise<Values | Unreadable> {
    const { urlOf, token, pauseMs } = this.#options;
    try {
      const answer = await fetch(urlOf(path), {
        headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
        redirect: 'manual', // the token must not go elsewhere
        signal: AbortSignal.timeout(answerMs),
      });
      if (answer.status === 429) this.#pause(answer.headers.get('retry-after'), pauseMs);
      const body = jsonOf(await answer.text());
      if (answer.status === 200 && body) return body;
      return new Unreadable(answer.status, this.#reasonOf(answer.status, body));
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as { code?: string };
      const isUnknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
      const name = (error as Error).name === 'TimeoutError' ? 'no answer in time' : (code ?? 'the connection failed');
      return new Unreadable(0, isUnknown ? 'unknown host' : String(name), isUnknown);
    }
  }

  // All calls wait: the limit is that of the account.
  #pause(retryAfter: string | null, usualMs: number): void {
    const seconds = Number(retryAfter ?? Number.NaN);
    const dateMs = Date.parse(retryAfter ?? '') - machineTime();
    const givenMs = Number.isFinite(seconds) ? seconds * 1000 : dateMs;
    const pauseMs = Number.isFinite(givenMs) ? Math.min(Math.max(givenMs, 0), mostWaitS * 1000) : usualMs * 2;
    this.#pausedUntil = Math.max(this.#pausedUntil, machineTime() + pauseMs);
  }

  // A server may repeat what it was sent.
  #reasonOf(status: number, body: Values | undefined): string {
    if (status === 200) return 'the answer is not JSON';
    const said = body && Array.isArray(body.messages) ? messagesOf(body).join(' ') : '';
    return `${status}${said === '' ? '' : ` ${said}`}`.replaceAll(this.#options.token, '…').slice(0, 300);
  }
}

function jsonOf(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value as Values) ? (value as Values) : undefined;
  } catch {
    return undefined;
  }
}
