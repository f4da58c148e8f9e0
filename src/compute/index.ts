// Core infrastructure: what stands under /cloudapi/v6.
import { json, type Route } from '../surface/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { always, textSchema } from '../surface/openapi.ts';
import { datacenter } from './datacenter.ts';
import { ipblock } from './ipblock.ts';
import { label, labelRoutes } from './label.ts';
import { lan, lanNicsRoute } from './lan.ts';
import { locationRoutes } from './location.ts';
import { type RequestTools, requestRoutes } from './request-routes.ts';

export { computeTools } from './tools.ts';

export const computeResources = [datacenter, lan, ipblock, label];

export function computeRoutes({ store, model }: Machinery, requests: Omit<RequestTools, 'model'>): Route[] {
  return [
    infoRoute,
    lanNicsRoute(store),
    ...locationRoutes(),
    ...labelRoutes(store),
    ...requestRoutes({ ...requests, model }),
  ];
}

// What clients ask for to try their credentials.
const infoRoute: Route = {
  method: 'GET',
  path: '/',
  operation: 'info_get',
  summary: 'What this API is',
  replySchema: always({ href: textSchema, name: textSchema, version: textSchema }),
  call: (x) => json(200, { href: `${x.base}/`, name: 'CLOUD API', version: '6.0' }),
};
