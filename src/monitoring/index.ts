// Metric pipelines: the service under /monitoring. Pushes and queries with a key are in ingest.ts.

import { isObject } from '../base/json.ts';
import { idClaim } from '../core/regional.ts';
import type { Resource } from '../core/resource.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { renderRegionalFault } from '../surface/regional-dialect/body.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { central, centralId, centralRoutes, type Regions } from './central.ts';
import { dashboard } from './dashboard.ts';
import { pipeline } from './pipeline.ts';
import { keyRoute } from './pipeline-key.ts';

export { central, centralId, enabledCentrals, findCentral, type Regions } from './central.ts';
export { type PipelineFacts, pipeline } from './pipeline.ts';
export { everyPipeline, keysOf, type PipelineKeys, pipelineByNumber } from './pipeline-key.ts';
export { type MetricPort, type MonitoringTools, monitoringTools } from './tools.ts';

export const monitoringResources = [pipeline, central, dashboard];

// `more`: routes of other parts of the product.
export function monitoringService(machinery: Machinery, regions: Regions, more: readonly Route[] = []): Service {
  const { store } = machinery;
  return {
    name: 'monitoring',
    title: 'Metric pipelines',
    description: 'Pipelines that metrics are pushed to, their keys, and central monitoring; by region.',
    prefixes: ['/monitoring'],
    hosts: ['monitoring.<region>'],
    takesBasic: false,
    routes: [
      ...routesOf(machinery, [pipeline as Resource, dashboard as Resource]),
      keyRoute(machinery),
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
