// A client of the Docker Engine API over a unix socket: JSON calls, streamed responses, and connections that the engine
// hands over as raw bytes.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Json } from '../../../base/json.ts';
import { EngineError, unreachable } from './engine-error.ts';

export type Query = Record<string, string | number | boolean | undefined>;

export interface CallOptions {
  query?: Query;
  body?: Json; // as JSON
  stream?: Readable; // instead: raw bytes, such as a tar archive
  limitMs?: number; // until the response begins; default: a minute
  signal?: AbortSignal;
}

const usualLimitMs = 60_000;

export class DockerApi {
  readonly socketPath: string;

  constructor(socketPath: string) {
    this.socketPath = socketPath;
  }

  // The parsed response; undefined if it has no body.
  async json<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const answer = await text(await this.stream(method, path, options));
    return (answer === '' ? undefined : JSON.parse(answer)) as T;
  }

  // The response body as it arrives.
  async stream(method: string, path: string, options: CallOptions = {}): Promise<IncomingMessage> {
    const answer = await this.#send(method, path, options);
    const status = answer.statusCode ?? 0;
    if (status < 300 || status === 304) return answer;
    throw new EngineError(status, messageOf(await text(answer)));
  }

  // Undefined if the engine does not know the object.
  async find<T>(path: string, query?: Query): Promise<T | undefined> {
    try {
      return await this.json<T>('GET', path, query ? { query } : {});
    } catch (error) {
      if (error instanceof EngineError && error.status === 404) return undefined;
      throw error;
    }
  }

  // Removals and stops: an object that is already missing, or in that state, is not an error.
  async settle(method: string, path: string, query?: Query, allowed: readonly number[] = [404]): Promise<void> {
    try {
      await this.json(method, path, query ? { query } : {});
    } catch (error) {
      if (!(error instanceof EngineError && allowed.includes(error.status))) throw error;
    }
  }

  // A connection that carries raw bytes in both directions after the response.
  connect(path: string, options: Pick<CallOptions, 'query' | 'body'> = {}): Promise<Duplex> {
    const payload = options.body === undefined ? '' : JSON.stringify(options.body);
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        socketPath: this.socketPath,
        method: 'POST',
        path: target(path, options.query),
        headers: {
          Host: 'engine',
          Connection: 'Upgrade',
          Upgrade: 'tcp',
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(payload),
        },
      });
      request.on('upgrade', (_, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      request.on('response', (answer) => {
        text(answer).then((said) => reject(new EngineError(answer.statusCode ?? 0, messageOf(said))), reject);
      });
      request.on('error', (error) => reject(unreachable(this.socketPath, error)));
      request.end(payload);
    });
  }

  #send(method: string, path: string, options: CallOptions): Promise<IncomingMessage> {
    const { query, body, stream, limitMs = usualLimitMs, signal } = options;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers: Record<string, string | number> = { Host: 'engine' };
    if (payload !== undefined) {
      headers['Content-Type'] = 'application/json';
      headers['Content-Length'] = Buffer.byteLength(payload);
    } else if (stream) headers['Content-Type'] = 'application/x-tar';
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          socketPath: this.socketPath,
          method,
          path: target(path, query),
          headers,
          agent: false,
          ...(signal && { signal }),
        },
        (answer) => {
          request.setTimeout(0);
          resolve(answer);
        },
      );
      request.setTimeout(limitMs, () => request.destroy(new Error(`no response within ${limitMs / 1000} s`)));
      request.on('error', (error) => reject(signal?.aborted ? error : unreachable(this.socketPath, error)));
      if (stream) pipeline(stream, request).catch(reject);
      else request.end(payload);
    });
  }
}

function target(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? path : `${path}?${search}`;
}

function messageOf(answer: string): string {
  try {
    return String((JSON.parse(answer) as { message?: string }).message ?? answer);
  } catch {
    return answer;
  }
}

// The JSON objects of a response with one per line, such as events or the progress of a pull.
export async function* jsonLines<T>(answer: Readable): AsyncGenerator<T> {
  let rest = '';
  answer.setEncoding('utf8');
  for await (const chunk of answer) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
  }
  if (rest.trim() !== '') yield JSON.parse(rest) as T;
}

export const filters = (values: Record<string, readonly string[]>): string => JSON.stringify(values);
