// The service of the region itself: health, readiness, metrics, the API pages and their documents. It shows no data of
// any contract.
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import type { Resource } from '../core/resource.ts';
import { pathParameter } from './docs/openapi.ts';
import { openapi } from './docs/openapi-document.ts';
import { assetReply, assetTypes } from './docs/page-assets.ts';
import { originOf } from './docs/pages.ts';
import { indexPage, type PageFacts, servicePage } from './docs/reference-pages.ts';
import { seedSchema } from './docs/seed-schema.ts';
import { sectionsOf } from './docs/seed-sections.ts';
import { type Exchange, json, type Reply, type Route, type Service } from './http/exchange.ts';
import { renderPlatformFault } from './http/payload.ts';
import type { Metrics } from './metrics.ts';

export interface RegionTools extends Omit<PageFacts, 'services'> {
  services: () => readonly Service[];
  metrics: Metrics;
  resources: () => readonly Resource[];
  unready: () => string | undefined; // the reason; absent: it is ready
}

export function regionService(tools: RegionTools): Service {
  return {
    name: 'region',
    title: 'Region',
    description: 'Health, metrics, the API pages and the API documents of this region.',
    prefixes: [''],
    hosts: [],
    notBuilt,
    takesBasic: false,
    routes: routes(tools),
    renderFault: (fault) => renderPlatformFault(fault),
  };
}

// Prefixes of the platform's products. Whichever product is built has its own before it comes to these.
const notBuilt = {
  autoscaling: 'VM auto scaling',
  billing: 'billing',
  containerregistries: 'the container registry',
  databases: 'the service of managed databases',
};

const words = (...names: string[]): Json => ({
  type: 'object',
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const text: Json = { type: 'string' };

function routes(tools: RegionTools): Route[] {
  const { services, metrics, version, unready } = tools;
  const route = (path: string, operation: string, summary: string, replySchema: Json, call: Route['call']): Route => ({
    method: 'GET',
    path,
    operation,
    summary,
    open: true,
    replySchema,
    call,
  });
  const facts = (): PageFacts => ({ ...tools, services: services() });
  return [
    route(
      '/',
      'region_index',
      'The services of this region; browsers are redirected to the console',
      indexSchema,
      (x) => {
        if (x.req.headers.accept?.includes('text/html')) return { status: 303, headers: ['Location', '/console'] };
        const origin = x.base;
        const list = services().map(({ name, title, prefixes }) => ({
          name,
          title,
          address: origin + (prefixes[0] ?? ''),
          docs: `${origin}/docs/${name}`,
          openapi: `${origin}/docs/${name}.json`,
        }));
        return json(200, { name: 'cumulet', version, docs: `${origin}/docs`, services: list });
      },
    ),
    route('/health', 'region_health', 'Alive', words('status'), () => json(200, { status: 'ok' })),
    route('/ready', 'region_ready', 'Ready to serve', words('status', 'version'), () => {
      const why = unready();
      if (why !== undefined) throw new Fault('unavailable', why, { retryAfterS: 1 });
      return json(200, { status: 'ready', version });
    }),
    {
      ...route('/metrics', 'region_metrics', 'Prometheus metrics of the platform itself', text, async () => ({
        status: 200,
        type: 'text/plain; version=0.0.4; charset=utf-8',
        body: await metrics.text(),
      })),
      replyTypes: ['text/plain'],
    },
    {
      ...route('/docs', 'region_docs', 'The page that lists all services', text, (x) => indexPage(x, facts())),
      replyTypes: ['text/html'],
    },
    {
      ...route('/docs/assets/{asset}', 'region_asset', 'A file of the API pages', text, (x) =>
        assetReply(x, x.params[0] ?? '', x.search.get('v')),
      ),
      parameters: [
        pathParameter('asset', 'The name of the file', 'page.css'),
        { name: 'v', in: 'query', description: 'The hash of the file: browsers cache such an answer', schema: text },
      ],
      replyTypes: assetTypes,
    },
    {
      ...route('/docs/{document}', 'region_openapi', documentSummary, {}, (x) =>
        x.params[0] === 'seed.schema.json'
          ? json(200, seedSchema(sectionsOf(tools.resources(), services())))
          : documentReply(x, facts()),
      ),
      parameters: [pathParameter('document', 'The name of a service, or that and .json', 'region.json')],
      replyTypes: ['text/html', 'application/json'],
    },
  ];
}

const documentSummary = 'The page of a service, by its name, or its OpenAPI document: <name>.json';

function documentReply(x: Exchange, facts: PageFacts): Reply | Promise<Reply> {
  const [, name, isDocument] = /^(\w+)(\.json)?$/.exec(x.params[0] ?? '') ?? [];
  const found = facts.services.find((service) => service.name === name);
  if (found) return isDocument ? json(200, openapi(found, originOf(x))) : servicePage(x, found, facts);
  const known = facts.services.map((one) => `${one.name}, ${one.name}.json`).join(', ');
  throw new Fault('missing', `There is no such page or document. Known: ${known}`);
}

const indexSchema: Json = {
  type: 'object',
  required: ['name', 'version', 'docs', 'services'],
  properties: {
    name: { const: 'cumulet' },
    version: text,
    docs: text,
    services: { type: 'array', items: words('name', 'title', 'address', 'docs', 'openapi') },
  },
};
