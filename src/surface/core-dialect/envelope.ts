// How the core dialect shows resources and collections. A row's properties and metadata are kept as the JSON text
// that is sent, so an answer is put together from texts and parses nothing. Two mutually recursive rules give
// every depth: `one(row, d)` and `many(rows, d)`; below zero only id, type and href are left.
import { hash } from 'node:crypto';
import type { Values } from '../../base/json.ts';
import type { Caller } from '../../core/access.ts';
import type { Model } from '../../core/model.ts';
import { pathOf, type Resource, shownPath } from '../../core/resource.ts';
import { stampsText } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Reader, Tree } from '../../core/tree.ts';
import { Canvas } from './sliced-rendering.ts';

export interface View {
  store: Store;
  reader: Reader; // the store, or a cache of earlier reads
  model: Model;
  base: string; // http://host/cloudapi/v6
  contract: number;
  caller?: Caller; // the reader
  busy: (path: string) => boolean; // is something under way on this path or below it?
}

// Ids and paths have no character that JSON would escape. The base may, because it comes from the client's Host header.
export const escapedHref = (base: string, path: string): string => hrefOf(JSON.stringify(base).slice(1, -1), path);

export const hrefOf = (base: string, path: string): string => `${base}/${shownPath(path)}`;

export async function one(view: View, resource: Resource, row: Row, depth: number): Promise<string> {
  const canvas = new Canvas();
  await drawOne(canvas, view, resource, row, depth);
  return canvas.pieces.join('');
}

export async function drawOne(canvas: Canvas, view: View, resource: Resource, row: Row, depth: number): Promise<void> {
  const path = pathOf(row);
  const id = resource.ids.show(row.id);
  const href = escapedHref(view.base, path);
  const { pieces } = canvas;
  pieces.push(`{"id":"${id}","type":"${resource.shown.typeIsKind ? row.kind : resource.shown.type}","href":"${href}"`);
  if (depth >= 0) {
    if (resource.shown.metadata !== 'none') pieces.push(`,"metadata":${await metadataOf(view, resource, row, path)}`);
    pieces.push(`,"properties":${withMore(row.body, await derivedOf(view, resource, row))}`);
    if (depth > 0 || partsOf(view.model, resource).some(({ isListed }) => isListed))
      await drawEntities(canvas, view, resource, row, path, href, depth);
    else pieces.push(bareEntities(view, resource, id, href));
  }
  pieces.push('}');
}

export interface Paging {
  offset: number;
  limit: number;
  links: string; // the rendered _links
}

interface Collection {
  id: string;
  href: string; // escaped
  paging?: Paging | undefined;
}

export async function many(
  view: View,
  of: Resource,
  rows: readonly Row[],
  depth: number,
  at: Collection,
): Promise<string> {
  const canvas = new Canvas();
  await drawMany(canvas, view, of, rows, depth, at);
  return canvas.pieces.join('');
}

async function drawMany(
  canvas: Canvas,
  view: View,
  of: Resource,
  rows: readonly Row[],
  depth: number,
  { id, href, paging }: Collection,
): Promise<void> {
  const page = paging ? `,"offset":${paging.offset},"limit":${paging.limit},"_links":${paging.links}` : '';
  const { pieces } = canvas;
  pieces.push(`{"id":"${id}","type":"collection","href":"${href}","items":[`);
  for (const [index, row] of rows.entries()) {
    if (canvas.isDue) await canvas.pause();
    if (index > 0) pieces.push(',');
    await drawOne(canvas, view, of, row, depth - 1);
  }
  pieces.push(`]${page}}`);
}

export const stateOf = (view: View, row: Row, path: string): 'AVAILABLE' | 'BUSY' =>
  row.state === 'AVAILABLE' && !view.busy(path) ? 'AVAILABLE' : 'BUSY';

async function metadataOf(view: View, resource: Resource, row: Row, path: string): Promise<string> {
  const noted = await resource.noted?.read?.(row, view.reader, view.model.context(resource).tools);
  const { state: ownState, ...more } = noted ?? {};
  const shared = stateOf(view, row, path);
  const shown = shared === 'AVAILABLE' ? (ownState ?? shared) : shared;
  const state = resource.shown.metadata === 'stateless' ? '' : `,"state":"${shown}"`;
  return withMore(`{"etag":"${etagOf(row, path)}",${stampsText(row)}${state}}`, more);
}

