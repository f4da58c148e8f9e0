// Hands a call on to another node, as it came, and its answer back. The other node looks at the credentials again.
import { request } from 'node:http';
import { Fault } from '../../base/fault.ts';
import type { Exchange, Reply } from './exchange.ts';

const patienceMs = 130_000;
// Who gets a call that carries it does not hand it on again: an address that leads back, or nowhere near, would make a
// circle of it.
const hop = 'x-cumulet-handed-on';
// Of the connection, not of the call.
const own = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'expect']);

const astray =
  'But this node was reached by that address: start that one with --node-url, an address by which all others reach it.';

// `path`: as that node serves it.
export function forward(x: Exchange, address: string, path: string, why: string): Promise<Reply> {
  if (x.req.headers[hop] !== undefined) throw new Fault('unavailable', `${why} ${astray}`);
  const body = x.text === '' ? x.bytes : Buffer.from(x.text);
  const headers = Object.fromEntries(Object.entries(x.req.headers).filter(([name]) => !own.has(name)));
  const url = new URL(x.query === '' ? path : `${path}?${x.query}`, address);
  return new Promise((resolve, reject) => {
    const gone = (cause: unknown): void =>
      reject(new Fault('unavailable', `${why} It does not answer.`, { retryAfterS: 5, cause }));
    const sent = request(url, {
      method: x.method,
      headers: { ...headers, [hop]: '1', 'content-length': String(body.length) },
    });
    sent.setTimeout(patienceMs, () => sent.destroy(new Error('no answer')));
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
