// How the core dialect shows resources and collections. A row's properties and metadata are kept as the JSON text
// that is sent, so an answer is put together from texts and parses nothing. Two mutually recursive rules give
// every depth: `one(row, d)` and `many(rows, d)`; below zero only id, type and href are left.
import { hash } from 'node:crypto';
import type { Json, Values } from '../base/json.ts';
import { after, type Soon } from '../base/soon.ts';
import type { Model } from '../core/model.ts';
import { pathOf, type Resource, shownPath } from '../core/resource.ts';
import { stampsText } from '../core/stamps.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';

export interface View {
  store: Store;
  model: Model;
  base: string; // http://host/cloudapi/v6
  contract: number;
  busy: (path: string) => boolean; // is something under way on this path or below it?
}

// Ids and paths hold nothing that JSON would escape; the base comes from the client's own Host header and may.
const escaped = (base: string): string => {
  if (base !== lastBase) {
    lastBase = base;
    lastEscaped = JSON.stringify(base).slice(1, -1);
  }
  return lastEscaped;
};
let lastBase = '';
let lastEscaped = '';

export const hrefOf = (base: string, path: string): string => `${base}/${shownPath(path)}`;

export function one(view: View, resource: Resource, row: Row, depth: number): Soon<string> {
  const path = pathOf(row);
  const href = hrefOf(escaped(view.base), path);
  const head = `{"id":"${resource.ids.show(row.id)}","type":"${resource.type}","href":"${href}"`;
  if (depth < 0) return `${head}}`;
  return after(resource.noted?.(row, view.store), (noted) => {
    const metadata =
      resource.metadata === 'none' ? '' : `,"metadata":${withDerived(metadataOf(view, resource, row, path), noted)}`;
    return after(derivedOf(view, resource, row), (derived) => {
      const front = `${head}${metadata},"properties":${withDerived(row.body, derived)}`;
      if (depth === 0) return `${front}${bareEntities(view, resource, row, href)}}`;
      return after(entitiesOf(view, resource, row, path, depth), (entities) => `${front}${entities}}`);
    });
  });
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
  for (const row of rows) {
    const item = one(view, resource, row, depth - 1);
    items.push(item instanceof Promise ? await item : item);
  }
  const page = paging ? `,"offset":${paging.offset},"limit":${paging.limit},"_links":${paging.links}` : '';
  const head = `{"id":"${at.id}","type":"collection","href":"${escaped(at.href)}"`;
  return `${head},"items":[${items.join(',')}]${page}}`;
}

export const stateOf = (view: View, row: Row, path: string): 'AVAILABLE' | 'BUSY' =>
  row.state === 'AVAILABLE' && !view.busy(path) ? 'AVAILABLE' : 'BUSY';

function metadataOf(view: View, resource: Resource, row: Row, path: string): string {
  const etag = etagOf(row, path);
  if (resource.metadata === 'stateless') return `{"etag":"${etag}",${stampsText(row)}}`;
  return `{"etag":"${etag}",${stampsText(row)},"state":"${stateOf(view, row, path)}"}`;
}

// Another one for each version of each thing. A UUID has enough to tell things apart without hashing, and so has a
// number together with the UUID of what it stands in.
function etagOf(row: Row, path: string): string {
  const { id, place } = row;
  const version = row.version.toString(16).padStart(8, '0');
  if (id.length === 36) return `${version}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`;
  const end = place.lastIndexOf('/');
  if (id.length === 10 && end > 36 && /^\d+$/.test(id)) return `${version}00${id}${place.slice(end - 12, end)}`;
  return hash('md5', `${path}#${row.version}`);
}

function derivedOf(view: View, resource: Resource, row: Row): Promise<Values> | Values | undefined {
  return resource.derive?.(row, () => JSON.parse(row.body) as Values, view.model.desk(resource));
}

// What is derived is not kept, so it is put behind what is; the same object is made into text once.
function withDerived(body: string, derived: Values | undefined): string {
  if (!derived) return body;
  let properties = body.slice(0, -1);
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

const bare = (id: string, name: string, href: string): string =>
  `"${name}":{"id":"${id}/${name}","type":"collection","href":"${href}/${name}"}`;

function bareEntities(view: View, resource: Resource, row: Row, href: string): string {
  const id = resource.ids.show(row.id);
  let parts = '';
  for (const child of view.model.children(resource)) if (child.inside) parts += `,${bare(id, child.plural, href)}`;
  for (const entity of resource.entities) parts += `,${bare(id, entity.name, href)}`;
  return parts && `,"entities":{${parts.slice(1)}}`;
}

async function entitiesOf(view: View, resource: Resource, row: Row, path: string, depth: number): Promise<string> {
  const parts: string[] = [];
  const add = async (name: string, of: Resource, rows: Row[]): Promise<void> => {
    const at = { id: `${resource.ids.show(row.id)}/${name}`, href: `${hrefOf(view.base, path)}/${name}` };
    parts.push(`"${name}":${await many({ ...view, contract: row.contract }, of, rows, depth - 1, at)}`);
  };
  for (const child of view.model.children(resource))
    if (child.inside) await add(child.plural, child, await children(view, `${path}/${child.plural}`));
  for (const entity of resource.entities) await add(entity.name, entity.of(), await entity.members(row, view.store));
  return parts.length ? `,"entities":{${parts.join(',')}}` : '';
}

async function children(view: View, place: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of view.store.each({ contract: view.contract, place })) rows.push(row);
  return rows;
}
