// The API pages: one that lists every service with its addresses and operations, and one per service to read, search
// and try it. They load nothing from other origins, and their Content-Security-Policy allows none. The Host header is
// untrusted: all text in a page is escaped by `safe`. The console's page has the same policy and frame.
import type { Exchange, Reply, Route, Service } from '../http/exchange.ts';
import { isGuarded, tagOf } from './openapi-document.ts';
import { assetPath } from './page-assets.ts';

export interface PageFacts {
  services: readonly Service[];
  domains: readonly string[]; // parents of the services' host names
  regions: readonly string[];
  version: string;
  hint: string; // what the command line needs here, such as ` --data DIR`
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:", // the library's icons are in its style sheet
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const page = (body: string): Reply => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body,
  headers: [
    'Content-Security-Policy',
    policy,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    'Cache-Control',
    'no-cache',
  ],
});

// The origin of the page, the only one that the browser may call. Behind a proxy that terminates TLS, --public-url
// tells the scheme.
export function originOf(x: Exchange): string {
  const told = x.base.split('/', 3).join('/');
  return told.endsWith(`//${x.host}`) ? told : `${x.secure ? 'https' : 'http'}://${x.host}`;
}

export async function indexPage(x: Exchange, facts: PageFacts): Promise<Reply> {
  const origin = originOf(x);
  const cards = facts.services.map((service) => card(service, origin, facts));
  const count = facts.services.reduce((sum, { routes }) => sum + routes.length, 0);
  const main = `
<main class="page" id="main">
<h1>The services of this region</h1>
<p class="lead">Each has a page to read, search and try its operations, and an OpenAPI 3.1 document for your tools.</p>
<section class="start" aria-labelledby="start">
<h2 id="start">Call it from a shell</h2>
<pre tabindex="0"><code>TOKEN="$(./cumulet token generate${safe(facts.hint)})"
curl -H "Authorization: Bearer $TOKEN" '${safe(origin)}/cloudapi/v6/datacenters?depth=1'</code></pre>
</section>
<div role="search">
<label for="search">Search all ${count} operations</label>
<input id="search" type="search" placeholder="datacenter, POST, /um/users …" autocomplete="off" spellcheck="false">
<p id="found" role="status"></p>
</div>
<ul class="cards">${cards.join('')}</ul>
</main>`;
  const script = `<script src="${await assetPath('index.js')}" defer></script>`;
  return page(await frame('API pages', script, header('', facts.version), main));
}

function card(service: Service, origin: string, facts: PageFacts): string {
  const { name, title, description, version = '1.0', routes, prefixes } = service;
  const addresses = [
    ...prefixes.map((prefix) => `<li><code>${safe(origin + prefix)}</code></li>`),
    ...hostsOf(service, facts).map((address) => `<li><code>${safe(address)}</code> <small>by the proxy</small></li>`),
  ];
  return `
<li class="card" data-service="${safe(name)}">
<h2><a href="/docs/${safe(name)}">${safe(title)}</a> <small>${safe(version)}</small></h2>
<p>${safe(description)}</p>
<ul class="addresses" aria-label="Addresses">${addresses.join('')}</ul>
<p class="links"><a href="/docs/${safe(name)}">Read and try</a> <a href="/docs/${safe(name)}.json">OpenAPI</a></p>
<details>
<summary>${routes.length} operations</summary>
<ul class="operations">${routes.map((route) => operation(service, route)).join('')}</ul>
</details>
</li>`;
}

const operation = ({ name, prefixes }: Service, route: Route): string =>
  `<li><a href="/docs/${safe(name)}#/${safe(tagOf(route))}/${safe(route.operation)}">` +
  `<span class="method ${safe(route.method.toLowerCase())}">${safe(route.method)}</span> ` +
  `<code>${safe((prefixes[0] ?? '') + route.path)}</code> <span>${safe(route.summary)}</span></a></li>`;

// A regional host serves one product; the others serve several by their paths.
function hostsOf({ hosts, prefixes }: Service, { domains, regions }: PageFacts): string[] {
  return hosts.flatMap((host) =>
    domains.map((domain) =>
      host.includes('<region>')
        ? `https://${host.replace('<region>', `{${regions.join(',')}}`)}.${domain}`
        : `https://${host}.${domain}${prefixes[0] ?? ''}`,
    ),
  );
}

export async function servicePage(x: Exchange, service: Service, facts: PageFacts): Promise<Reply> {
  const { name, title, description, version = '1.0', prefixes } = service;
  const others = facts.services.map((one) => {
    const here = one === service ? ' aria-current="page"' : '';
    return `<a href="/docs/${safe(one.name)}"${here}>${safe(one.title)}</a>`;
  });
  const main = `
<div class="page" id="main">
<h1>${safe(title)} <small>${safe(version)}</small></h1>
<p class="lead">${safe(description)}</p>
<p class="facts"><code>${safe(originOf(x) + (prefixes[0] ?? ''))}</code> <a href="/docs/${safe(name)}.json">OpenAPI</a></p>
<fieldset class="bar" id="bar" disabled>
${isGuarded(service) ? (service.authentication ? keyForm : tokenForm(facts.hint)) : ''}<div role="search">
<label for="search">Search</label>
<input id="search" type="search" placeholder="Operation, path or word" autocomplete="off" spellcheck="false">
<p id="found" role="status"></p>
</div>
</fieldset>
<noscript><p class="lead">This page needs scripts. The same is in the OpenAPI document.</p></noscript>
<div id="reference" data-document="/docs/${safe(name)}.json"></div>
</div>`;
  const head = `
<link rel="stylesheet" href="${await assetPath('swagger-ui.css')}">
<link rel="stylesheet" href="${await assetPath('reference.css')}">
<script src="${await assetPath('swagger-ui-bundle.js')}" defer></script>
<script src="${await assetPath('reference.js')}" defer></script>`;
  return page(await frame(title, head, header(others.join('\n'), facts.version), main));
}

const credentialForm = (what: 'token' | 'key', hint: string): string => `<form id="token-form" data-takes="${what}">
<label for="token">${what === 'key' ? 'Key' : 'Token'}</label>
<div class="row">
<input id="token" type="password" placeholder="Paste a ${what} to try the operations" autocomplete="off"
 aria-describedby="token-state">
<button type="submit">Use</button>
<button type="button" id="forget" hidden>Forget</button>
</div>
<p id="token-state" role="status">${hint} Only this tab keeps it, until you close it.</p>
</form>`;

const tokenForm = (hint: string): string =>
  credentialForm(
    'token',
    `Get one with <code>./cumulet token generate${safe(hint)}</code> or in the <a href="/console/tokens">console</a>.`,
  );
const keyForm = credentialForm('key', 'It was told when the pipeline was made, and with each new key.');

const header = (links: string, version: string): string => `
<a class="skip" href="#main">To the content</a>
<header>
<a class="home" href="/docs">Cumulet <small>${safe(version)}</small></a>
${links && `<nav aria-label="Services">${links}</nav>`}
<a class="other" href="/console">Console</a>
</header>`;

export const frame = async (title: string, head: string, top: string, main: string): Promise<string> => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${safe(title)} · Cumulet</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${await assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${await assetPath('page.css')}">${head}
</head>
<body>${top}${main}
</body>
</html>
`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const safe = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] as string);
