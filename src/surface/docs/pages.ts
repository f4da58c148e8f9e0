// The frame and the policy of every page, the console's too. Pages load nothing from other origins, and their
// Content-Security-Policy allows none. The Host header is untrusted: all text in a page is escaped by `safe`.
import type { Exchange, Reply } from '../http/exchange.ts';
import { iconSprite } from './icons.ts';
import { assetPath } from './page-assets.ts';

const policyOf = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const usual = policyOf("'self'");
// For a terminal: xterm.js sets colours by style elements and attributes.
const withInlineStyles = policyOf("'self' 'unsafe-inline'");

export const page = (body: string, hasTerminal = false): Reply => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body,
  headers: [
    'Content-Security-Policy',
    hasTerminal ? withInlineStyles : usual,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    'Cache-Control',
    'no-cache',
  ],
});

// The origin of the page, the only one that the browser may call. Behind a proxy that terminates TLS, --public-url
// has the scheme.
export function originOf(x: Exchange): string {
  const origin = x.base.split('/', 3).join('/');
  return origin.endsWith(`//${x.host}`) ? origin : `${x.secure ? 'https' : 'http'}://${x.host}`;
}

// The styles of pages without those of the console, which contain them.
export const plainStyles = async (): Promise<string> => `
<link rel="stylesheet" href="${await assetPath('tokens.css')}">
<link rel="stylesheet" href="${await assetPath('page.css')}">`;

export const frame = async (title: string, head: string, top: string, main: string): Promise<string> => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${safe(title)} · Cumulet</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${await assetPath('icon.svg')}" type="image/svg+xml">
<script src="${await assetPath('theme.js')}"></script>${head}
</head>
<body>${await iconSprite()}${top}${main}
</body>
</html>
`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const safe = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] as string);
