// fetch for addresses that a client of the region has chosen. The connection itself looks the name up, so that no other
// address can come between the check and the connection. Redirects are not followed.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
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

export function checkedFetch(refusal: (host: string, why: string) => Error): OutboundFetch {
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
    return responseOf(answer);
  };
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  if (bodiless.includes(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers });
}
