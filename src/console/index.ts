// The web console as the gateway serves it: one page for all of its addresses (the web app finds out which), the
// app's files, and the facts that the app can't know. It is no API, so no document lists it. The routes of sessions are
// identity's, and handed in.

import { type Clock, iso } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Resource } from '../core/resource.ts';
import { fileReply } from '../surface/docs/page-assets.ts';
import { frame, page, safe } from '../surface/docs/pages.ts';
import { type Exchange, json, type Reply, type Route, type Service } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import type { Regions } from '../surface/product.ts';
import { deriveModels } from './derive-model.ts';
import { filesAddress, type WebApp } from './web-app.ts';

export interface ConsoleTools {
  version: string;
  regions: Regions;
  services: () => readonly Service[]; // those with API pages
  resources: () => readonly Resource[];
  lifetimes: readonly [name: string, seconds: number][];
  mostTokens: number;
  sessionRoutes: Route[];
  liveRoutes: Route[]; // of what changes
  productRoutes: readonly Route[];
  clock: Pick<Clock, 'now' | 'offset'>;
  log: Log;
  app: () => Promise<WebApp>;
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
  const pages = ['/', '/{page}', '/{page}/{rest*}'];
  return [
    ...pages.map((path, depth) => route(path, `webconsole_page${depth}`, 'A page of the console', () => shell(tools))),
    route('/facts', 'webconsole_facts', 'What the console shows of this region', () => facts(tools)),
    route('/model', 'webconsole_model', 'What the console knows of the resources', () => model(tools)),
    route('/assets/{version}/{file*}', 'webconsole_file', 'A file of the web app', (x) => file(x, tools)),
    ...tools.liveRoutes,
    ...tools.sessionRoutes,
    ...tools.productRoutes,
  ];
}

async function file(x: Exchange, tools: ConsoleTools): Promise<Reply> {
  const [version, name = ''] = x.params;
  const app = await tools.app();
  return fileReply(name, app.file(name), version === app.version);
}

function facts({ version, regions, services, lifetimes, mostTokens, clock }: ConsoleTools): Reply {
  const told = {
    version,
    regions: regions.all,
    home: regions.home,
    services: services().map(({ name, title, description }) => ({ name, title, description })),
    lifetimes: lifetimes.map(([name, seconds]) => ({ name, seconds })),
    mostTokens,
    clock: { now: iso(clock.now()), offsetMs: clock.offset() },
  };
  return json(200, told, ['Cache-Control', 'no-cache']);
}

// The same for everybody, and as long as the program runs.
const model = ({ services, resources }: ConsoleTools): Reply =>
  json(200, { resources: deriveModels(services(), resources()) }, ['Cache-Control', 'no-cache']);

async function shell({ version, log, ...tools }: ConsoleTools): Promise<Reply> {
  const top = `
<a class="skip" href="#main">To the content</a>`;
  const header = `
<header class="top"><a class="home" href="/console">Cumulet <small>${safe(version)}</small></a></header>`;
  let app: WebApp;
  try {
    app = await tools.app();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.error('the console can not be bundled', { reason });
    return { ...page(await frame('Console', '', top, header + unavailable(reason))), status: 503 };
  }
  const at = (name: string): string => safe(filesAddress(app, name));
  const head = `
<link rel="stylesheet" href="${at('styles.css')}">
<script type="module" src="${at('main.js')}"></script>`;
  const main = `
<div class="console" id="console">${header}</div>
<noscript><p class="page">The console needs scripts. The <a href="/docs">API pages</a> list what can be done without it.
</p></noscript>`;
  return page(await frame('Console', head, top, main));
}

// In a checkout alone: the npm package has the bundle.
const unavailable = (reason: string): string => `
<main class="page" id="main">
<h1>The console can not be shown</h1>
<p>esbuild, which puts its pages together, does not run here or found an error. Run <code>npm ci</code> in the folder of
Cumulet, then load this page again. The <a href="/docs">API pages</a> and all services work without it.</p>
<pre tabindex="0">${safe(reason)}</pre>
</main>`;
