// What is about the region itself: health, readiness, metrics and the API documents. Nothing of a contract is in it.
import { Fault } from '../base/fault.ts';
import { json, type Route, type Service } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import { openapi } from './openapi.ts';
import { drawPlatform } from './payload.ts';

export interface RegionTools {
  services: () => readonly Service[];
  metrics: Metrics;
  version: string;
  ready: () => boolean;
}

export function regionService(tools: RegionTools): Service {
  return {
    name: 'region',
    title: 'Region',
    description: 'Health, metrics and the API documents of this region.',
    prefixes: [''],
    hosts: [],
    takesBasic: false,
    routes: routes(tools),
    draw: (fault) => drawPlatform(fault),
  };
}

function routes({ services, metrics, version, ready }: RegionTools): Route[] {
  const route = (path: string, operation: string, summary: string, call: Route['call']): Route => ({
    method: 'GET',
    path,
    operation,
    summary,
    open: true,
    replySchema: {},
    call,
  });
  return [
    route('/', 'region_index', 'What is served here', (x) => {
      const origin = x.base;
      const list = services().map(({ name, title, prefixes }) => ({
        name,
        title,
        address: origin + (prefixes[0] ?? ''),
        openapi: `${origin}/docs/${name}.json`,
      }));
      return json(200, { name: 'cumulet', version, services: list });
    }),
    route('/health', 'region_health', 'Alive', () => json(200, { status: 'ok' })),
    route('/ready', 'region_ready', 'Ready to serve', () => {
      if (!ready()) throw new Fault('unavailable', 'The region is starting or stopping.', { retryAfterS: 1 });
      return json(200, { status: 'ready', version });
    }),
    route('/metrics', 'region_metrics', 'Prometheus metrics of the platform itself', () => ({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      body: metrics.text(),
    })),
    route('/docs/{document}', 'region_openapi', 'The OpenAPI document of a service: <name>.json', (x) => {
      const name = /^(\w+)\.json$/.exec(x.params[0] ?? '')?.[1];
      const found = services().find((service) => service.name === name);
      if (!found)
        throw new Fault(
          'missing',
          `There is no such document. Known: ${services()
            .map((one) => `${one.name}.json`)
            .join(', ')}`,
        );
      return json(200, openapi(found, x.base));
    }),
  ];
}
