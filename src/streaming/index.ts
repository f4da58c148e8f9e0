// Event streaming: the service under /streaming. Kafka clients use the brokers, not the gateway.
import { idClaim } from '../core/regional.ts';
import type { Resource } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Exchange, Route, Service } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { renderRegionalFault } from '../surface/regional-dialect/body.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { accessRoute } from './access/access-route.ts';
import { cluster } from './clusters/cluster.ts';
import { topic } from './clusters/topic.ts';
import { user } from './clusters/user.ts';
import type { StreamingTools } from './tools.ts';

export const streamingResources = [cluster, topic, user];

export interface ServiceParts {
  sync(cluster: Row): Promise<boolean>; // updates the topic rows of a cluster; returns whether any changed
  more: readonly Route[]; // of other parts of the product
}

export function streamingService(machinery: Machinery, tools: StreamingTools, { sync, more }: ServiceParts): Service {
  const { store } = machinery;
  return {
    name: 'streaming',
    title: 'Event streaming',
    description: 'Regional clusters of Kafka brokers with their topics and users.',
    prefixes: ['/streaming', '/kafka'],
    hosts: ['kafka.<region>', 'streaming.<region>'],
    restApiPage: 'kafka',
    takesBasic: false,
    routes: [
      ...routesOf(machinery, [cluster as Resource, user as Resource]),
      ...routesOf(machinery, [topic as Resource]).map((route) => synced(route, sync)),
      accessRoute(machinery, tools),
      ...more,
    ],
    atRoot: {
      parts: ['clusters'],
      agent: 'sdk-go-kafka',
      has: async ({ who: { contract } }, id) => (await store.claimed(idClaim(cluster, id)))?.contract === contract,
    },
    renderFault: renderRegionalFault,
  };
}

// Updates the topic rows before they are read or changed, after the caller's rights are checked.
const synced = (route: Route, sync: (cluster: Row) => Promise<boolean>): Route => ({
  ...route,
  async resolve(x: Exchange) {
    await route.resolve?.(x);
    const [above] = x.rows;
    if (above && (await sync(above))) await route.resolve?.(x);
  },
});
