// How the core dialect shows resources and collections. A row's properties and metadata are kept as the JSON text
// that is sent, so an answer is put together from texts and parses nothing. Two mutually recursive rules give
// every depth: `one(row, d)` and `many(rows, d)`; below zero only id, type and href are left.
import { hash } from 'node:crypto';
import type { Json, Values } from '../base/json.ts';
import type { Caller } from '../core/access.ts';
import type { Model } from '../core/model.ts';
import { pathOf, type Resource, shownPath } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';

export interface View {
  store: Store;
  model: Model;
  base: string; // http://host/cloudapi/v6
  contract: number;
  caller: Caller;
  busy: (path: string) => boolean; // is something under way on this path or below it?
}

const text = JSON.stringify as (value: string) => string;

export const hrefOf = (base: string, path: string): string => `${base}/${shownPath(path)}`;

export async function one(view: View, resource: Resource, row: Row, depth: number): Promise<string> {
  const path = pathOf(row);
  const head = `{"id":${text(resource.ids.show(row.id))},"type":"${resource.type}","href":${text(hrefOf(view.base, path))}`;
  if (depth < 0) return `${head}}`;
  const metadata = resource.metadata === 'none' ? '' : `,"metadata":${metadataOf(view, resource, row, path)}`;
  const properties = await propertiesOf(view, resource, row);
  return `${head}${metadata},"properties":${properties}${await entitiesOf(view, resource, row, path, depth)}}`;
}

export interface Paging {
  offset: number;
  limit: number;
  links: string; // the rendered _links
}

export async function many(
  view: View,
  resource: Resource,
  rows: readonly Row[],
  depth: number,
  at: { id: string; href: string },
  paging?: Paging,
): Promise<string> {
  const items: string[] = [];
  for (const row of rows) items.push(await one(view, resource, row, depth - 1));
  const page = paging ? `,"offset":${paging.offset},"limit":${paging.limit},"_links":${paging.links}` : '';
  return `{"id":${text(at.id)},"type":"collection","href":${text(at.href)},"items":[${items.join(',')}]${page}}`;
}

export const stateOf = (view: View, row: Row, path: string): 'AVAILABLE' | 'BUSY' =>
  row.state === 'AVAILABLE' && !view.busy(path) ? 'AVAILABLE' : 'BUSY';

function metadataOf(view: View, resource: Resource, row: Row, path: string): string {
  const etag = etagOf(row, path);
  if (resource.metadata === 'stateless') return `{"etag":"${etag}",${row.meta}}`;
  return `{"etag":"${etag}",${row.meta},"state":"${stateOf(view, row, path)}"}`;
}

// Another one for each version of each thing. A UUID has enough to tell things apart without hashing.
function etagOf(row: Row, path: string): string {
  const { id } = row;
  if (id.length !== 36) return hash('md5', `${path}#${row.version}`);
  const version = row.version.toString(16).padStart(8, '0');
  return `${version}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`;
}

// What is derived is not kept, so it is put behind what is; the same object is made into text once.
async function propertiesOf(view: View, resource: Resource, row: Row): Promise<string> {
  if (!resource.derive) return row.body;
  const derived = await resource.derive(row, () => JSON.parse(row.body) as Values, view.model.desk(resource));
  let properties = row.body.slice(0, -1);
  for (const name in derived) {
    const separator = properties.length > 1 ? ',' : '';
    properties += `${separator}"${name}":${textOf(derived[name] as Json)}`;
  }
  return `${properties}}`;
}

const texts = new WeakMap<object, string>();

function textOf(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, known);
  return known;
}

async function entitiesOf(view: View, resource: Resource, row: Row, path: string, depth: number): Promise<string> {
  const parts: string[] = [];
  for (const child of view.model.children(resource)) {
    if (child.inside) parts.push(`"${child.plural}":${await inner(view, child, row, path, child.plural, depth - 1)}`);
  }
  for (const entity of resource.entities) {
    const members = (): Promise<Row[]> => entity.members(row, view.store);
    parts.push(`"${entity.name}":${await inner(view, entity.of(), row, path, entity.name, depth - 1, members)}`);
  }
  return parts.length ? `,"entities":{${parts.join(',')}}` : '';
}

async function inner(
  view: View,
  resource: Resource,
  row: Row,
  path: string,
  name: string,
  depth: number,
  members?: () => Promise<Row[]>,
): Promise<string> {
  const owner = view.model.get(row.kind);
  const id = `${owner.ids.show(row.id)}/${name}`;
  const href = `${hrefOf(view.base, path)}/${name}`;
  if (depth < 0) return `{"id":${text(id)},"type":"collection","href":${text(href)}}`;
  const rows = members ? await members() : await children(view, `${path}/${name}`);
  return many({ ...view, contract: row.contract }, resource, rows, depth, { id, href });
}

async function children(view: View, place: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of view.store.each({ contract: view.contract, place })) rows.push(row);
  return rows;
}
