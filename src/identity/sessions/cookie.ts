// The session of the console as a browser sends it, and its protection against other pages. A browser sends cookies
// with requests that any page makes, and to every port of the host. So the cookie alone never counts:
// - The request must come from the console's own origin.
// - It must have a header that forms and other origins can't send. Its value is a key that the browser keeps for this
//   origin alone. A session is found by both, so another port of the host can neither use the cookie nor plant one.

import { Fault } from '../../base/fault.ts';
import { originOf } from '../../surface/docs/pages.ts';
import type { Exchange } from '../../surface/http/exchange.ts';

const header = 'x-console';
const protocol = `${header}.`; // of a WebSocket, for which a page can't set headers
const attributes = 'Path=/; HttpOnly; SameSite=Strict';

// Cookies are per host, not per port, and regions run side by side on one machine: the port is part of the name.
function cookieName(x: Exchange): string {
  const port = /:(\d+)$/.exec(originOf(x))?.[1];
  return `${isSecure(x) ? '__Host-' : ''}cumulet-session${port === undefined ? '' : `-${port}`}`;
}

const isSecure = (x: Exchange): boolean => originOf(x).startsWith('https:');

// The secret of the session: the cookie and the key of the page. Browsers send cookies of narrower paths first, and
// ours is for all paths: the last one of the name is taken, so that a planted one can't hide it.
export function sessionSecret(x: Exchange): string | undefined {
  const begin = `${cookieName(x)}=`;
  const found = x.req.headers.cookie?.split(';').findLast((part) => part.trimStart().startsWith(begin));
  const value = found?.trimStart().slice(begin.length).trimEnd();
  return value ? secretWith(x, value) : undefined;
}

export const secretWith = (x: Exchange, cookie: string): string => `${cookie} ${keyOf(x) ?? ''}`;

function keyOf({ req: { headers } }: Exchange): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map((one) => one.trim());
  return headers[header]?.toString() ?? offered?.find((one) => one.startsWith(protocol))?.slice(protocol.length);
}

// A session cookie, without an expiry: the server checks the limits of the session.
export const cookieHeader = (x: Exchange, value: string): string[] => [
  'Set-Cookie',
  `${cookieName(x)}=${value}; ${attributes}${isSecure(x) ? '; Secure' : ''}`,
];

export const clearedCookie = (x: Exchange): string[] => [
  'Set-Cookie',
  `${cookieName(x)}=; ${attributes}${isSecure(x) ? '; Secure' : ''}; Max-Age=0`,
];

// Whether a page of another origin made the browser send this. Sec-Fetch-Site decides if the browser sends it, which it
// does over HTTPS and on localhost. Otherwise the Origin header does, which all requests but plain reads carry.
function isFromOtherOrigin(x: Exchange): boolean {
  const { origin, 'sec-fetch-site': site } = x.req.headers;
  if (site !== undefined) return site === 'cross-site' || site === 'same-site';
  return origin !== undefined && origin !== originOf(x);
}

export function isFromConsole(x: Exchange): boolean {
  const { origin, 'sec-fetch-site': site } = x.req.headers;
  if (keyOf(x) === undefined || isFromOtherOrigin(x)) return false;
  if (site !== undefined) return site === 'same-origin';
  return origin !== undefined || x.method === 'GET' || x.method === 'HEAD';
}

// For calls without an Authorization header. Not 401: that would count as a failed log-in of the address, and any page
// could make a browser fail often enough to lock its user out.
export function refuseOtherOrigins(x: Exchange): void {
  if (isFromOtherOrigin(x))
    throw new Fault('forbidden', 'A page of another origin sent this request. Add an Authorization header.');
}
