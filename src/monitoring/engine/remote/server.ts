// A client for a Prometheus-compatible server with an address like prometheus+http://user:password@host:port/path. The
// paths of the API are below the address; `?write=URL or path` sets another target for writes.
import { Fault } from '../../../base/fault.ts';
import { traceHeaders } from '../../../base/trace/trace-context.ts';
import { retryAfterS, ServerWatch } from '../../../core/engines/server-watch.ts';

const limitMs = 60_000;

export interface Reply {
  status: number;
  text: string;
}

export class Server {
  readonly #base: URL;
  readonly #write: URL;
  readonly #headers: Record<string, string>;
  readonly #shown: string;
  readonly #watch: ServerWatch;

  constructor(address: string) {
    const given = parsed(address);
    this.#headers = given.username || given.password ? { Authorization: basic(given) } : {};
    this.#base = new URL(given.pathname.replace(/\/*$/, '/'), given.origin);
    this.#write = new URL(given.searchParams.get('write') ?? 'api/v1/write', this.#base);
    this.#shown = given.host;
    this.#watch = new ServerWatch(this.#base);
  }

  push(body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): Promise<Reply> {
    return this.#call(this.#write, { method: 'POST', body, headers: { ...this.#headers, ...headers } });
  }

  // As a form, because selectors may be longer than a URL allows.
  post(path: string, parameters: Parameters): Promise<Reply> {
    return this.#call(new URL(path, this.#base), {
      method: 'POST',
      body: new URLSearchParams(parameters),
      headers: this.#headers,
    });
  }

  get(path: string, parameters: Parameters): Promise<Reply> {
    const url = new URL(path, this.#base);
    url.search = new URLSearchParams(parameters).toString();
    return this.#call(url, { headers: this.#headers });
  }

  // Returns the data of the answer; a failure is a fault.
  async data(reply: Promise<Reply>): Promise<unknown> {
    const { status, text } = await reply;
    const answer = readAnswer(text);
    if (status < 300 && answer?.status === 'success') return answer.data;
    const why = answer?.error ?? `it answered ${status}`;
    const kind = status === 400 || status === 422 ? 'refused' : 'unavailable';
    throw new Fault(kind, `${this.#shown}: ${shortened(why)}`, kind === 'refused' ? {} : { retryAfterS });
  }

  async #call(url: URL, request: RequestInit): Promise<Reply> {
    let reply: Reply;
    try {
      reply = await this.#watch.during(async (silent) => {
        const signal = AbortSignal.any([silent, AbortSignal.timeout(limitMs)]);
        const headers = { ...request.headers, ...traceHeaders() };
        const answer = await fetch(url, { ...request, headers, redirect: 'error', signal });
        return { status: answer.status, text: await answer.text() };
      });
    } catch (cause) {
      throw new Fault('unavailable', `the metric server ${this.#shown} does not answer`, { cause, retryAfterS });
    }
    if (reply.status < 500 && reply.status !== 429) return reply;
    const message = `the metric server ${this.#shown} answered ${reply.status}: ${shortened(reply.text)}`;
    throw new Fault('unavailable', message, { retryAfterS });
  }
}

export type Parameters = [name: string, value: string][];

function parsed(address: string): URL {
  const url = /^prometheus\+(https?:\/\/.+)$/.exec(address)?.[1];
  if (!url || !URL.canParse(url))
    throw new Fault(
      'refused',
      `${address.replace(/\/\/.*@/, '//')} is not a valid address such as prometheus+http://host:8428`,
    );
  return new URL(url);
}

function basic({ username, password }: URL): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function readAnswer(text: string): { status?: string; error?: string; data?: unknown } | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

export const shortened = (text: string): string => text.trim().slice(0, 300);
