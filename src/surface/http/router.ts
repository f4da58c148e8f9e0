// Finds the route of a path, segment by segment. A static segment wins over a parameter. A path that exists
// with other methods only is 405 and names them.
import { Fault } from '../../base/fault.ts';
import type { Route } from './exchange.ts';

interface Node {
  next: Map<string, Node>;
  longest: number; // of the names in `next`: what is longer is an id, and is not looked for
  any?: Node;
  routes: Map<string, Route>;
}

export interface Match {
  route: Route;
  params: string[];
}

export class Router {
  #root: Node = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  #add(route: Route): void {
    let node = this.#root;
    for (const segment of route.path.split('/').filter(Boolean)) {
      if (segment.startsWith('{')) node = node.any ??= emptyNode();
      else {
        const next = node.next.get(segment) ?? emptyNode();
        node.next.set(segment, next);
        node.longest = Math.max(node.longest, segment.length);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, route);
  }

  match(method: string, path: string, prefix = ''): Match {
    const params: string[] = [];
    let node: Node | undefined = this.#root;
    for (let from = 1; from < path.length && node; ) {
      let to = path.indexOf('/', from);
      if (to < 0) to = path.length;
      const segment = path.slice(from, to);
      from = to + 1;
      const fixed: Node | undefined = segment.length > node.longest ? undefined : node.next.get(segment);
      if (!fixed && node.any) params.push(decode(segment));
      node = fixed ?? node.any;
    }
    if (!node || node.routes.size === 0) throw missing(prefix, path);
    const route = node.routes.get(method) ?? (method === 'HEAD' ? node.routes.get('GET') : undefined);
    if (!route) {
      const allow = [...node.routes.keys()];
      throw new Fault('method', `${method} is not possible here. Possible: ${allow.join(', ')}.`, { allow });
    }
    return { route, params };
  }
}

// Where a service begins there may be nothing, and yet that is the address that everybody is told.
const missing = (prefix: string, path: string): Fault => {
  const isBeginning = prefix !== '' && path.length <= 1;
  if (isBeginning) return new Fault('missing', `At ${prefix} a service begins: what is below it is listed at /docs.`);
  return new Fault('missing', `There is no ${prefix}${path || '/'} here.`);
};

const emptyNode = (): Node => ({ next: new Map(), longest: 0, routes: new Map() });

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Fault('missing', 'The path is not a well-formed URL path.');
  }
}
