// Finds the route of a path, segment by segment. A static segment wins over a parameter, a parameter over a wildcard
// (`/{bucket}/{key*}`), which takes the rest of the path, slashes included, and may be empty. The router does not
// backtrack from a static segment: a parameter in the same place never gets that word. A path that exists with other
// methods only is 405 and names them.
import { Fault } from '../../base/fault.ts';
import type { Route } from './exchange.ts';

interface Node {
  statics: Map<string, Node>;
  parameter?: Node;
  wildcard?: Node;
  routes: Map<string, Route>;
}

export interface Match {
  route: Route;
  params: string[]; // decoded
  rest: string; // the raw text that a wildcard matched
}

export class Router {
  #root: Node = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  #add(route: Route): void {
    if (/\*\}./.test(route.path)) throw new Error(`the wildcard of ${route.path} is not its last part`);
    let node = this.#root;
    for (const segment of route.path.split('/').filter(Boolean)) {
      if (segment.endsWith('*}')) node = node.wildcard ??= emptyNode();
      else if (segment.startsWith('{')) node = node.parameter ??= emptyNode();
      else {
        const next = node.statics.get(segment) ?? emptyNode();
        node.statics.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, route);
  }

  match(method: string, path: string, prefix = ''): Match {
    const found = this.#find(path);
    if (!found) throw missing(prefix, path);
    const params = found.params.map(decode);
    const { routes } = found.node;
    const route = routes.get(method) ?? (method === 'HEAD' ? routes.get('GET') : undefined);
    if (!route) {
      const allow = [...routes.keys()];
      throw new Fault('method', `${method} is not possible here. Possible: ${allow.join(', ')}.`, { allow });
    }
    return { route, params, rest: found.rest };
  }

  #find(path: string): Found | undefined {
    const params: string[] = [];
    let node: Node | undefined = this.#root;
    let fallback: Found | undefined; // the innermost wildcard on the way
    let from = 1;
    for (;;) {
      if (node.wildcard) {
        const rest = path.slice(from);
        fallback = { node: node.wildcard, params: [...params, rest], rest };
      }
      if (from >= path.length) break;
      let to = path.indexOf('/', from);
      if (to < 0) to = path.length;
      const segment = path.slice(from, to);
      from = to + 1;
      const fixed: Node | undefined = node.statics.get(segment);
      if (!fixed) params.push(segment);
      node = fixed ?? node.parameter;
      if (!node) return fallback;
    }
    return node.routes.size > 0 ? { node, params, rest: '' } : fallback;
  }
}

interface Found {
  node: Node;
  params: string[]; // as they came
  rest: string;
}

// The root of a service may have no route, although it is the address that clients are configured with.
const missing = (prefix: string, path: string): Fault => {
  const isBeginning = prefix !== '' && path.length <= 1;
  if (isBeginning) return new Fault('missing', `${prefix} is the root of a service. /docs lists its operations.`);
  return new Fault('missing', `There is no ${prefix}${path || '/'} here.`);
};

const emptyNode = (): Node => ({ statics: new Map(), routes: new Map() });

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Fault('missing', 'The path is not a well-formed URL path.');
  }
}
