// The API pages: one that lists every service with its addresses and operations, and one per service to read, search
// and try it. The page contains all operations, so a reader sees them at once. The script (console/reference.tsx)
// adds the search, and the parameters and answers of an operation that is opened. Without it the lists remain.
import type { Exchange, Reply, Route, Service } from '../http/exchange.ts';
import { groupsOf, isGuarded } from './openapi-document.ts';
import { assetPath } from './page-assets.ts';
import { frame, originOf, page, plainStyles, safe } from './pages.ts';

export interface PageFacts {
  services: readonly Service[];
  domains: readonly string[]; // parents of the services' host names
  regions: readonly string[];
  version: string;
  hint: string; // further arguments for the command line, such as ` --data DIR`
  webFile(name: string): Promise<string | undefined>; // the address of a file of the web app; undefined: there is none
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
<pre tabindex="0"><code>export IONOS_TOKEN="$(./cumulet token generate${safe(facts.hint)})"
curl -H "Authorization: Bearer $IONOS_TOKEN" '${safe(origin)}/cloudapi/v6/datacenters?depth=1'</code></pre>
</section>
${searchField(`Search all ${count} operations`, 'datacenter, POST, /um/users …')}
<ul class="cards">${cards.join('')}</ul>
</main>`;
  return page(await frame('API pages', await headOf(facts), header('', facts.version), main));
}

function card(service: Service, origin: string, facts: PageFacts): string {
  const { name, title, description, version = '1.0', routes, prefixes } = service;
  const addresses = [
    ...prefixes.map((prefix) => `<li><code>${safe(origin + prefix)}</code></li>`),
    ...hostsOf(service, facts).map((address) => `<li><code>${safe(address)}</code> <small>by the proxy</small></li>`),
  ];
  const operations = groupsOf(service).flatMap(([, of]) => of);
  return `
<li class="card" data-group data-words="${safe(name)}">
<h2><a href="/docs/${safe(name)}">${safe(title)}</a> <small>${safe(version)}</small></h2>
<p>${safe(description)}</p>
<ul class="addresses" aria-label="Addresses">${addresses.join('')}</ul>
<p class="links"><a href="/docs/${safe(name)}">Read and try</a> <a href="/docs/${safe(name)}.json">OpenAPI</a></p>
<details>
<summary>${routes.length} operations</summary>
<ul class="operations">${operations.map((route) => linkTo(service, route)).join('')}</ul>
</details>
</li>`;
}

const linkTo = ({ name, prefixes }: Service, route: Route): string =>
  `<li data-words="${safe(route.operation)}"><a href="/docs/${safe(name)}#${safe(route.operation)}">` +
  `${lineOf(route, prefixes[0])}</a></li>`;

const lineOf = ({ method, path, summary }: Route, prefix = ''): string =>
  `<span class="method ${safe(method.toLowerCase())}">${safe(method)}</span> ` +
  `<code>${safe(prefix + path || '/')}</code> <span>${safe(summary)}</span>`;

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
  const groups = groupsOf(service);
  const others = facts.services.map((one) => {
    const here = one === service ? ' aria-current="page"' : '';
    return `<a href="/docs/${safe(one.name)}"${here}>${safe(one.title)}</a>`;
  });
  const main = `
<main class="page" id="main">
<h1>${safe(title)} <small>${safe(version)}</small></h1>
<p class="lead">${safe(description)}</p>
<p class="facts"><code>${safe(originOf(x) + (prefixes[0] ?? ''))}</code> <a href="/docs/${safe(name)}.json">OpenAPI</a></p>
<div class="tools">
${searchField('Search', 'Operation, path or word')}
<div id="access" data-takes="${takenBy(service)}" data-hint="${safe(facts.hint)}"></div>
</div>
<noscript><p class="lead">This page needs scripts to try operations. The same is in the OpenAPI document.</p></noscript>
<div class="reference" id="reference" data-document="/docs/${safe(name)}.json">
${groups.length > 1 ? groupLinks(groups.map(([tag]) => tag)) : ''}
<div>${groups.map(([tag, routes]) => group(tag, routes)).join('')}</div>
</div>
</main>`;
  return page(await frame(title, await headOf(facts), header(others.join('\n'), facts.version), main));
}

const groupLinks = (tags: readonly string[]): string => `<nav class="groups" aria-label="Groups of operations">
${tags.map((tag) => `<a href="#group-${safe(tag)}">${safe(tag)}</a>`).join('\n')}
</nav>
`;

const group = (tag: string, routes: readonly Route[]): string => `
<section data-group data-words="${safe(tag)}" aria-labelledby="group-${safe(tag)}">
<h2 id="group-${safe(tag)}">${safe(tag)}</h2>
${routes.map(operation).join('\n')}
</section>`;

const operation = (route: Route): string =>
  `<details class="operation" id="${safe(route.operation)}" data-words="${safe(route.operation)}">` +
  `<summary>${lineOf(route)}</summary></details>`;

// The credentials of a caller: the key of a resource if the service has its own authentication.
const takenBy = (service: Service): 'nothing' | 'key' | 'token' =>
  isGuarded(service) ? (service.authentication ? 'key' : 'token') : 'nothing';

const searchField = (label: string, placeholder: string): string => `<div role="search">
<label for="search">${label}</label>
<input id="search" type="search" placeholder="${placeholder}" autocomplete="off" spellcheck="false">
<p id="found" role="status"></p>
</div>`;

async function headOf({ webFile }: PageFacts): Promise<string> {
  const [styles, script] = await Promise.all([webFile('styles.css'), webFile('reference.js')]);
  return `${styles === undefined ? await plainStyles() : `\n<link rel="stylesheet" href="${safe(styles)}">`}
<link rel="stylesheet" href="${await assetPath('reference.css')}">${
    script === undefined ? '' : `\n<script type="module" src="${safe(script)}"></script>`
  }`;
}

const header = (links: string, version: string): string => `
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="home" href="/docs">Cumulet <small>${safe(version)}</small></a>
${links && `<nav aria-label="Services">${links}</nav>`}
<div class="corner"><a href="/console">Console</a><div id="corner"></div></div>
</header>`;
