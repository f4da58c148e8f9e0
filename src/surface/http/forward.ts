// Forwards calls to the node that keeps the data. The other node gets the call unchanged and authenticates it again
// with the client's credentials. Facts that it can't see itself, such as the client's address, are in a header that
// only nodes of the region can write: it is sealed with the region's key. A call with that header is not forwarded
// again, because a wrong address would make a loop.
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { urlToHttpOptions } from 'node:url';
import { Fault } from '../../base/fault.ts';
import { request, statusWords } from '../../base/http.ts';
import type { Seal } from '../../base/seal.ts';
import { type Trace, traceHeaders } from '../../base/trace/trace-context.ts';
import type { CallHome } from '../../core/nodes/engine-home.ts';
import type { OpenSpan, SpanSink } from '../../core/tracing/span.ts';
import { answerAttributes, openForwardSpan } from '../tracing/call-span.ts';
import { bodyStream, demandFitting } from './body.ts';
import type { Exchange, Forwarded, Reply, Route } from './exchange.ts';
import { begun } from './streams.ts';

const header = 'x-cumulet-forwarded';
const answerTimeoutMs = 130_000;
// Headers of the connection, not of the call.
const ofConnection = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'expect'];
// This node writes its own.
const dropped = [...ofConnection, 'traceparent', 'tracestate'];
// The node that the client has called writes its own.
const ofAnswer = new Set([
  ...ofConnection,
  'date',
  'transfer-encoding',
  'content-type',
  'content-length',
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-burst',
  'x-ratelimit-remaining',
]);
const noContent = [204, 304];
const astray =
  'But that address leads to this node. Start the other node with --node-url URL, which all nodes can reach.';

// Marks routes whose handlers need the data.
export const keptBy = (home: CallHome, routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ ...route, keptBy: home }));

// What another node of the region says about a call. Undefined: a client has sent it, and no header can change that.
export function forwardedIn({ headers }: IncomingMessage, seal: Seal): Forwarded | undefined {
  const sealed = headers[header];
  if (sealed === undefined) return undefined;
  try {
    return JSON.parse(seal.open(String(sealed))) as Forwarded;
  } catch {
    return undefined;
  }
}

interface Tools {
  seal: Seal;
  spans?: SpanSink | undefined;
}

// Undefined: this node has the data.
export async function forward(x: Exchange, home: CallHome, { seal, spans }: Tools): Promise<Reply | undefined> {
  const address = await addressOf(home, x.forwarded);
  if (address === undefined) return undefined;
  demandFitting(x);
  const span = openForwardSpan(x, spans, address);
  const sent = { ...callOf(x, seal, span?.trace), body: bodyStream(x), signal: x.signal };
  const answer = await send({ home, address, ...sent, span });
  const reply = replyOf(answer);
  return reply.stream && x.method !== 'HEAD' ? { ...reply, stream: await begun(reply.stream) } : reply;
}

export interface Message {
  path: string;
  headers: OutgoingHttpHeaders;
  body: Uint8Array;
}

// For calls of another protocol than HTTP: the other node gets a POST, whose headers prove the caller. Undefined: this
// node has the data.
export async function forwardMessage(
  messageOf: () => Message,
  home: CallHome,
  seal: Seal,
): Promise<{ status: number; body: string } | undefined> {
  const address = await addressOf(home);
  if (address === undefined) return undefined;
  const { path, headers, body } = messageOf();
  const mark = { [header]: seal.close(JSON.stringify({ service: '', address: '', secure: true, base: '' })) };
  const length = { 'content-length': body.length };
  const sent = { method: 'POST', path, headers: { ...headers, ...mark, ...length, ...traceHeaders() }, body: [body] };
  const answer = await send({ home, address, ...sent });
  return { status: answer.statusCode ?? 502, body: await textOf(answer) };
}

const textOf = async (answer: IncomingMessage): Promise<string> =>
  (await answer.setEncoding('utf8').toArray()).join('');

