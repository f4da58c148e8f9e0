// Forwards a call to another node unchanged, and returns its answer. The other node authenticates it again.
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { urlToHttpOptions } from 'node:url';
import { Fault } from '../../base/fault.ts';
import { originOf } from '../docs/pages.ts';
import { bodyStream } from './body.ts';
import type { Exchange, Reply } from './exchange.ts';

const timeoutMs = 130_000;
// A node does not forward a call with this header again: a wrong address would make a loop.
const hop = 'x-cumulet-handed-on';
const serviceHeader = 'x-cumulet-service';
const originHeader = 'x-cumulet-origin';
// Headers of the connection, not of the call.
const own = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'expect']);

const astray =
  'But this node was reached by that address: start that one with --node-url, an address by which all others reach it.';

// The same for a body and an answer that are streams, with all headers: the host too, because it is signed. `service`
// names the one that is meant, whatever the host.
export async function forwardStream(x: Exchange, address: string, service: string, why: string): Promise<Reply> {
  if (x.req.headers[hop] !== undefined) throw new Fault('unavailable', `${why} ${astray}`);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const gone = (cause: unknown): void =>
    reject(new Fault('unavailable', `${why} It does not answer.`, { retryAfterS: 5, cause }));
  const headers = { ...x.req.headers, [hop]: '1', [serviceHeader]: service, [originHeader]: clientOrigin(x) };
  delete headers.expect;
  const sent = request({ ...placeAt(address, targetOf(x)), method: x.method, headers });
  sent.on('error', gone);
  sent.on('response', resolve);
  x.signal.addEventListener('abort', () => sent.destroy(), { once: true });
  pipeline(bodyStream(x), sent).catch(gone);
  const answer = await promise;
  const {
    'content-type': type,
    'content-length': size,
    connection: _,
    'transfer-encoding': _coding,
    ...more
  } = answer.headers;
  const ours = new Set([
    'date',
    'keep-alive',
    'x-request-id',
    'x-ratelimit-limit',
    'x-ratelimit-burst',
    'x-ratelimit-remaining',
  ]);
  const kept = Object.entries(more).filter(([name]) => !ours.has(name));
  return {
    status: answer.statusCode ?? 502,
    stream: answer,
    ...(type !== undefined && { type }),
    ...(size !== undefined && { size: Number(size) }),
    headers: kept.flatMap(([name, value]) => [value ?? ''].flat().flatMap((one) => [name, one])),
  };
}

// Which service a call of another node is for.
export const forwardedTo = ({ req }: Exchange): string | undefined => req.headers[serviceHeader]?.toString();

// The origin that the client has called, also where another node has forwarded the call: the session cookie and its
// protection depend on it. A browser lets no other origin set the header.
export const clientOrigin = (x: Exchange): string => x.req.headers[originHeader]?.toString() ?? originOf(x);

// A target is never read as an address: //host/ would name another machine, and dots and signed bytes would change.
const placeAt = (address: string, path: string): RequestOptions => ({
  ...urlToHttpOptions(new URL(address)),
  path,
});

// Without the scheme and the host that clients of a proxy send.
const targetOf = ({ req: { url = '/' } }: Exchange): string => url.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '');

// `path`: on the other node.
export function forward(x: Exchange, address: string, path: string, why: string): Promise<Reply> {
  if (x.req.headers[hop] !== undefined) throw new Fault('unavailable', `${why} ${astray}`);
  const body = x.text === '' ? x.bytes : Buffer.from(x.text);
  const headers = Object.fromEntries(Object.entries(x.req.headers).filter(([name]) => !own.has(name)));
  const place = placeAt(address, x.query === '' ? path : `${path}?${x.query}`);
  return new Promise((resolve, reject) => {
    const gone = (cause: unknown): void =>
      reject(new Fault('unavailable', `${why} It does not answer.`, { retryAfterS: 5, cause }));
    const sent = request({
      ...place,
      method: x.method,
      headers: { ...headers, [hop]: '1', [originHeader]: clientOrigin(x), 'content-length': String(body.length) },
    });
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error('no answer')));
    sent.on('error', gone);
    sent.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', gone);
      answer.on('end', () => {
        const { 'content-type': type, 'retry-after': retry, ...more } = answer.headers;
        const written = Object.entries(more).filter(([name]) => name.startsWith('x-prometheus-'));
        resolve({
          status: answer.statusCode ?? 502,
          body: Buffer.concat(chunks),
          ...(type !== undefined && { type }),
          headers: [...(retry === undefined ? [] : ['Retry-After', retry]), ...written.flat().map(String)],
        });
      });
    });
    sent.end(body);
  });
}
