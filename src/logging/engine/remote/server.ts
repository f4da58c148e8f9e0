// A client for a log server with an address like loki+http://user:password@host:port/path or victorialogs+http://…. The
// paths of its API are below the address.
import { Fault } from '../../../base/fault.ts';
import { traceHeaders } from '../../../base/trace/trace-context.ts';
import { retryAfterS, ServerWatch } from '../../../core/engines/server-watch.ts';

const limitMs = 60_000;

export type Parameters = Readonly<Record<string, string>>;

export class Server {
  readonly #base: URL;
  readonly #headers: Record<string, string>;
  readonly #shown: string;
  readonly #watch: ServerWatch;

  constructor(address: string) {
    const [, url = ''] = /^\w+\+(https?:\/\/.+)$/.exec(address) ?? [];
    if (!URL.canParse(url))
      throw new Fault(
        'refused',
        `${withoutPassword(address)} is not a valid address such as loki+http://HOST:PORT or victorialogs+http://HOST`,
      );
    const given = new URL(url);
    this.#headers = given.username || given.password ? { Authorization: basic(given) } : {};
    this.#base = new URL(given.pathname.replace(/\/*$/, '/'), given.origin);
    this.#shown = given.host;
    this.#watch = new ServerWatch(this.#base);
  }

  // Returns the text of the answer; a failure is a fault.
  async post(path: string, body: string | URLSearchParams, headers: Parameters, signal?: AbortSignal): Promise<string> {
    return this.#call(
      new URL(path, this.#base),
      { method: 'POST', body, headers: { ...this.#headers, ...headers } },
      signal,
    );
  }

  async get(path: string, parameters: Parameters, headers: Parameters, signal?: AbortSignal): Promise<string> {
    const url = new URL(path, this.#base);
    url.search = new URLSearchParams(parameters).toString();
    return this.#call(url, { headers: { ...this.#headers, ...headers } }, signal);
  }

  async #call(url: URL, request: RequestInit, signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted();
    let status: number;
    let text: string;
    try {
      ({ status, text } = await this.#watch.during(async (watched) => {
        const until = AbortSignal.any([watched, AbortSignal.timeout(limitMs)]);
        const headers = { ...request.headers, ...traceHeaders() };
        const answer = await fetch(url, { ...request, headers, redirect: 'error', signal: until });
        return { status: answer.status, text: await answer.text() };
      }, signal));
    } catch (cause) {
      signal?.throwIfAborted();
      throw new Fault('unavailable', `the log server ${this.#shown} does not answer`, { cause, retryAfterS });
    }
    if (status < 300) return text;
    const isRefusal = status >= 400 && status < 500 && status !== 429;
    const message = `the log server ${this.#shown} answered ${status}: ${text.trim().slice(0, 300)}`;
    throw isRefusal ? new Fault('refused', message) : new Fault('unavailable', message, { retryAfterS });
  }
}

const withoutPassword = (address: string): string => address.replace(/\/\/.*@/, '//…@');

function basic({ username, password }: URL): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
