// Maps state paths of rows to declared resources: the declaration, the path of the uppermost resource, whose owner
// decides who may see the row, and the API path.
import type { Resource } from '../../core/resource.ts';
import { surfaceOf } from '../../surface/resource-routes.ts';

export interface Placed {
  resource: Resource;
  top: string; // the path of the uppermost resource
}

const maxRootParts = 2; // um/users

export class DeclaredPlaces {
  readonly #roots = new Set<string>();
  readonly #shapes = new Map<string, Resource>(); // `datacenters/servers/nics`: the path without ids
  readonly #prefix: () => string; // of the core API

  constructor(resources: readonly Resource[], corePrefix: () => string) {
    this.#prefix = corePrefix;
    for (const resource of resources)
      for (const shape of shapesOf(resource)) {
        this.#shapes.set(shape, resource);
        if (resource.parents.length === 0) this.#roots.add(shape);
      }
  }

  // Undefined if the row isn't a declared resource.
  find(path: string): Placed | undefined {
    const parts = path.split('/');
    for (let count = 1; count <= maxRootParts; count++) {
      const root = withoutRegion(parts.slice(0, count).join('/'));
      if (!this.#roots.has(root)) continue;
      const collections = parts.filter((_, at) => at > count && (at - count) % 2 === 1);
      const resource = this.#shapes.get([root, ...collections].join('/'));
      const endsWithId = (parts.length - count) % 2 === 1;
      return resource && endsWithId ? { resource, top: parts.slice(0, count + 1).join('/') } : undefined;
    }
    return undefined;
  }

  // The path in hrefs, without the host: /cloudapi/v6/datacenters/D, /de-txl/dns/zones/Z
  apiPath({ resource }: Placed, path: string): string {
    const prefix = this.#prefix();
    return surfaceOf(resource).href({ base: prefix, prefix }, path);
  }

  requestPath(id: string): string {
    return `${this.#prefix()}/requests/${id}`;
  }
}

const withoutRegion = (place: string): string => place.replace(/@.*$/, '@');

// A resource with several parents has several places.
function shapesOf(resource: Resource): string[] {
  if (resource.parents.length === 0) return [resource.dialect.rootPlace(resource, '')];
  return resource.parents.flatMap(shapesOf).map((above) => `${above}/${resource.plural}`);
}
