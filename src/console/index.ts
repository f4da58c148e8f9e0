// The routes of the web console: one page for all addresses (the web app has the router), the files of the app, and
// facts about the region. It isn't an API, so no document lists it. Identity provides the session routes.

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { readingOf } from '../core/region-clock.ts';
import type { Resource } from '../core/resource.ts';
import type { ConsoleParts } from '../surface/console-parts.ts';
import { compressedReply } from '../surface/docs/compression.ts';
import { fileReply } from '../surface/docs/page-assets.ts';
import { frame, page, plainStyles, safe } from '../surface/docs/pages.ts';
import { type Exchange, json, type Reply, type Route, type Service } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import type { MachineEngineInfo } from '../surface/ports.ts';
import type { Regions } from '../surface/product.ts';
import { deriveModels } from './derive-model.ts';
import { navigationOf } from './navigation.ts';
import type { ResourceModel } from './resource-model.ts';
import { type Titles, titlesIn } from './titles.ts';
import { filesAddress, type WebApp } from './web-app.ts';

export interface ConsoleTools {
  version: string;
  regions: Regions;
  services: () => readonly Service[]; // services with API pages
  resources: () => readonly Resource[];
  lifetimes: readonly [name: string, seconds: number][];
  mostTokens: number;
  sessionRoutes: Route[];
  parts: () => readonly ConsoleParts[];
  liveRoutes: Route[]; // live updates and search
  productRoutes: readonly Route[];
  machines: MachineEngineInfo;
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
  let models: Buffer | undefined; // equal for all users, and constant while the program runs
  const model = (): Reply => {
    models ??= Buffer.from(JSON.stringify({ resources: modelsOf(tools) }));
    return json(200, models, ['Cache-Control', 'no-cache']);
  };
  return [
    ...pages.map((path, depth) =>
      route(path, `webconsole_page${depth}`, 'A page of the console', async (x) =>
        compressedReply(x, await shell(tools)),
      ),
    ),
    route('/facts', 'webconsole_facts', 'Facts about the region', () => facts(tools)),
    route('/navigation', 'webconsole_navigation', 'The pages of the console', (x) =>
      compressedReply(x, navigation(tools)),
    ),
    route('/model', 'webconsole_model', 'Models of all resource types', (x) => compressedReply(x, model())),
    route('/assets/{version}/{file*}', 'webconsole_file', 'A file of the web app', (x) => file(x, tools)),
    ...tools.liveRoutes,
    ...tools.sessionRoutes,
    ...tools.productRoutes,
  ];
}

async function file(x: Exchange, tools: ConsoleTools): Promise<Reply> {
  const [version, name = ''] = x.params;
  const app = await tools.app();
  return compressedReply(x, fileReply(name, app.file(name), version === app.version));
}

function facts({ version, regions, services, lifetimes, mostTokens, machines, clock }: ConsoleTools): Reply {
  const body = {
    version,
    regions: regions.all,
    home: regions.home,
    services: services().map(({ name, title, description }) => ({ name, title, description })),
    lifetimes: lifetimes.map(([name, seconds]) => ({ name, seconds })),
    mostTokens,
    machines: { engine: machines.title, isReal: machines.isReal, abilities: machines.abilities },
    clock: readingOf(clock),
  };
  return json(200, body, ['Cache-Control', 'no-cache']);
}

const titlesOf = ({ resources, parts }: ConsoleTools): Titles =>
  titlesIn(
    resources(),
    parts().map(({ titles = {} }) => titles),
  );

const modelsOf = (tools: ConsoleTools): ResourceModel[] =>
  deriveModels(tools.services(), tools.resources(), titlesOf(tools));

function navigation(tools: ConsoleTools): Reply {
  const pages = tools.parts().flatMap((one) => one.pages ?? []);
  const body = { groups: navigationOf(pages, modelsOf(tools)), titles: titlesOf(tools) };
  return json(200, body, ['Cache-Control', 'no-cache']);
}

async function shell({ version, log, ...tools }: ConsoleTools): Promise<Reply> {
  const top = `
<a class="skip" href="#main">Skip to content</a>`;
  const header = `
<header class="top"><a class="home" href="/console">Cumulet <small>${safe(version)}</small></a></header>`;
  let app: WebApp;
  try {
    app = await tools.app();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.error('the console cannot be bundled', { reason });
    return { ...page(await frame('Console', await plainStyles(), top, header + unavailable(reason))), status: 503 };
  }
  const at = (name: string): string => safe(filesAddress(app, name));
  const head = `
<link rel="stylesheet" href="${at('styles.css')}">
<script type="module" src="${at(app.main)}"></script>`;
  const main = `
<div class="console" id="console">${header}</div>
<noscript><p class="page">The console needs JavaScript. The <a href="/docs">API pages</a> work without it.</p>
</noscript>`;
  return page(await frame('Console', head, top, main), tools.machines.isReal);
}

// Happens only in a checkout: the npm package contains the bundle.
const unavailable = (reason: string): string => `
<main class="page" id="main">
<h1>The console cannot be shown</h1>
<p>esbuild, which bundles its pages, does not run here or reported an error. Run <code>npm ci</code> in the folder of
Cumulet, then reload this page. The <a href="/docs">API pages</a> and all services work without the console.</p>
<pre tabindex="0">${safe(reason)}</pre>
</main>`;
