// Answers that are written to a socket itself, because the parser made no request of what came: a header too large, a
// client too slow, bytes that are no HTTP, a connection too many. They carry the platform's payload like all others.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { httpDate } from '../../base/clock.ts';
import { statusWords } from '../../base/http.ts';
import { uuid } from '../../base/ids.ts';
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

// Sockets that got their last answer. What they still send is read and ignored: closing on unread bytes would reset
// the connection, and the answer with it.
const refused = new WeakSet<Socket>();

export const wasRefused = (socket: Socket): boolean => refused.has(socket);

export type Refuse = (socket: Socket, status: number, message: string, isHead?: boolean) => void;

// The server's listener for `clientError`.
export const refuseClient =
  (refuse: Refuse) =>
  (error: { code?: string | undefined }, socket: Socket): void => {
    if (refused.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    refuse(socket, ...(causes[error.code ?? ''] ?? malformed));
  };

// Requests of a connection that are not answered yet, and the refusal that has to wait for them: a client that sent
// several requests at once gets the answers in their order. A request whose body is incomplete is the refused one.
const pending = new WeakMap<Socket, { requests: Set<IncomingMessage>; last?: (() => void) | undefined }>();

export function trackRequest(req: IncomingMessage, res: ServerResponse): void {
  const tracked = pending.get(req.socket) ?? { requests: new Set() };
  pending.set(req.socket, tracked);
  tracked.requests.add(req);
  res.once('close', () => {
    tracked.requests.delete(req);
    if (!tracked.last || hasComplete(tracked.requests)) return;
    tracked.last();
    tracked.last = undefined;
  });
}

const hasComplete = (requests: Set<IncomingMessage>): boolean => [...requests].some(({ complete }) => complete);

export function answerRaw(socket: Socket, status: number, message: string, isHead = false): void {
  refused.add(socket);
  const tracked = pending.get(socket);
  const answer = (): void => writeRaw(socket, status, message, isHead);
  if (tracked && hasComplete(tracked.requests)) tracked.last = answer;
  else answer();
}

function writeRaw(socket: Socket, status: number, message: string, isHead: boolean): void {
  const body = payload(status, [{ message }]);
  const headers = ['X-Request-Id', uuid(), 'Content-Type', 'application/json'];
  headers.push('Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close');
  writeReply(socket, status, headers, isHead ? '' : body);
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
