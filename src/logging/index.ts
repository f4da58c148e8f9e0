// Log pipelines: the service under /logging. Pushes and queries with a key are in ingest.ts.
import { isObject } from '../base/json.ts';
import type { Seal } from '../base/seal.ts';
import { idClaim } from '../core/regional.ts';
import type { Resource } from '../core/resource.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { keyRoute } from '../surface/pipelines/key-route.ts';
import type { Regions } from '../surface/product.ts';
import { renderRegionalFault } from '../surface/regional-dialect/body.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { central, centralId, centralRoutes } from './central.ts';
import { keptOf, logPipelines, pipeline } from './pipeline.ts';

export const loggingResources = [pipeline, central];

export interface LoggingServiceOptions {
  machinery: Machinery;
  regions: Regions;
  seal: Seal;
  more: readonly Route[]; // of other parts of the product
}

export function loggingService({ machinery, regions, seal, more }: LoggingServiceOptions): Service {
  const { store } = machinery;
  return {
    name: 'logging',
    title: 'Log pipelines',
    description: 'Regional pipelines for log lines, their keys, and central logging.',
    prefixes: ['/logging'],
    hosts: ['logging.<region>'],
    restApiPage: 'logging',
    takesBasic: false,
    routes: [
      ...routesOf(machinery, [pipeline as Resource]),
      keyRoute(machinery, { ...logPipelines, keptOf: (key) => keptOf(seal, key) }),
      ...centralRoutes(machinery, regions),
      ...more,
    ],
    atRoot: {
      parts: ['pipelines', 'central'],
      agent: 'sdk-go-logging',
      fits: (body) => !(isObject(body) && isObject(body.properties) && isMetricPipeline(body.properties)),
      async has({ who: { contract } }, id) {
        const isCentral = regions.all.some((region) => centralId({ contract, region }) === id);
        return isCentral || (await store.claimed(idClaim(pipeline, id)))?.contract === contract;
      },
    },
    renderFault: renderRegionalFault,
  };
}

// Metric pipelines are created with a name and without streams.
const isMetricPipeline = (properties: object): boolean => 'name' in properties && !('logs' in properties);
