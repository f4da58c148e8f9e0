// The platform's own API: models, predictions, and collections of documents. At /inference and on its own host.

import { Fault } from '../../base/fault.ts';
import type { Resource } from '../../core/resource.ts';
import type { Exchange, Reply, Route, Service } from '../../surface/http/exchange.ts';
import { renderPlatformFault } from '../../surface/http/payload.ts';
import { renderRegionalFault } from '../../surface/regional-dialect/body.ts';
import { routesOf } from '../../surface/resource-routes.ts';
import { isTooLong } from '../inference.ts';
import type { InferenceLimits } from '../limits.ts';
import { collection } from './collection.ts';
import { document } from './document.ts';
import { documentRoutes } from './document-routes.ts';
import { type NativeTools, predictionRoutes } from './predictions.ts';

export const inferenceResources = [collection, document] as Resource[];

export function nativeService(tools: NativeTools): Service {
  const { machinery, documents, limits } = tools;
  return {
    name: 'modelhub',
    title: 'Model hub',
    description: 'The native API of model inference: models, predictions, and documents that are searched by meaning.',
    prefixes: ['/inference'],
    hosts: ['inference.de-txl'],
    takesBasic: false,
    routes: [
      ...predictionRoutes(tools),
      ...routesOf(machinery, [collection as Resource]).map((route) => limited(limits, route)),
      ...documentRoutes(machinery, documents, limits),
    ],
    renderFault: (fault) => (isTooLong(fault) ? renderTooLong(fault) : renderRegionalFault(fault)),
  };
}

// As in the other API: 400, with the limit, which the audit does not get.
const renderTooLong = ({ kind, message, detail: { code } }: Fault): Reply =>
  renderPlatformFault(new Fault(kind, message, code === undefined ? {} : { code }), { refused: 400 });

// All calls of a contract to models share one limit.
const limited = (limits: InferenceLimits, route: Route): Route => ({
  ...route,
  async resolve(x: Exchange) {
    await route.resolve?.(x);
    limits.takeRequest(x);
  },
});
