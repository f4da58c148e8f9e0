// Answers that are streams: of bytes, or of server-sent events, with back pressure. A stream ends when the client
// disconnects. A source that waits for anything but its consumer must watch the exchange's `signal`, so that it ends at
// once.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Exchange, Pieces, Reply } from './exchange.ts';

// Waits for the first piece, so that what fails before it can still be answered as a fault.
export async function begun(source: Pieces): Promise<Pieces> {
  const iterator = source[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<string | Uint8Array>> | undefined = iterator.next();
  await first;
  const pieces = {
    next: () => {
      const next = first ?? iterator.next();
      first = undefined;
      return next;
    },
    return: async () => {
      if (source instanceof Readable) source.destroy();
      await iterator.return?.();
      return { done: true as const, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => pieces };
}

// Sends the whole stream after a written head.
export async function sendPieces(x: Exchange, res: ServerResponse, pieces: Pieces, size?: number): Promise<void> {
  const { signal } = x;
  const iterator = pieces[Symbol.asyncIterator]();
  let sent = 0;
  try {
    for (;;) {
      const { done, value } = await untilAborted(iterator.next(), signal);
      if (done) break;
      if (value.length === 0) continue;
      sent += Buffer.byteLength(value);
      if (size !== undefined && sent > size) break;
      if (typeof value !== 'string') await untilAborted(written(res, value), signal);
      else if (!res.write(value)) await once(res, 'drain', { signal });
    }
    if (size !== undefined && sent !== size) throw new Error(`a stream of ${size} bytes has ${sent}`);
    res.end();
  } catch (error) {
    iterator.return?.().catch(() => undefined); // not awaited: a source that waits ends when it is done with that
    if (!signal.aborted && !x.isGone) throw error; // a client that left needs no answer
  }
}

// Resolves when the system has the bytes: their source may reuse the memory for the next ones.
const written = (res: ServerResponse, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    res.write(bytes, (error) => (error ? reject(error) : resolve()));
  });

// For a stream that is not read to its end.
export function discard(source: Pieces): void {
  if (source instanceof Readable) source.destroy();
  else
    source[Symbol.asyncIterator]()
      .return?.()
      .catch(() => undefined);
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export type Send = (text: string) => Promise<void>;

// A function that sends its pieces, as a stream: each `send` resolves when the piece was taken, and rejects when no
// more are wanted.
export async function* piecesOf(produce: (send: Send) => Promise<void>): AsyncGenerator<string, void> {
  let offered = Promise.withResolvers<string | undefined>();
  let taken = Promise.withResolvers<void>();
  const send: Send = (text) => {
    offered.resolve(text);
    return taken.promise;
  };
  produce(send).then(() => offered.resolve(undefined), offered.reject);
  try {
    for (;;) {
      const text = await offered.promise;
      if (text === undefined) return;
      yield text;
      offered = Promise.withResolvers();
      const { resolve } = taken;
      taken = Promise.withResolvers();
      resolve();
    }
  } finally {
    taken.promise.catch(() => undefined);
    taken.reject(new Error('no more pieces are wanted'));
  }
}

export interface ServerSentEvent {
  event?: string;
  id?: string;
  data?: string;
  retryMs?: number; // after which the client connects again
  comment?: string; // a first one makes the answer begin before there is an event
}

const keepAliveMs = 15_000;

export const eventStream = (x: Exchange, events: AsyncIterable<ServerSentEvent>, aliveMs = keepAliveMs): Reply => ({
  status: 200,
  type: 'text/event-stream',
  headers: ['Cache-Control', 'no-cache'],
  stream: encoded(x.signal, events, aliveMs),
});

// While nothing happens, comments keep proxies from closing the connection.
async function* encoded(
  signal: AbortSignal,
  events: AsyncIterable<ServerSentEvent>,
  aliveMs: number,
): AsyncGenerator<string, void> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = untilAborted(iterator.next(), signal);
      let result = await orIdle(next, aliveMs);
      for (; result === 'idle'; result = await orIdle(next, aliveMs)) yield ':\n\n';
      if (result.done) return;
      yield encode(result.value);
    }
  } finally {
    iterator.return?.().catch(() => undefined);
  }
}

async function orIdle<T>(next: Promise<T>, ms: number): Promise<T | 'idle'> {
  const { promise: idle, resolve } = Promise.withResolvers<'idle'>();
  const timer = setTimeout(resolve, ms, 'idle');
  try {
    return await Promise.race([next, idle]);
  } finally {
    clearTimeout(timer);
  }
}

function encode({ event, id, data, retryMs, comment }: ServerSentEvent): string {
  const lines = [
    ...(comment === undefined ? [] : comment.split(/\r\n|\r|\n/).map((line) => `: ${line}`)),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(data === undefined ? [] : data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)),
  ];
  return `${lines.join('\n')}\n\n`;
}