// A different one for each version of each resource. A UUID is unique without hashing, and so is a number together with
// the UUID of the resource above it.
export function etagOf({ id, place, version }: Row, path: string): string {
  const digits = version.toString(16).padStart(8, '0');
  if (id.length === 36) return digits + id.slice(9).replaceAll('-', '');
  const end = place.lastIndexOf('/');
  if (id.length === 10 && end > 36 && /^\d+$/.test(id)) return `${digits}00${id}${place.slice(end - 12, end)}`;
  return hash('md5', `${path}#${version}`);
}

export async function derivedOf(
  view: View,
  resource: Resource,
  row: Row,
  values = (): Values => JSON.parse(row.body) as Values,
): Promise<Values | undefined> {
  if (!resource.derive) return undefined;
  const context = view.model.context(resource);
  const reader = view.reader === context.store ? context : { ...context, store: view.reader };
  return resource.derive(row, values, reader, (path) => hrefOf(view.base, path), view.caller);
}

// Appends values to the text of an object.
function withMore(text: string, values: Values | undefined): string {
  const more = values ? JSON.stringify(values).slice(1, -1) : '';
  if (more === '') return text;
  return text.length > 2 ? `${text.slice(0, -1)},${more}}` : `{${more}}`;
}

function bareEntities(view: View, resource: Resource, id: string, href: string): string {
  const parts = partsOf(view.model, resource).map(({ name }) => `"${name}":${bareCollection(id, href, name)}`);
  return parts.length > 0 ? `,"entities":{${parts.join(',')}}` : '';
}

const bareCollection = (id: string, href: string, name: string): string =>
  `{"id":"${id}/${name}","type":"collection","href":"${href}/${name}"}`;

// A collection that a resource shows: its children, or its entities.
export interface Part {
  name: string;
  of: Resource;
  isShallow: boolean;
  isListed: boolean;
  rows(row: Row, path: string, reader: Reader): Promise<Row[]> | Row[];
}

const deep = 2; // from this depth on children of children are shown, so the whole tree is read at once

async function drawEntities(
  canvas: Canvas,
  view: View,
  resource: Resource,
  row: Row,
  path: string,
  href: string,
  depth: number,
): Promise<void> {
  const { model, store } = view;
  const parts = partsOf(model, resource);
  if (parts.length === 0) return;
  const { contract } = row;
  const isDeep = depth >= deep && view.reader === store && model.children(resource).length > 0;
  const reader = isDeep ? await Tree.of(store, contract, path) : view.reader;
  const inner = { ...view, contract, reader };
  const id = resource.ids.show(row.id);
  for (const [index, { name, of, isShallow, isListed, rows }] of parts.entries()) {
    if (canvas.isDue) await canvas.pause();
    canvas.pieces.push(`${index > 0 ? ',' : ',"entities":{'}"${name}":`);
    if (depth === 0 && !isListed) {
      canvas.pieces.push(bareCollection(id, href, name));
      continue;
    }
    const all = await rows(row, path, reader);
    const below = isShallow ? Math.min(depth - 1, 1) : depth - 1;
    await drawMany(canvas, inner, of, all, below, { id: `${id}/${name}`, href: `${href}/${name}` });
  }
  canvas.pieces.push('}');
}

export const partOf = (model: Model, resource: Resource, wanted: string): Part | undefined =>
  partsOf(model, resource).find(({ name }) => name === wanted);

const knownParts = new WeakMap<Resource, readonly Part[]>();

function partsOf(model: Model, resource: Resource): readonly Part[] {
  const known = knownParts.get(resource);
  if (known) return known;
  const parts = [
    ...model
      .children(resource)
      .filter(({ shown }) => shown.inside)
      .map((of): Part => {
        const rows: Part['rows'] = ({ contract }, path, reader) => reader.children(contract, `${path}/${of.plural}`);
        return { name: of.plural, of, isShallow: false, isListed: false, rows };
      }),
    ...resource.entities.map(
      ({ name, of, members, shallow = false, listed = false }): Part => ({
        name,
        of: of((kind) => model.get(kind)),
        isShallow: shallow,
        isListed: listed,
        rows: (row, _path, reader) => members(row, reader, model.all()),
      }),
    ),
  ];
  knownParts.set(resource, parts);
  return parts;
}
