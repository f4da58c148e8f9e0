// Turns a resource declaration into routes: list, get, create, replace, change and remove. This file knows no product
// and no dialect: the dialect that the declaration names decides whatever differs.
import { core, type Dialect, regional } from '../core/dialect.ts';
import { chainOf, type Resource, type Verb } from '../core/resource.ts';
import type { Way } from '../core/schema.ts';
import { coreDialect } from './core-dialect/dialect.ts';
import type { SurfaceDialect, WholeDialect } from './dialect.ts';
import type { Exchange, Reply, Route } from './http/exchange.ts';
import type { Machinery } from './machinery.ts';
import { perform } from './perform.ts';
import { redact } from './redact.ts';
import { regionalDialect } from './regional-dialect/dialect.ts';
import { collectionPath, pathTo } from './resource-paths.ts';

const surfaces = new Map<Dialect, SurfaceDialect>([
  [core, coreDialect],
  [regional, regionalDialect],
]);

const isWhole = (dialect: Dialect): dialect is WholeDialect => 'renderFault' in dialect;

export function surfaceOf({ dialect }: Resource): SurfaceDialect {
  const surface = isWhole(dialect) ? dialect : surfaces.get(dialect);
  if (!surface) throw new Error(`The dialect ${dialect.name} has no surface half, so it has no routes.`);
  return surface;
}

// A resource with several parents is reached below each of them.
export const routesOf = (machinery: Machinery, resources: readonly Resource[]): Route[] =>
  resources.flatMap((resource) =>
    (resource.parents.length ? resource.parents : [undefined]).flatMap((parent) =>
      resource.verbs.map((verb) => routeOf(machinery, resource, parent ? chainOf(parent) : [], verb)),
    ),
  );

const methods: Record<Verb, string> = {
  list: 'GET',
  get: 'GET',
  create: 'POST',
  replace: 'PUT',
  change: 'PATCH',
  remove: 'DELETE',
};

function routeOf(machinery: Machinery, resource: Resource, above: readonly Resource[], verb: Verb): Route {
  const surface = surfaceOf(resource);
  const isOfOne = verb !== 'list' && verb !== 'create';
  const scope = resource.parents.length > 1 ? `${above.at(-1)?.name}_` : '';
  const sends = verb === 'create' || verb === 'replace' || verb === 'change';
  const changes = sends || verb === 'remove';
  const parameters = surface.parameters(resource, verb);
  return {
    method: methods[verb],
    path: `${pathTo(above)}${collectionPath(resource)}${isOfOne ? `/{${resource.name}Id}` : ''}`,
    operation: `${scope}${resource.name}_${verb}`,
    summary: surface.summary(resource, verb),
    adminOnly: changes && resource.rights.adminOnly === true,
    ...(verb === 'create' && { privilege: resource.rights.create }),
    takesBody: sends,
    ...(parameters && { parameters }),
    // Getters: only the API pages ask for the schemas, so a start does not make them.
    get bodySchema() {
      return sends ? surface.bodySchema(resource, verb) : undefined;
    },
    get replySchema() {
      return surface.replySchema(resource, verb);
    },
    ...surface.statuses(resource, verb),
    resolve: (x) => surface.find(machinery, x, above, resource, verb),
    call: callOf(machinery, surface, resource, verb),
  };
}

function callOf(
  machinery: Machinery,
  surface: SurfaceDialect,
  resource: Resource,
  verb: Verb,
): (x: Exchange) => Promise<Reply> {
  if (verb === 'list') return (x) => surface.list(machinery, resource, x);
  if (verb === 'get') return (x) => surface.get(machinery, resource, x);
  return (x) => changeCall(machinery, surface, resource, verb, x);
}

async function changeCall(
  machinery: Machinery,
  surface: SurfaceDialect,
  resource: Resource,
  way: Way | 'remove',
  x: Exchange,
): Promise<Reply> {
  surface.readBody?.(x);
  const form = way === 'change' && surface.wrapsPatch ? 'replace' : way;
  const accepted = await perform(machinery, x, {
    sentBody: form === 'remove' ? '' : redact(machinery.model, resource, x, form),
    draft: () => surface.draft(machinery, resource, way, x),
    ...(surface.decide && { decide: (draft) => surface.decide?.(machinery, draft) }),
  });
  return surface.reply(machinery, x, accepted);
}
