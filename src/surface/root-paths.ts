// Paths of products at the root of the gateway, for clients that know one host for all of them. Where several products
// have the same path, the product is found by a path or method that only one of them has, by the User-Agent, by the
// body, or by the id in the path. A call that fits several is refused, and the refusal names the prefixes.
import { Fault } from '../base/fault.ts';
import type { Exchange, Reply, RootPaths, Route, Service } from './http/exchange.ts';
import { authorize } from './http/stages.ts';
import { renderRegionalFault } from './regional-dialect/body.ts';

interface Claimant {
  service: Service;
  root: RootPaths;
  route: Route;
}

// No document lists it: each of its routes belongs to another service.
export function rootService(services: readonly Service[]): Service {
  const claimants = services.flatMap((service) => claimantsOf(service));
  const groups = Map.groupBy(claimants, ({ route }) => `${route.method} ${shapeOf(route.path)}`);
  return {
    name: 'root',
    title: 'Paths at the root',
    description: '',
    prefixes: [],
    hosts: [],
    roots: [...new Set(services.flatMap(({ atRoot }) => atRoot?.parts ?? []))],
    takesBasic: false,
    routes: [...groups.values()].map(sharedRoute),
    renderFault: renderRegionalFault,
  };
}

const claimantsOf = (service: Service): Claimant[] => {
  const { atRoot: root, routes } = service;
  if (!root) return [];
  // A stream can't be read before the product is known.
  const own = routes.filter(({ path, takesStream }) => root.parts.includes(path.split('/')[1] ?? '') && !takesStream);
  return own.map((route) => ({ service, root, route }));
};

// Products name their ids differently.
const shapeOf = (path: string): string => path.replace(/\{\w+\}/g, '{id}');

function sharedRoute(claimants: Claimant[]): Route {
  const { method, path, operation, summary, takesBytes = false, bodyLimit } = (claimants[0] as Claimant).route;
  if (claimants.some(({ route }) => (route.takesBytes ?? false) !== takesBytes))
    throw new Error(`${method} ${path} at the root takes JSON for one product and bytes for another`);
  return {
    method,
    path: shapeOf(path),
    operation,
    summary,
    takesBody: claimants.some(({ route }) => route.takesBody),
    takesBytes,
    ...(bodyLimit !== undefined && { bodyLimit }),
    call: (x) => delegate(claimants, x),
  };
}

// From here on the call belongs to that service.
async function delegate(claimants: readonly Claimant[], x: Exchange): Promise<Reply> {
  const { service, route } = await chosen(claimants, x);
  x.service = service;
  x.route = route;
  await authorize(x);
  return route.call(x);
}

async function chosen(claimants: readonly Claimant[], x: Exchange): Promise<Claimant> {
  const agent = x.req.headers['user-agent'] ?? '';
  const named = claimants.filter(({ root }) => agent.includes(root.agent));
  const fitting = claimants.filter(({ root }) => x.body === undefined || (root.fits?.(x.body) ?? true));
  const only = [claimants, named, fitting].find((some) => some.length === 1)?.[0];
  if (only) return only;
  const [id] = x.params;
  if (id === undefined) throw undecided(claimants);
  for (const claimant of fitting) if (await claimant.root.has(x, id)) return claimant;
  throw new Fault('missing', 'Resource does not exist');
}

function undecided(claimants: readonly Claimant[]): Fault {
  const prefixes = claimants.map(({ service }) => service.prefixes[0]);
  return new Fault('conflict', `Several products have this path: put one of ${prefixes.join(', ')} in front of it.`);
}
