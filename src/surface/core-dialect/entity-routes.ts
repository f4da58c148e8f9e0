// Routes of a resource other than CRUD: its entities (attached volumes, the NICs in a LAN) and its actions (start,
// stop). This file knows no product.

import { missingResource } from '../../core/missing-resource.ts';
import { changeOf } from '../../core/operation/draft.ts';
import { chainOf, type Draft, type Entity, pathOf, type Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { collectionSchema, resourceSchema } from '../docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { perform } from '../perform.ts';
import { pathTo } from '../resource-paths.ts';
import { one } from './envelope.ts';
import { resolve } from './find.ts';
import { drawRows } from './list.ts';
import { depthOf, depthParameter, listParameters } from './query.ts';
import { requestLocation } from './reply.ts';

export function entityRoutes(machinery: Machinery, resources: readonly Resource[]): Route[] {
  return resources.flatMap((resource) =>
    resource.entities.filter(({ reach }) => reach).flatMap((entity) => reachRoutes(machinery, resource, entity)),
  );
}

function reachRoutes(machinery: Machinery, resource: Resource, entity: Entity): Route[] {
  const chain = chainOf(resource);
  const of = entity.of((name) => machinery.model.get(name));
  const path = `${pathTo(chain)}/${entity.name}`;
  const find = (x: Exchange) => resolve(machinery.store, x, chain, 'get');
  return [
    {
      method: 'GET',
      path,
      operation: `${resource.name}_${entity.name}_list`,
      summary: `List the ${entity.name} of a ${resource.name}`,
      parameters: listParameters,
      replySchema: collectionSchema(of),
      resolve: find,
      call: async (x) => {
        const owner = x.rows.at(-1) as Row;
        const at = { id: `${resource.ids.show(owner.id)}/${entity.name}`, path: `${pathOf(owner)}/${entity.name}` };
        const rows = await entity.members(owner, machinery.store, machinery.model.all());
        return json(200, await drawRows(machinery, of, x, rows, at));
      },
    },
    {
      method: 'GET',
      path: `${path}/{${of.name}Id}`,
      operation: `${resource.name}_${entity.name}_get`,
      summary: `Read one of the ${entity.name} of a ${resource.name}`,
      parameters: [depthParameter],
      replySchema: resourceSchema(of),
      resolve: find,
      call: async (x) => {
        const row = await memberOf(machinery, x, entity);
        return json(200, await one(await viewOf(machinery, x, pathOf(row)), of, row, depthOf(x)));
      },
    },
  ];
}

// The one that the path names last.
export async function memberOf({ store, model }: Machinery, x: Exchange, entity: Entity): Promise<Row> {
  const id = entity.of((name) => model.get(name)).ids.parse(x.params.at(-1) ?? '');
  const rows = id === undefined ? [] : await entity.members(x.rows.at(-1) as Row, store, model.all());
  const row = rows.find((found) => found.id === id);
  if (!row)
    throw missingResource(
      entity.of((name) => model.get(name)),
      x.params.at(-1) ?? '',
    );
  return row;
}

// POST …/{id}/start: neither the request nor the answer has a body.
export function actRoute(machinery: Machinery, resource: Resource, act: string, summary: string): Route {
  const chain = chainOf(resource);
  return {
    method: 'POST',
    path: `${pathTo(chain)}/${act}`,
    operation: `${resource.name}_${act}`,
    summary,
    replyStatus: 202,
    resolve: (x) => resolve(machinery.store, x, chain, 'change'),
    call: (x) => actCall(machinery, resource, act, x),
  };
}

async function actCall(machinery: Machinery, resource: Resource, act: string, x: Exchange): Promise<Reply> {
  const draft = (): Draft => changeOf(resource, x.who, x.rows.slice(0, -1), x.rows.at(-1) as Row, act);
  await perform(machinery, x, { sentBody: '', draft });
  return { status: 202, headers: requestLocation(x) };
}
