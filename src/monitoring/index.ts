// Metric pipelines: the service under /monitoring. Pushes and queries with a key are in ingest.ts.

import { isObject } from '../base/json.ts';
import { idClaim } from '../core/regional.ts';
import type { Resource } from '../core/resource.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { keyRoute } from '../surface/pipelines/key-route.ts';
import type { Regions } from '../surface/product.ts';
import { renderRegionalFault } from '../surface/regional-dialect/body.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { central, centralId, centralRoutes } from './central.ts';
import { dashboard } from './dashboard.ts';
import { metricPipelines, pipeline } from './pipeline.ts';

export { central } from './central.ts';
export { pipeline } from './pipeline.ts';
export { monitoringTools } from './tools.ts';

export const monitoringResources = [pipeline, central, dashboard];

// `more`: routes of other parts of the product.
export function monitoringService(machinery: Machinery, regions: Regions, more: readonly Route[] = []): Service {
  const { store } = machinery;
  return {
    name: 'monitoring',
    title: 'Metric pipelines',
    description: 'Regional pipelines for metrics, their keys, and central monitoring.',
    prefixes: ['/monitoring'],
    hosts: ['monitoring.<region>'],
    restApiPage: 'observability-monitoring',
    takesBasic: false,
    routes: [
      ...routesOf(machinery, [pipeline as Resource, dashboard as Resource]),
      keyRoute(machinery, metricPipelines),
      ...centralRoutes(machinery, regions),
      ...more,
    ],
    atRoot: {
      parts: ['pipelines', 'central'],
      agent: 'sdk-go-monitoring',
      fits: (body) => !(isObject(body) && isObject(body.properties) && body.properties.logs !== undefined),
      async has({ who: { contract } }, id) {
        const isCentral = regions.all.some((region) => centralId({ contract, region }) === id);
        return isCentral || (await store.claimed(idClaim(pipeline, id)))?.contract === contract;
      },
    },
    renderFault: renderRegionalFault,
  };
}
