// The bodies of requests: whole, within a limit and a deadline, or as a stream with back pressure. A client that sent
// `Expect: 100-continue` gets the 100 only when the reading begins, so that an earlier refusal costs it no body.
import { Fault } from '../../base/fault.ts';
import { bodyLimits, parseJson, textOf } from '../../base/json.ts';
import { BodyBuffer } from '../../core/body-memory.ts';
import type { Exchange } from './exchange.ts';

const usualLimit = 1024 * 1024;
export const bodyTimeoutMs = 60_000; // for a whole body, and for each next piece of a stream

export function takeBody(x: Exchange): Promise<void> | void {
  const { req, route } = x;
  const announced = demandFitting(x);
  if (!route?.takesBytes && !route?.takesBody && !route?.takesStream) return;
  if (route.takesStream) return;
  const coding = req.headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity' && !route.takesBytes)
    throw new Fault('refused', `The body is encoded (${coding.slice(0, 40)}). Send it without a content encoding.`);
  return takeWhole(x, announced, limitOf(x));
}

// By the length that is announced, which is returned.
export function demandFitting(x: Exchange): number {
  const announced = Number(x.req.headers['content-length'] ?? 0);
  const limit = limitOf(x);
  if (announced > limit) throw tooLarge(limit);
  return announced;
}

// For routes with `takesStream`. Bytes that are not read stay with the client, so memory is bounded. The whole stream
// has no time limit, but each piece has.
export async function* bodyStream(x: Exchange, idleMs = bodyTimeoutMs): AsyncGenerator<Buffer, void> {
  const limit = limitOf(x);
  inviteBody(x);
  const pieces = (x.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let size = 0; ; ) {
    const { done, value } = await within(pieces.next(), idleMs);
    if (done) return;
    size += value.length;
    if (size > limit) throw tooLarge(limit);
    yield value;
  }
}

const limitOf = ({ route }: Exchange): number =>
  route?.bodyLimit ?? (route?.takesStream ? Number.POSITIVE_INFINITY : usualLimit);

function inviteBody(x: Exchange): void {
  if (x.awaitsContinue) x.res?.writeContinue();
  x.awaitsContinue = false;
}

async function within<T>(next: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow()), ms);
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Reads text and JSON, or bytes into a separate buffer, which can be transferred to another thread.
async function takeWhole(x: Exchange, announced: number, limit: number): Promise<void> {
  const buffer = new BodyBuffer(x, announced, limit);
  try {
    await collect(x, limit, (chunk) => buffer.add(chunk));
  } catch (error) {
    buffer.discard(); // listeners of the request still refer to it while its rest is read away
    throw error;
  }
  const bytes = buffer.whole();
  if (x.route?.takesBytes) x.bytes = bytes;
  else if (bytes.length > 0) {
    x.text = textOf(bytes);
    x.body = parseJson(x.text, bodyLimits);
  }
}

// By events: an async iterator costs as much as all other stages of a small request together.
function collect(x: Exchange, limit: number, take: (chunk: Buffer) => void): Promise<void> {
  const { req } = x;
  inviteBody(x);
  return new Promise((resolve, reject) => {
    let size = 0;
    const stop = (error: unknown): void => {
      clearTimeout(timer);
      req.pause().removeAllListeners('data');
      reject(error);
    };
    const timer = setTimeout(() => stop(tooSlow()), bodyTimeoutMs);
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        take(chunk);
      } catch (error) {
        stop(error);
      }
    });
    req.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    req.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const tooLarge = (limit: number): Fault => new Fault('oversized', `The body is larger than ${limit} bytes.`);
const tooSlow = (): Fault => new Fault('timeout', 'The request took too long to arrive.');
