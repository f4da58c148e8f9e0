// The life of a request: one visible array of stages, then the answer. A Fault becomes the payload of the
// service's own protocol here and nowhere else; whatever else is thrown is a bug: 500, logged whole.
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../base/fault.ts';
import { quoted } from '../../base/json.ts';
import { lastMade } from '../../base/last-made.ts';
import { Exchange, type Incoming, type Outgoing, type Reply } from './exchange.ts';
import { drawPlatform, payload } from './payload.ts';
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
import { WholeRequest } from './whole-request.ts';

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

export function createHandler(surface: Surface): (req: Incoming, res: Outgoing, secure: boolean) => void {
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
    x.fault = error;
    x.reply = x.service ? x.service.draw(error, x) : drawPlatform(error);
    noteRefusal(x, surface, x.reply.status, error);
    if (error.kind === 'unavailable')
      surface.log.warn('unavailable', { id: x.id, operation: x.route?.operation, error });
    return;
  }
  if (x.req.destroyed && !x.req.complete) return; // the client went away in the middle of its body
  surface.log.error('bug', { id: x.id, operation: x.route?.operation, error });
  const message = `An internal error happened. Its id is ${x.id}.`;
  x.reply = { status: 500, body: payload(500, [{ message }]) };
}

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
  // Nearly every text is plain ASCII, as long in bytes as in characters: that is seen when all is put together.
  const isGuessed = reply.size === undefined && x.method !== 'HEAD' && typeof content === 'string' && content !== '';
  const plain = isGuessed && 'endPlain' in res ? res : undefined;
  let size = reply.size === undefined || isPretty ? (plain ? content.length : sizeOf(content)) : reply.size;
  const headers = x.rate; // this call's own, and not asked for again
  headers.push('X-Request-Id', x.id);
  if (size > 0) headers.push('Content-Type', reply.type ?? 'application/json');
  if (reply.status !== 204) headers.push('Content-Length', String(size));
  const sizeAt = headers.length - 1;
  if (reply.headers) headers.push(...reply.headers);
  if (plain) {
    if (plain.endPlain(reply.status, headers, content as string)) return;
    size = sizeOf(content);
    headers[sizeAt] = String(size);
  }
  // What is left of an unread body would be taken for the next request.
  const unread = x.req instanceof WholeRequest || x.req.complete || !hasBody(x.req) ? undefined : x.req;
  if (unread) headers.push('Connection', 'close');
  res.writeHead(reply.status, headers);
  const encoding = typeof content === 'string' && size === content.length ? 'latin1' : 'utf8';
  if (x.method === 'HEAD') content = '';
  if (!unread) return void res.end(content, encoding);
  res.write(content);
  readAway(unread, () => res.end());
}

// It has no length beforehand and is not indented. Who goes away in the middle ends the drawing of it.
async function stream({ res, id, rate, method }: Exchange, draw: NonNullable<Reply['stream']>): Promise<void> {
  res.writeHead(200, ['X-Request-Id', id, ...rate, 'Content-Type', 'application/json']);
  if (method === 'HEAD') return void res.end();
  const source = res instanceof EventEmitter ? res : res.socket;
  const gone = new AbortController();
  const left = (): void => gone.abort();
  source.once('close', left);
  const send = async (text: string): Promise<void> => {
    if (res.destroyed) throw new Gone();
    if (!res.write(text)) await once(source, 'drain', { signal: gone.signal });
  };
  try {
    await draw(send);
    res.end();
  } catch (error) {
    if (!gone.signal.aborted && !res.destroyed) throw error; // who has left is not told
  } finally {
    source.off('close', left);
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

const sizeOf = (content: string | Buffer): number =>
  typeof content === 'string' ? Buffer.byteLength(content) : content.length;

function indented(content: string | Buffer): string {
  return JSON.stringify(JSON.parse(content.toString()), null, 2);
}

function account(x: Exchange, surface: Surface): void {
  const ms = performance.now() - x.startedAt;
  const status = (x.reply as Reply | undefined)?.status ?? 499;
  surface.metrics.request(x.service?.name ?? 'none', x.route?.operation ?? 'none', status, ms);
  const isChange = x.method !== 'GET' && x.method !== 'HEAD' && x.caller !== undefined;
  if (!isChange && status < 500 && ms < slowMs) return;
  const behind = behindId(x.route, x.method, x.prefix, x.path, status, Math.round(ms), x.caller);
  surface.log.info('request', `"id":"${x.id}${behind}`);
}

// Every change has a line in the log, most of which is what it was in the last one: that is one piece.
const behindId = lastMade(
  (
    route: Exchange['route'],
    method: string,
    prefix: string,
    path: string,
    status: number,
    ms: number,
    caller: Exchange['caller'],
  ): string => {
    const what = `","operation":"${route?.operation ?? ''}","method":"${method}","path":${quoted(prefix + path)}`;
    const who = caller ? `,"contract":${caller.contract},"user":${quoted(caller.user)}` : '';
    return [what, ',"status":', status, ',"ms":', ms, who].join('');
  },
);
