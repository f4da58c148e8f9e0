// fetch for addresses that a client of the region has chosen. The connection itself looks the name up, so that no other
// address can come between the check and the connection. Redirects are not followed, and answers are bounded.
import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, Transform } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { checkedLookup, forbiddenHost } from './outbound-address.ts';

export interface OutboundRequest {
  method?: string;
  headers: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | string;
  redirect?: 'manual' | 'error'; // for the fetch of Node, which has the same signature
  signal: AbortSignal;
}

export type OutboundFetch = (url: string | URL, request: OutboundRequest) => Promise<Response>;

const idleMs = 10_000; // then an unused connection is closed
const bodiless = [204, 205, 304];

const mb = 1024 * 1024;
export const answerBounds = { one: 32 * mb, all: 512 * mb }; // bytes

// `all`: of this fetch. The refusal names the host and the reason.
export function checkedFetch(refusal: (host: string, why: string) => Error, bounds = answerBounds): OutboundFetch {
  let all = 0;
  const kept = { keepAlive: true, timeout: idleMs, lookup: checkedLookup('anywhere', refusal) };
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  const agents = { http: new http.Agent(kept), https: new https.Agent(kept) };
  return async (url, { method = 'GET', headers, body, signal }) => {
    const target = new URL(url);
    const forbidden = forbiddenHost(target.hostname); // a literal address is not looked up
    if (forbidden !== undefined) throw refusal(target.hostname, forbidden);
    const isSecure = target.protocol === 'https:';
    const options = { method, headers, signal, agent: isSecure ? agents.https : agents.http };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = (isSecure ? https : http).request(target, options, resolve);
      sent.on('error', reject);
      sent.end(body);
    });
    let one = 0;
    const bounded = new Transform({
      transform(chunk: Buffer, _, done) {
        one += chunk.length;
        all += chunk.length;
        const isTooMuch = one > bounds.one || all > bounds.all;
        const what = one > bounds.one ? `an answer of more than ${bounds.one / mb}` : `more than ${bounds.all / mb}`;
        if (isTooMuch) done(refusal(target.hostname, `it sent ${what} MB`));
        else done(null, chunk);
      },
    });
    pipeline(answer, bounded, () => undefined); // an error of either one ends both
    return responseOf(answer, bounded);
  };
}

function responseOf(answer: IncomingMessage, body: Readable): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  if (bodiless.includes(status)) {
    body.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers });
}
