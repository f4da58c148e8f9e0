// The session cookie of the console, and its protection against cross-site requests. A browser sends cookies with
// requests that any page makes, so the cookie alone never counts: the request must come from the same origin and carry
// a header that forms and other origins can't send.

import { originOf } from '../../surface/docs/pages.ts';
import type { Exchange } from '../../surface/http/exchange.ts';

const header = 'x-console';
const attributes = 'Path=/; HttpOnly; SameSite=Strict';

// Cookies are per host, not per port, and regions run side by side on one machine: the port is part of the name.
function cookieName(x: Exchange): string {
  const port = /:(\d+)$/.exec(x.host)?.[1];
  return `${isSecure(x) ? '__Host-' : ''}cumulet-session${port === undefined ? '' : `-${port}`}`;
}

const isSecure = (x: Exchange): boolean => originOf(x).startsWith('https:');

export function sessionCookie(x: Exchange): string | undefined {
  const begin = `${cookieName(x)}=`;
  const found = x.req.headers.cookie?.split(';').find((part) => part.trimStart().startsWith(begin));
  return found?.trimStart().slice(begin.length).trimEnd() || undefined;
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

// Sec-Fetch-Site decides if the browser sends it, which it does over HTTPS and on localhost. Otherwise the Origin
// header does, which all requests but plain reads carry.
export function isFromConsole(x: Exchange): boolean {
  const { headers } = x.req;
  if (headers[header] === undefined) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return x.method === 'GET' || x.method === 'HEAD';
  return headers.origin === originOf(x);
}
