// Calls to an upstream. Each failure becomes an engine error: mistakes of the client are reported in the upstream's
// words, all other failures without them.
import { isObject, type Json } from '../../../base/json.ts';
import { traceHeaders } from '../../../base/trace/trace-context.ts';
import { ServerWatch } from '../../../core/engines/server-watch.ts';
import { EngineError } from '../engine.ts';
import { eventsIn } from './event-lines.ts';

const defaultIdleMs = 120_000; // a large model may take long before its first token
const longestMessage = 2000;
const longestError = 100_000;
const maxAnswerBytes = 64 * 1024 * 1024; // an image; a group of embeddings has a few MB
const maxStreamedBytes = 256 * 1024 * 1024;

export interface UpstreamReply<T> {
  body: T;
  servedBy: string | undefined; // as reported by another region
}

export interface Upstream {
  readonly host: string;
  // Without a body it is a GET.
  ask<T extends object>(path: string, body: object | undefined, signal: AbortSignal): Promise<UpstreamReply<T>>;
  // The events of a stream until [DONE]. A stream that ends before that is broken.
  stream<T extends object>(path: string, body: object, signal: AbortSignal): AsyncGenerator<T>;
}

export function upstreamAt(address: string, givenKey = '', idleMs = defaultIdleMs): Upstream {
  const url = new URL(address);
  const key = givenKey || decodeURIComponent(url.password || url.username);
  url.username = '';
  url.password = '';
  const base = url.href.replace(/\/+$/, '');
  const { host } = url;
  const watch = new ServerWatch(`${base}/models`); // answered while a model takes long
  const headers = {
    'content-type': 'application/json',
    ...(key !== '' && { authorization: `Bearer ${key}` }),
  };
  // Runs with a signal that is also aborted when nothing arrives for a while; `alive` restarts that time.
  const guarded = async function* <T>(
    outer: AbortSignal,
    work: (signal: AbortSignal, alive: () => void) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    const late = new AbortController();
    let timer = setTimeout(() => late.abort(), idleMs);
    const leave = watch.follow(() => late.abort(new EngineError('crashed', `The upstream ${host} does not answer.`)));
    const alive = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => late.abort(), idleMs);
    };
    try {
      yield* work(AbortSignal.any([outer, late.signal]), alive);
    } catch (error) {
      outer.throwIfAborted();
      if (late.signal.reason instanceof EngineError) throw late.signal.reason;
      if (late.signal.aborted)
        throw new EngineError('time-out', `The upstream ${host} has sent nothing for ${idleMs / 1000} s.`);
      throw error instanceof EngineError ? error : broken(host);
    } finally {
      clearTimeout(timer);
      leave();
    }
  };
  const send = async (path: string, body: object | undefined, signal: AbortSignal): Promise<Response> => {
    let response: Response;
    try {
      const all = { ...headers, ...traceHeaders() };
      const sent = body ? { method: 'POST', headers: all, body: JSON.stringify(body) } : { headers: all };
      response = await fetch(base + path, { ...sent, redirect: 'error', signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new EngineError('crashed', `The upstream ${host} can't be reached${codeOf(error)}.`);
    }
    if (!response.ok) throw await refusal(host, response);
    return response;
  };
  return {
    host,
    async ask<T extends object>(path: string, sent: object | undefined, outer: AbortSignal): Promise<UpstreamReply<T>> {
      const answers = guarded(outer, async function* (signal) {
        const response = await send(path, sent, signal);
        const servedBy = response.headers.get('x-served-by') ?? undefined;
        yield { body: JSON.parse(await textWithin(response, maxAnswerBytes)) as Json, servedBy };
      });
      for await (const { body, servedBy } of answers)
        if (isObject(body)) return { body: body as unknown as T, servedBy };
      throw broken(host);
    },
    stream<T extends object>(path: string, body: object, outer: AbortSignal): AsyncGenerator<T> {
      return guarded(outer, async function* (signal, alive) {
        const response = await send(path, body, signal);
        if (!response.body) throw broken(host);
        for await (const data of eventsIn(within(response.body, maxStreamedBytes), alive)) {
          if (data === '[DONE]') return;
          const event = JSON.parse(data) as Json;
          if (!isObject(event)) throw broken(host);
          if (event.error !== undefined && event.error !== null)
            throw new EngineError('crashed', `The upstream ${host} failed in the middle of its answer.`);
          yield event as unknown as T;
        }
        throw broken(host);
      });
    },
  };
}

const broken = (host: string): EngineError =>
  new EngineError('crashed', `The answer of the upstream ${host} broke off, or is not valid.`);

async function* within(body: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error('the answer is too long'); // also ends the connection
    yield piece;
  }
}

async function textWithin({ body }: Response, mostBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  if (body) for await (const piece of within(body, mostBytes)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function codeOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}

// A date, the header's other form, counts as absent.
function secondsIn(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

async function refusal(host: string, response: Response): Promise<EngineError> {
  const { status } = response;
  const { message, code } = errorIn(await textWithin(response, longestError).catch(() => ''));
  if (status === 429)
    return new EngineError('overloaded', `The upstream ${host} is overloaded.`, secondsIn(response.headers));
  if (status === 408 || status === 504) return new EngineError('time-out', `The upstream ${host} took too long.`);
  if (status === 401 || status === 403)
    return new EngineError('crashed', `The upstream ${host} does not accept the key of this region.`);
  if (status === 404) return new EngineError('crashed', `The upstream ${host} does not have this model or this call.`);
  if (status >= 500) return new EngineError('crashed', `The upstream ${host} failed with status ${status}.`);
  const isTooLong = code === 'context_length_exceeded' || /maximum context length|context (window|size)/i.test(message);
  const reason = message.slice(0, longestMessage) || `The upstream ${host} refused the request with status ${status}.`;
  return new EngineError(isTooLong ? 'too-long' : 'refused', reason);
}

// OpenAI's form of an error, or other common ones.
function errorIn(text: string): { message: string; code: string } {
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown; detail?: unknown };
    const error = isObject(body.error) ? body.error : { message: body.error ?? body.message ?? body.detail };
    const { message, code } = error as { message?: unknown; code?: unknown };
    return { message: typeof message === 'string' ? message : '', code: String(code ?? '') };
  } catch {
    return { message: '', code: '' };
  }
}
