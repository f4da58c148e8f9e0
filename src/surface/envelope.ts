// How the core dialect shows resources and collections. A row's properties and metadata are kept as the JSON text
// that is sent, so an answer is put together from texts and parses nothing. Two mutually recursive rules give
// every depth: `one(row, d)` and `many(rows, d)`; below zero only id, type and href are left.
import { hash } from 'node:crypto';
import type { Values } from '../base/json.ts';
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
  busy?: Set<string>; // paths with something under way below them, when they were read at once
}

const text = JSON.stringify as (value: string) => string;

export const hrefOf = (base: string, path: string): string => `${base}/${shownPath(path)}`;

export async function one(view: View, resource: Resource, row: Row, depth: number): Promise<string> {
  const path = pathOf(row);
  const head = `{"id":${text(resource.ids.show(row.id))},"type":"${resource.type}","href":${text(hrefOf(view.base, path))}`;
  if (depth < 0) return `${head}}`;
  const metadata = resource.metadata === 'none' ? '' : `,"metadata":${await metadataOf(view, resource, row, path)}`;
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

export async function stateOf(view: View, resource: Resource, row: Row, path: string): Promise<'AVAILABLE' | 'BUSY'> {
  if (row.state !== 'AVAILABLE') return 'BUSY';
  if (!showsChildren(view.model, resource)) return 'AVAILABLE';
  const busy = view.busy ? view.busy.has(path) : await view.store.busyBelow(view.contract, path);
  return busy ? 'BUSY' : 'AVAILABLE';
}

// Paths that have an operation under way below them, for a whole list at once.
export async function busyPaths(view: View, place: string): Promise<Set<string>> {
  const busy = new Set<string>();
  for await (const row of view.store.each({ contract: view.contract, below: `${place}/` }, 'journal')) {
    for (let cut = row.place.lastIndexOf('/'); cut > 0; cut = row.place.lastIndexOf('/', cut - 1))
      busy.add(row.place.slice(0, cut));
  }
  return busy;
}

export const showsChildren = (model: Model, resource: Resource): boolean =>
  model.children(resource).some((child) => !child.synchronous);

async function metadataOf(view: View, resource: Resource, row: Row, path: string): Promise<string> {
  const etag = hash('md5', `${path}#${row.version}`);
  if (resource.metadata === 'stateless') return `{"etag":"${etag}",${row.meta}}`;
  const state = await stateOf(view, resource, row, path);
  return `{"etag":"${etag}",${row.meta},"state":"${state}"}`;
}

async function propertiesOf(view: View, resource: Resource, row: Row): Promise<string> {
  if (!resource.derive) return row.body;
  const values = JSON.parse(row.body) as Values;
  const derived = await resource.derive(row, values, view.model.desk(resource));
  return JSON.stringify({ ...values, ...derived });
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