// A request that is to become a WebSocket: the other node makes one of it, and the two sockets are connected. Returns
// the other node's socket, or its refusal. Undefined: this node has the data.
export async function forwardUpgrade(
  x: Exchange,
  socket: Socket,
  head: Buffer,
  home: CallHome,
  { seal, spans }: Tools,
): Promise<Socket | Reply | undefined> {
  const address = await addressOf(home, x.forwarded);
  if (address === undefined) return undefined;
  const span = openForwardSpan(x, spans, address);
  const { path, headers } = callOf(x, seal, span?.trace);
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
  const { promise, resolve, reject } = Promise.withResolvers<Socket | Reply>();
  const sent = request({ ...placeAt(address, path), headers: { ...headers, ...upgrade }, agent: false });
  sent.on('upgrade', (answer, other: Socket, rest) => {
    span?.end(answerAttributes(101));
    connect(socket, head, other, rest, answer);
    resolve(other);
  });
  sent.on('response', (answer) => {
    const { stream: _, ...refusal } = replyOf(answer);
    span?.end(answerAttributes(refusal.status));
    textOf(answer).then((body) => resolve({ ...refusal, body }), reject);
  });
  sent.on('error', (cause) => {
    span?.end({ 'error.type': 'unavailable' });
    reject(home.unavailable(address, 'It does not answer.', cause));
  });
  sent.setTimeout(answerTimeoutMs, () => sent.destroy(new Error('no answer')));
  socket.once('close', () => sent.destroy());
  sent.end();
  return promise;
}

function connect(socket: Socket, head: Buffer, other: Socket, rest: Buffer, { rawHeaders }: IncomingMessage): void {
  const lines = [`HTTP/1.1 101 ${statusWords[101]}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.write(rest);
  other.setTimeout(0);
  other.write(head);
  // Either end may disconnect at any time, and then the other one is closed too.
  pipeline(socket, other, socket).catch(() => undefined);
}

// The other node's address.
async function addressOf(home: CallHome, forwarded?: Forwarded): Promise<string | undefined> {
  const address = await home.otherAddress();
  if (address !== undefined && forwarded) throw home.unavailable(address, astray);
  return address;
}

interface Call {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
}

// The host is part of it: it may be signed, and may name the service. A target is sent without the scheme and the host
// that clients of a proxy put in front of it.
function callOf(x: Exchange, seal: Seal, trace?: Trace): Call {
  const { url = '/', headers } = x.req;
  const mark: Forwarded = { service: x.service?.name ?? '', address: x.address, secure: x.secure, base: x.base };
  return {
    method: x.method,
    path: url.replace(/^https?:\/\/[^/?#]*(?=\/)/i, ''),
    headers: {
      ...without(headers, dropped),
      ...traceHeaders(trace),
      host: x.host,
      [header]: seal.close(JSON.stringify(mark)),
    },
  };
}

function without(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

interface Sent extends Call {
  home: CallHome;
  address: string;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  signal?: AbortSignal;
  span?: OpenSpan | undefined; // ends with the answer
}

// Resolves when the answer begins.
function send({ home, address, method, path, headers, body, signal, span }: Sent): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const fail = (cause: unknown): void => {
    span?.end({ 'error.type': 'unavailable' });
    reject(cause instanceof Fault ? cause : home.unavailable(address, 'It does not answer.', cause));
  };
  const sent = request({ ...placeAt(address, path), method, headers });
  sent.setTimeout(answerTimeoutMs, () => sent.destroy(new Error('no answer')));
  sent.on('error', fail);
  sent.on('response', (answer) => {
    sent.setTimeout(0);
    answer.once('close', () => span?.end(answerAttributes(answer.statusCode ?? 502)));
    resolve(answer);
  });
  signal?.addEventListener('abort', () => sent.destroy(), { once: true });
  pipeline(body, sent).catch(fail);
  return promise;
}

// A target is never read as an address: //host/ would name another machine, and dots and signed bytes would change.
const placeAt = (address: string, path: string): RequestOptions => ({ ...urlToHttpOptions(new URL(address)), path });

function replyOf(answer: IncomingMessage): Reply {
  const { statusCode: status = 502, headers } = answer;
  const { 'content-type': type, 'content-length': size } = headers;
  const kept = Object.entries(headers).filter(([name]) => !ofAnswer.has(name));
  const isEmpty = noContent.includes(status);
  if (isEmpty) answer.resume();
  return {
    status,
    ...(!isEmpty && { stream: answer }),
    ...(type !== undefined && { type }),
    ...(!isEmpty && size !== undefined && { size: Number(size) }),
    headers: kept.flatMap(([name, value]) => [value ?? ''].flat().flatMap((one) => [name, one])),
  };
}
