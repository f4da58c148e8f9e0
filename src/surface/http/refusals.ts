// Answers that are written to the socket itself, because the parser created no request: headers too large, a client too
// slow, bytes that are not HTTP, too many connections. They carry the payload of the addressed service, if it is known,
// or else the platform's.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { httpDate } from '../../base/clock.ts';
import { statusWords } from '../../base/http.ts';
import type { RenderRefusal, Reply } from './exchange.ts';
import { payload } from './payload.ts';

export const maxHeaderSize = 32 * 1024;
const lingerMs = 2000;

const causes: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, `The request's headers are larger than ${maxHeaderSize} bytes.`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};
const malformed: [status: number, message: string] = [
  400,
  'This is not a well-formed HTTP request, or its method is unknown.',
];

// Sockets that got their last answer. Further bytes are read and ignored, because closing a socket with unread bytes
// would reset the connection and lose the answer.
const refused = new WeakSet<Socket>();

export const wasRefused = (socket: Socket): boolean => refused.has(socket);

export type Refuse = (socket: Socket, status: number, message: string, request?: RequestFacts) => void;

// The known parts of the request.
export interface RequestFacts {
  isHead?: boolean;
  host?: string | undefined;
}

export const renderPlatformRefusal: RenderRefusal = ({ status, message }) => ({
  status,
  body: payload(status, [{ message }]),
});

interface ClientError {
  code?: string | undefined;
  rawPacket?: Buffer | undefined; // the bytes that could not be read, of which the request may have begun earlier
}

// The server's listener for `clientError`.
export const refuseClient =
  (refuse: Refuse) =>
  ({ code, rawPacket }: ClientError, socket: Socket & { servername?: unknown }): void => {
    if (refused.has(socket)) return;
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const { servername } = socket; // of TLS
    const host = typeof servername === 'string' ? servername : rawPacket && hostIn(rawPacket);
    refuse(socket, ...(causes[code ?? ''] ?? malformed), { host });
  };

// The host of a request that is not complete.
function hostIn(packet: Buffer): string | undefined {
  const text = packet.toString('latin1', 0, maxHeaderSize);
  const [, absolute] = /^[A-Z]+ https?:\/\/([^/\s]+)/.exec(text) ?? [];
  return absolute ?? /\r\nhost:[ \t]*([^\s]+)[ \t]*\r\n/i.exec(text)?.[1];
}

// Requests of a connection that are not answered yet, and the refusal that has to wait for them: a client that sent
// several requests at once gets the answers in their order. A request whose body is incomplete is the refused one.
const pending = new WeakMap<Socket, { requests: Set<IncomingMessage>; last?: (() => void) | undefined }>();

// Returns what to call when the answer has been sent or the connection is closed.
export function trackRequest(req: IncomingMessage): () => void {
  let tracked = pending.get(req.socket);
  if (!tracked) {
    tracked = { requests: new Set() };
    pending.set(req.socket, tracked);
  }
  const { requests } = tracked;
  requests.add(req);
  return () => {
    requests.delete(req);
    if (!tracked.last || hasComplete(requests)) return;
    tracked.last();
    tracked.last = undefined;
  };
}

const hasComplete = (requests: Set<IncomingMessage>): boolean => [...requests].some(({ complete }) => complete);

export function answerRaw(socket: Socket, reply: Reply, id: string, isHead = false): void {
  refused.add(socket);
  const tracked = pending.get(socket);
  const answer = (): void => writeRaw(socket, reply, id, isHead);
  if (tracked && hasComplete(tracked.requests)) tracked.last = answer;
  else answer();
}

function writeRaw(socket: Socket, reply: Reply, id: string, isHead: boolean): void {
  const { status, body = '', type = 'application/json', headers = [] } = reply;
  const all = ['X-Request-Id', id, 'Content-Type', type, ...headers];
  all.push('Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close');
  writeReply(socket, status, all, isHead ? '' : body);
}

// The last answer of a connection that no parser serves any more. `headers`: name, value, name, value …
export function writeReply(socket: Socket, status: number, headers: readonly string[], body: string | Buffer): void {
  const lines = [`HTTP/1.1 ${status} ${statusWords[status]}`, `Date: ${httpDate()}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => undefined);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.end(body);
}
