// The web console as the gateway serves it: one page for all of its addresses (the web app finds out which), the
// app's files, and the facts that the app can't know. It is no API: it stands beside the documented services. Who is
// signed in is identity's business, whose routes are handed in.

import { fileReply } from '../surface/docs/page-assets.ts';
import { frame, page, safe } from '../surface/docs/pages.ts';
import { type Exchange, json, type Reply, type Route, type Service } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import { filesAddress, webApp } from './web-app.ts';

export interface ConsoleTools {
  version: string;
  regions: readonly string[];
  services: () => readonly Service[]; // those with API pages
  lifetimes: readonly [name: string, seconds: number][];
  mostTokens: number;
  sessionRoutes: Route[];
}

export function consoleService(tools: ConsoleTools): Service {
  return {
    name: 'console',
    title: 'Console',
    description: 'The web console.',
    prefixes: ['/console'],
    hosts: [],
    isHidden: true,
    takesBasic: false,
    routes: routes(tools),
    renderFault: (fault) => renderPlatformFault(fault),
  };
}

function routes(tools: ConsoleTools): Route[] {
  const route = (path: string, operation: string, summary: string, call: Route['call']): Route => ({
    method: 'GET',
    path,
    operation,
    summary,
    open: true,
    call,
  });
  // A page's address has four parts at most; there is nothing but the depth to tell them apart here.
  const pages = ['/', '/{page}', '/{page}/{part}', '/{page}/{part}/{item}', '/{page}/{part}/{item}/{view}'];
  return [
    ...pages.map((path, depth) =>
      route(path, `webconsole_page${depth}`, 'A page of the console', () => shell(tools.version)),
    ),
    route('/facts', 'webconsole_facts', 'What the console shows of this region', () => facts(tools)),
    route('/assets/{version}/{file}', 'webconsole_file', 'A file of the web app', file),
    route('/assets/{version}/{folder}/{file}', 'webconsole_fileInside', 'A file of the web app', file),
    ...tools.sessionRoutes,
  ];
}

async function file(x: Exchange): Promise<Reply> {
  const [version, ...path] = x.params;
  const app = await webApp();
  const name = path.join('/');
  return fileReply(name, app.file(name), version === app.version);
}

function facts({ version, regions, services, lifetimes, mostTokens }: ConsoleTools): Reply {
  const told = {
    version,
    regions,
    services: services().map(({ name, title, description }) => ({ name, title, description })),
    lifetimes: lifetimes.map(([name, seconds]) => ({ name, seconds })),
    mostTokens,
  };
  return json(200, told, ['Cache-Control', 'no-cache']);
}

async function shell(version: string): Promise<Reply> {
  const app = await webApp();
  const at = (name: string): string => safe(filesAddress(app, name));
  const head = `
<link rel="stylesheet" href="${at('parts.css')}">
<link rel="stylesheet" href="${at('pages.css')}">
<script type="module" src="${at('main.ts')}"></script>`;
  const top = `
<a class="skip" href="#main">To the content</a>
<header class="top" id="top"><a class="home" href="/console">Cumulet <small>${safe(version)}</small></a></header>`;
  const main = `
<div class="console" id="console"></div>
<noscript><p class="page">The console needs scripts. The <a href="/docs">API pages</a> list what can be done without it.
</p></noscript>
<div class="toasts" id="toasts" role="status" aria-live="polite"></div>`;
  return page(await frame('Console', head, top, main));
}
