// How the auto scaling service renders resources. Depth 0 is id, type and href; 1 adds metadata and properties, with
// links to child resources; 2 and more expands those.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import { stampsOf } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import { derivedOf, etagOf, hrefOf, stateOf, type View } from '../../surface/core-dialect/envelope.ts';
import { always, propertiesSchema, textSchema, timeSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Parameter } from '../../surface/http/exchange.ts';

const mostDepth = 10;

// Clients send it as a decimal too: `2.0`.
export function depthIn(x: Exchange): number {
  const text = x.search.get('depth');
  if (text === null || text === '') return 1;
  const depth = Math.trunc(Number(text));
  if (depth >= 0 && depth <= mostDepth) return depth;
  throw new Fault('refused', `[(query).depth] Expected a number from 0 to ${mostDepth}, got '${text.slice(0, 40)}'`);
}

export const depthParameter: Parameter = {
  name: 'depth',
  in: 'query',
  description: 'Level of detail: 0 ids only, 1 properties and links, 2 child resources as well. Default: 1',
  schema: { type: 'number', minimum: 0, maximum: mostDepth },
};

// The path below the service: `groups/ID` for the kept `autoscaling/groups/ID`.
export const servicePath = (path: string): string => path.slice(path.indexOf('/') + 1);

export const linkOf = (view: Pick<View, 'base'>, resource: Resource, row: Row): Values => ({
  id: row.id,
  type: resource.shown.type,
  href: hrefOf(view.base, servicePath(pathOf(row))),
});

export async function shownScaling(view: View, resource: Resource, row: Row, depth: number): Promise<Values> {
  const link = linkOf(view, resource, row);
  if (depth < 1) return link;
  const { model, reader } = view;
  const noted = (await resource.noted?.read?.(row, reader, model.context(resource).tools)) ?? {};
  const properties: Values = { ...(JSON.parse(row.body) as Values), ...(await derivedOf(view, resource, row)) };
  const shown: Values = { ...link, metadata: metadataOf(view, resource, row, noted), properties };
  const inside = model.children(resource);
  if (inside.length === 0) return shown;
  const entities: Values = {};
  for (const child of inside) {
    const place = `${pathOf(row)}/${child.plural}`;
    const collection: Values = {
      id: `${row.id}/${child.plural}`,
      type: 'collection',
      href: hrefOf(view.base, servicePath(place)),
    };
    if (depth > 1) {
      const rows = await reader.children(row.contract, place);
      collection.items = await itemsOf(view, child, inOrder(child, rows), depth - 1);
    }
    entities[child.plural] = collection;
  }
  return { ...shown, entities };
}

export async function itemsOf(view: View, resource: Resource, rows: readonly Row[], depth: number): Promise<Values[]> {
  const items: Values[] = [];
  for (const row of rows) items.push(await shownScaling(view, resource, row, depth));
  return items;
}

// Actions are listed newest first, because clients look there for the one that they have just started.
export const inOrder = ({ parents, shown }: Resource, rows: Row[]): Row[] =>
  parents.length > 0 && shown.newestFirst ? rows.toReversed() : rows;

function metadataOf(view: View, resource: Resource, row: Row, noted: Values): Values {
  const path = pathOf(row);
  const { createdDate, lastModifiedDate, ...people } = stampsOf(row);
  const state = stateOf(view, row, path);
  return {
    createdDate,
    lastModifiedDate,
    ...(resource.parents.length === 0 && people),
    etag: etagOf(row, path),
    ...noted,
    state: state === 'AVAILABLE' ? (noted.state ?? state) : state,
  };
}

export const scalingSchema = (resource: Resource): Values =>
  always(
    { id: textSchema, type: { const: resource.shown.type }, href: textSchema },
    {
      metadata: always(
        { createdDate: timeSchema, lastModifiedDate: timeSchema, etag: textSchema, state: textSchema },
        resource.noted?.schema,
      ),
      properties: propertiesSchema(resource.properties, 'read'),
      entities: { type: 'object', description: 'The child resources, by collection; expanded with a greater depth' },
    },
  );

export const scalingCollectionSchema = (resource: Resource): Values =>
  always({
    id: textSchema,
    type: { const: 'collection' },
    href: textSchema,
    items: { type: 'array', items: scalingSchema(resource) },
  });
