// The answer of a call, from its reply to the wire: whole, or as a stream.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, Reply } from './exchange.ts';
import { discard, sendPieces } from './streams.ts';

export function render(x: Exchange, res: ServerResponse): Promise<void> | void {
  const { reply } = x;
  if (!reply || res.destroyed) {
    if (reply?.stream) discard(reply.stream);
    res.destroy();
    return;
  }
  if (reply.stream) return renderStream(x, res, reply, reply.stream);
  const content = contentOf(x, reply);
  const size = reply.size === undefined || content !== reply.body ? Buffer.byteLength(content) : reply.size;
  const isUnread = hasUnreadBody(x.req);
  res.writeHead(reply.status, headersOf(x, reply, size, isUnread));
  const sent = x.method === 'HEAD' ? '' : content;
  if (!isUnread) return void res.end(sent);
  res.write(sent);
  readAway(x.req, () => res.end());
}

// Of a stream the length may be unknown; it is not indented.
async function renderStream(
  x: Exchange,
  res: ServerResponse,
  reply: Reply,
  pieces: NonNullable<Reply['stream']>,
): Promise<void> {
  res.writeHead(reply.status, headersOf(x, reply, reply.size, hasUnreadBody(x.req)));
  if (x.method !== 'HEAD') return sendPieces(x, res, pieces, reply.size);
  discard(pieces);
  res.end();
}

export function headersOf(x: Exchange, reply: Reply, size: number | undefined, isLast: boolean): string[] {
  const headers = [...x.rate, 'X-Request-Id', x.id];
  if (size !== 0 || reply.type !== undefined) headers.push('Content-Type', reply.type ?? 'application/json');
  // Behind the length, Node takes the bytes of a Content-Disposition for Latin-1 text and refuses those of other texts.
  if (reply.headers) headers.push(...reply.headers);
  if (x.sharesOrigin && reply.type !== undefined) headers.push(...missingSeal(reply));
  if (size !== undefined && reply.status !== 204) headers.push('Content-Length', String(size));
  if (isLast) headers.push('Connection', 'close'); // unread bytes of a body would be taken for the next request
  return headers;
}

// Stored objects can be HTML. At the origin of the console a browser must never run them as pages, with the session of
// the user who opens them. The region's own pages have a policy already, and browsers never run JSON, the usual type.
function missingSeal({ headers = [] }: Reply): string[] {
  const names = headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()); // a value may be any text
  const missing = (name: string, value: string): string[] => (names.includes(name.toLowerCase()) ? [] : [name, value]);
  return [
    ...missing('Content-Security-Policy', "sandbox; default-src 'none'"),
    ...missing('X-Content-Type-Options', 'nosniff'),
  ];
}

export function contentOf(x: Exchange, reply: Reply): string | Buffer {
  const content = reply.body ?? '';
  const isPretty = x.query !== '' && /\bpretty=true\b/i.test(x.query) && !reply.type && content !== '';
  return isPretty ? JSON.stringify(JSON.parse(content.toString()), null, 2) : content;
}

const hasUnreadBody = (req: IncomingMessage): boolean =>
  !req.complete && ((req.headers['content-length'] ?? '0') !== '0' || req.headers['transfer-encoding'] !== undefined);

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
