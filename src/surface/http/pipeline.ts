// The life of a request: one visible array of stages, then the answer. A Fault becomes the payload of the service's own
// protocol here and nowhere else. Whatever else is thrown is a bug: it is logged whole, and the client gets its id.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../base/fault.ts';
import { Exchange, type Reply } from './exchange.ts';
import { renderPlatformFault } from './payload.ts';
import {
  address,
  addressThrottle,
  authenticate,
  authorize,
  body,
  call,
  contractThrottle,
  noteRefusal,
  requestId,
  route,
  type Stage,
  type Surface,
} from './stages.ts';

const stages: readonly Stage[] = [
  requestId,
  address,
  addressThrottle,
  route,
  authenticate,
  contractThrottle,
  authorize,
  body,
  call,
];

const slowMs = 1000;

export function createHandler(surface: Surface): (req: IncomingMessage, res: ServerResponse, secure: boolean) => void {
  return (req, res, secure) => void live(new Exchange(req, res, secure), surface);
}

async function live(x: Exchange, surface: Surface): Promise<void> {
  try {
    try {
      for (const stage of stages) {
        const pending = stage(x, surface);
        if (pending) await pending;
      }
    } catch (error) {
      fail(x, surface, error);
    }
    const pending = render(x);
    if (pending) await pending;
    account(x, surface);
  } catch (error) {
    // A bug in the answering itself costs this one call, not the region.
    surface.log.error('bug', { id: x.id, operation: x.route?.operation, error });
    x.res.destroy();
  }
}

function fail(x: Exchange, surface: Surface, error: unknown): void {
  if (error instanceof Fault) {
    x.reply = renderFault(x, error);
    noteRefusal(x, surface, x.reply.status, error);
    if (error.kind === 'unavailable')
      surface.log.warn('unavailable', { id: x.id, operation: x.route?.operation, error });
    return;
  }
  if (x.req.destroyed && !x.req.complete) return; // the client went away in the middle of its body
  surface.log.error('bug', { id: x.id, operation: x.route?.operation, error });
  x.reply = renderFault(x, new Fault('internal', `An internal error happened. Its id is ${x.id}.`));
}

const renderFault = (x: Exchange, fault: Fault): Reply =>
  x.service ? x.service.renderFault(fault, x) : renderPlatformFault(fault);

function render(x: Exchange): Promise<void> | void {
  const { res } = x;
  const reply = x.reply;
  if (!reply || res.destroyed) {
    res.destroy();
    return;
  }
  if (reply.stream) return stream(x, reply.stream);
  let content = reply.body ?? '';
  const isPretty = x.query !== '' && /\bpretty=true\b/i.test(x.query) && !reply.type && content !== '';
  if (isPretty) content = indented(content);
  const size = reply.size === undefined || isPretty ? Buffer.byteLength(content) : reply.size;
  const headers = [...x.rate, 'X-Request-Id', x.id];
  if (size > 0) headers.push('Content-Type', reply.type ?? 'application/json');
  if (reply.status !== 204) headers.push('Content-Length', String(size));
  if (reply.headers) headers.push(...reply.headers);
  // Unread bytes of a body would be taken for the next request.
  const isUnread = !x.req.complete && hasBody(x.req);
  if (isUnread) headers.push('Connection', 'close');
  res.writeHead(reply.status, headers);
  if (x.method === 'HEAD') content = '';
  if (!isUnread) return void res.end(content);
  res.write(content);
  readAway(x.req, () => res.end());
}

// It has no length beforehand and is not indented. Who goes away in the middle ends the drawing of it.
async function stream({ res, id, rate, method }: Exchange, draw: NonNullable<Reply['stream']>): Promise<void> {
  res.writeHead(200, ['X-Request-Id', id, ...rate, 'Content-Type', 'application/json']);
  if (method === 'HEAD') return void res.end();
  const gone = new AbortController();
  const left = (): void => gone.abort();
  res.once('close', left);
  const send = async (text: string): Promise<void> => {
    if (res.destroyed) throw new Gone();
    if (!res.write(text)) await once(res, 'drain', { signal: gone.signal });
  };
  try {
    await draw(send);
    res.end();
  } catch (error) {
    if (!gone.signal.aborted && !res.destroyed) throw error; // who has left is not told
  } finally {
    res.off('close', left);
  }
}

class Gone extends Error {}

const readAwayMs = 5000;

// Closing on unread bytes would reset the connection, and the answer with it: the rest is read for a while.
function readAway(req: IncomingMessage, done: () => void): void {
  const timer = setTimeout(done, readAwayMs);
  req.once('close', () => {
    clearTimeout(timer);
    done();
  });
  req.resume();
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;

function indented(content: string | Buffer): string {
  return JSON.stringify(JSON.parse(content.toString()), null, 2);
}

function account(x: Exchange, surface: Surface): void {
  const ms = performance.now() - x.startedAt;
  const status = (x.reply as Reply | undefined)?.status ?? 499;
  surface.metrics.request(x.service?.name ?? 'none', x.route?.operation ?? 'none', status, ms);
  const isChange = x.method !== 'GET' && x.method !== 'HEAD' && x.caller && x.caller.kind !== 'key';
  if (!isChange && status < 500 && ms < slowMs) return;
  const { caller } = x;
  surface.log.info('request', {
    id: x.id,
    operation: x.route?.operation ?? '',
    method: x.method,
    path: x.prefix + x.path,
    status,
    ms: Math.round(ms),
    ...(caller && { contract: caller.contract, user: caller.user }),
  });
}
