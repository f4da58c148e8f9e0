// Paths of products at the root of the gateway, for clients that know one host for all of them. Where several products
// have the same path, the product is found by a path or method that only one of them has, by the User-Agent, by the id
// in the path, or by the body. A call that fits several is refused, and the refusal names the prefixes.

import { Fault } from '../base/fault.ts';
import { missingResource } from '../core/missing-resource.ts';
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
    resolve: (x) => authorizeAny(claimants, x),
    call: (x) => delegate(claimants, x),
  };
}

// Rights come before the body. If only the body names the product, the caller needs the rights of one of them.
async function authorizeAny(claimants: readonly Claimant[], x: Exchange): Promise<void> {
  const meant = await meantBefore(claimants, x);
  if (meant) return enter(meant, x);
  const { service, route } = x;
  const refusals: Fault[] = [];
  const note = (error: unknown): void => {
    if (!(error instanceof Fault)) throw error;
    refusals.push(error);
  };
  for (const claimant of claimants) await enter(claimant, x).catch(note);
  if (refusals.length === claimants.length) throw refusals.find(({ kind }) => kind === 'missing') ?? refusals[0];
  Object.assign(x, { service, route, rows: [] });
}

// From here on the call belongs to that service.
async function enter({ service, route }: Claimant, x: Exchange): Promise<void> {
  x.service = service;
  x.route = route;
  await authorize(x);
}

// By a path or method that only one product has, by the client, or by the id.
async function meantBefore(claimants: readonly Claimant[], x: Exchange): Promise<Claimant | undefined> {
  const agent = x.req.headers['user-agent'] ?? '';
  const named = claimants.filter(({ root }) => agent.includes(root.agent));
  const only = [claimants, named].find((some) => some.length === 1)?.[0];
  const [id] = x.params;
  if (only || id === undefined) return only;
  for (const claimant of claimants) if (await claimant.root.has(x, id)) return claimant;
  return undefined;
}

async function delegate(claimants: readonly Claimant[], x: Exchange): Promise<Reply> {
  const fitting = claimants.filter(({ root }) => x.body === undefined || (root.fits?.(x.body) ?? true));
  const [only] = fitting;
  if (only === undefined || fitting.length > 1) throw undecided(claimants, x);
  await enter(only, x);
  return only.route.call(x);
}

function undecided(claimants: readonly Claimant[], x: Exchange): Fault {
  if (x.params.length > 0) return missingResource({ name: 'resource' }, x.params[0] ?? '');
  const prefixes = claimants.map(({ service }) => service.prefixes[0]);
  return new Fault('conflict', `Several products have this path: put one of ${prefixes.join(', ')} in front of it.`);
}
