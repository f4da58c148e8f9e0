// VM auto scaling as the platform sees it: groups of servers that follow their load.

import type { Exchange, Reply, Route } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import { consoleParts, contracts, labGroups, type Ports, replicaServers } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { ownParts } from './console-parts.ts';
import { autoscalingResources } from './index.ts';
import { groupLab } from './lab.ts';
import { Scaler } from './scaler.ts';

const everyMs = 10_000;

export function openAutoscaling(context: Context, ports: Ports): Product {
  ports.add(consoleParts, ownParts);
  const { secrets, bounds } = context;
  const tools = { servers: () => ports.use(replicaServers), seal: secrets.seal, bounds };
  const resources = context.model.add(autoscalingResources, tools);
  const options = { ...context, tools, contracts: () => ports.use(contracts).numbers() };
  const scaler = new Scaler(options);
  ports.fill(labGroups, groupLab(options, scaler));
  return {
    resources,
    services: () => [
      {
        name: 'autoscaling',
        title: 'VM auto scaling',
        version: '1.ea',
        description: 'Groups of server replicas that scale out and in by a metric.',
        prefixes: ['/autoscaling/v1.ea', '/autoscaling'], // the longer one comes first
        hosts: ['api'],
        restApiPage: 'vmautoscaling',
        takesBasic: true,
        routes: routesOf(context, resources).map((route) => starting(route, scaler)),
        renderFault: (fault) => renderPlatformFault(fault),
      },
    ],
    reconcilers: [{ name: 'autoscaling', everyMs, run: () => scaler.run() }],
  };
}

// A change of a group starts its action at once. That request can be followed; clients follow the action.
function starting(route: Route, scaler: Scaler): Route {
  if (!route.takesBody) return route;
  const call = async (x: Exchange): Promise<Reply> => {
    const reply = await route.call(x);
    const { contract = 0, id = '' } = x.rows[0] ?? {};
    const started = await scaler.start(contract, id);
    if (started === undefined) return reply;
    const origin = x.base.slice(0, x.base.length - x.prefix.length);
    const location = ['Location', `${origin}/cloudapi/v6/requests/${started}/status`];
    return { ...reply, headers: [...(reply.headers ?? []), ...location] };
  };
  return { ...route, call };
}
