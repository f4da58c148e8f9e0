// VM auto scaling as the platform sees it: groups of servers that follow their load.

import type { Exchange, Reply, Route } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import { contracts, labGroups, type Ports, replicaServers } from '../surface/ports.ts';
import type { Context, Product } from '../surface/product.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { autoscalingResources } from './index.ts';
import { groupLab } from './lab.ts';
import { Scaler } from './scaler.ts';

const everyMs = 10_000;

export function openAutoscaling(context: Context, ports: Ports): Product {
  const { secrets, bounds } = context;
  const tools = { servers: () => ports.use(replicaServers), seal: secrets.seal, bounds };
  const resources = context.model.add(autoscalingResources, tools);
  const options = { ...context, tools, contracts: () => ports.use(contracts).numbers() };
  const scaler = new Scaler(options);
  ports.fill(labGroups, groupLab(options, scaler));
  return {
    name: 'autoscaling',
    resources,
    services: () => [
      {
        name: 'autoscaling',
        title: 'VM auto scaling',
        version: '1.ea',
        description: 'Groups of server replicas that are added and removed as a metric tells.',
        prefixes: ['/autoscaling/v1.ea', '/autoscaling'], // the longer one comes first
        hosts: ['api'],
        takesBasic: true,
        routes: routesOf(context, resources).map((route) => starting(route, scaler)),
        renderFault: (fault) => renderPlatformFault(fault),
      },
    ],
    reconcilers: [{ name: 'autoscaling', everyMs, run: () => scaler.run() }],
  };
}

// A change of a group begins its action at once. The request of that can be followed; clients follow the action.
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
