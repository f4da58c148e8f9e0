// The cookie of the console, and the proof that a call comes from the console's own pages. A browser sends cookies
// along with whatever any page makes it do, so the cookie alone never counts: the call must carry a header that no
// form can send and no other origin may, and come from the same origin.

import { originOf } from '../surface/docs/pages.ts';
import type { Exchange } from '../surface/http/exchange.ts';

const header = 'x-console';
const attributes = 'Path=/; HttpOnly; SameSite=Strict';

// Browsers keep cookies by host and not by port, and regions run side by side on one machine: each has its own name.
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

// It lives as long as the browser, and the session's own limits are kept by us.
export const cookieHeader = (x: Exchange, value: string): string[] => [
  'Set-Cookie',
  `${cookieName(x)}=${value}; ${attributes}${isSecure(x) ? '; Secure' : ''}`,
];

export const clearedCookie = (x: Exchange): string[] => [
  'Set-Cookie',
  `${cookieName(x)}=; ${attributes}${isSecure(x) ? '; Secure' : ''}; Max-Age=0`,
];

// Where the browser says itself where a call comes from, that decides; it does so on HTTPS and on the own machine.
// Otherwise the Origin does, which everything but a plain reading carries.
export function isFromConsole(x: Exchange): boolean {
  const { headers } = x.req;
  if (headers[header] === undefined) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return x.method === 'GET' || x.method === 'HEAD';
  return headers.origin === originOf(x);
}
