// The bodies of requests: whole, within a limit and a deadline, or as a stream with back pressure. A client that sent
// `Expect: 100-continue` is told to go on only when the reading begins, so a refusal before costs it no body.
import { Fault } from '../../base/fault.ts';
import { bodyLimits, parseJson, textOf } from '../../base/json.ts';
import type { Exchange } from './exchange.ts';

const usualLimit = 1024 * 1024;
export const bodyTimeoutMs = 60_000; // for a whole body, and for each next piece of a stream

export function takeBody(x: Exchange): Promise<void> | void {
  const { req, route } = x;
  if (!route?.takesBytes && !route?.takesBody && !route?.takesStream) return;
  const limit = limitOf(x);
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  if (route.takesStream) return;
  const coding = req.headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity' && !route.takesBytes)
    throw new Fault('refused', `The body is encoded (${coding.slice(0, 40)}): send it as it is.`);
  return route.takesBytes ? takeBytes(x, announced, limit) : takeJson(x, limit);
}

// For routes with `takesStream`. What is not read stays in the client's hands, so memory is bounded. A stream may take
// as long as it likes, but for each piece only so long.
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

async function takeJson(x: Exchange, limit: number): Promise<void> {
  const chunks: Buffer[] = [];
  await collect(x, limit, (chunk) => void chunks.push(chunk));
  if (chunks.length === 0) return;
  x.text = textOf(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  x.body = parseJson(x.text, bodyLimits);
}

// Into one buffer of its own, so that it can be transferred to another thread.
async function takeBytes(x: Exchange, announced: number, limit: number): Promise<void> {
  let bytes = new Uint8Array(announced);
  let size = 0;
  await collect(x, limit, (chunk) => {
    if (size + chunk.length > bytes.length) {
      const larger = new Uint8Array(Math.min(limit, Math.max(size + chunk.length, bytes.length * 2)));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(chunk, size);
    size += chunk.length;
  });
  x.bytes = size === bytes.length ? bytes : bytes.slice(0, size);
}

// By events: an async iterator costs as much as all other stages of a small request together.
function collect(x: Exchange, limit: number, take: (chunk: Buffer) => void): Promise<void> {
  const { req } = x;
  inviteBody(x);
  return new Promise((resolve, reject) => {
    let size = 0;
    const stop = (fault: Fault): void => {
      clearTimeout(timer);
      req.pause().removeAllListeners('data');
      reject(fault);
    };
    const timer = setTimeout(() => stop(tooSlow()), bodyTimeoutMs);
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) stop(tooLarge(limit));
      else take(chunk);
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
