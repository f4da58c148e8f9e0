// How the core dialect shows resources and collections. A row's properties and metadata are kept as the JSON text
// that is sent, so an answer is put together from texts and parses nothing. Two mutually recursive rules give
// every depth: `one(row, d)` and `many(rows, d)`; below zero only id, type and href are left.
import { hash } from 'node:crypto';
import { isSame, type Json, quoted, type Values } from '../../base/json.ts';
import { lastMade } from '../../base/last-made.ts';
import { after, type Soon } from '../../base/soon.ts';
import type { Caller } from '../../core/access.ts';
import type { Model } from '../../core/model.ts';
import { byUuid, hasSecrets, pathOf, type Resource, shownPath } from '../../core/resource.ts';
import { stampsText } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Looking, Tree } from '../../core/tree.ts';
import { Canvas, inTurn } from './sliced-rendering.ts';

export interface View {
  store: Store;
  looks: Looking; // the store, or what was read of it before
  model: Model;
  base: string; // http://host/cloudapi/v6
  contract: number;
  caller?: Caller; // who reads it
  busy: (path: string) => boolean; // is something under way on this path or below it?
}

// Ids and paths hold nothing that JSON would escape; the base comes from the client's own Host header and may.
const escaped = lastMade((base: string): string => JSON.stringify(base).slice(1, -1));

// As it stands in an answer.
export const escapedHref = (base: string, path: string): string => hrefOf(escaped(base), path);

export const hrefOf = (base: string, path: string): string => `${base}/${shownPath(path)}`;

export function one(view: View, resource: Resource, row: Row, depth: number): Soon<string> {
  if (depth <= 0) return flat(view, resource, row, depth);
  const canvas = new Canvas();
  return after(drawOne(canvas, view, resource, row, depth), () => canvas.pieces.join(''));
}

// Without anything of what is in it.
function flat(view: View, resource: Resource, row: Row, depth: number): Soon<string> {
  const path = pathOf(row);
  const shape = shapeOf(view, resource, row);
  const href = shape ? '' : hrefOf(escaped(view.base), path);
  const head = shape ? shape.head.join(row.id) : headOf(resource, resource.ids.show(row.id), href);
  if (depth < 0) return `${head}}`;
  const front = frontOf(view, resource, row, path, head);
  const bare = shape ? shape.bare.join(row.id) : bareText(view, resource, resource.ids.show(row.id), href);
  return front instanceof Promise ? front.then((text) => `${text}${bare}}`) : `${front}${bare}}`;
}

const headOf = (resource: Resource, id: string, href: string): string =>
  `{"id":"${id}","type":"${resource.type}","href":"${href}"`;

function frontOf(view: View, resource: Resource, row: Row, path: string, head: string): Soon<string> {
  if (!resource.noted) return described(view, resource, row, path, head);
  const noted = resource.noted(row, view.looks, view.model.desk(resource).tools);
  return after(noted, (values) => described(view, resource, row, path, head, values));
}

function described(view: View, resource: Resource, row: Row, path: string, head: string, noted?: Values): Soon<string> {
  const more = noted ? valuesText(noted) : '';
  const metadata =
    resource.metadata === 'none' ? '' : `,"metadata":${withMore(metadataOf(view, resource, row, path), more)}`;
  const front = `${head}${metadata},"properties":`;
  const derived = derivedOf(view, resource, row);
  return derived instanceof Promise
    ? derived.then((values) => front + withMore(row.body, derivedText(resource, values)))
    : front + withMore(row.body, derivedText(resource, derived));
}

export function drawOne(canvas: Canvas, view: View, resource: Resource, row: Row, depth: number): Soon<void> {
  if (depth <= 0) return after(flat(view, resource, row, depth), (text) => void canvas.pieces.push(text));
  const path = pathOf(row);
  const href = hrefOf(escaped(view.base), path);
  const head = headOf(resource, resource.ids.show(row.id), href);
  return after(frontOf(view, resource, row, path, head), (front) => {
    canvas.pieces.push(front);
    return after(drawEntities(canvas, view, resource, row, path, href, depth), () => void canvas.pieces.push('}'));
  });
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

export function many(view: View, of: Resource, rows: readonly Row[], depth: number, at: Collection): Soon<string> {
  const canvas = new Canvas();
  return after(drawMany(canvas, view, of, rows, depth, at), () => canvas.pieces.join(''));
}

export function drawMany(
  canvas: Canvas,
  view: View,
  of: Resource,
  rows: readonly Row[],
  depth: number,
  { id, href, paging }: Collection,
): Soon<void> {
  const page = paging ? `,"offset":${paging.offset},"limit":${paging.limit},"_links":${paging.links}` : '';
  const { pieces } = canvas;
  pieces.push(`{"id":"${id}","type":"collection","href":"${href}","items":[`);
  const draw = (row: Row, index: number): Soon<void> => {
    if (index > 0) pieces.push(',');
    return drawOne(canvas, view, of, row, depth - 1);
  };
  return after(inTurn(rows, draw, canvas), () => void pieces.push(`]${page}}`));
}

export const stateOf = (view: View, row: Row, path: string): 'AVAILABLE' | 'BUSY' =>
  row.state === 'AVAILABLE' && !view.busy(path) ? 'AVAILABLE' : 'BUSY';

function metadataOf(view: View, resource: Resource, row: Row, path: string): string {
  const etag = etagOf(row, path);
  if (resource.metadata === 'stateless') return `{"etag":"${etag}",${stampsText(row)}}`;
  return `{"etag":"${etag}",${stampsText(row)},"state":"${stateOf(view, row, path)}"}`;
}

// Another one for each version of each thing; an answer tells it twice.
export const etagOf = ({ id, place, version }: Row, path: string): string => drawTag(id, place, version, path);

// A UUID has enough to tell things apart without hashing, and so has a number together with the UUID of what it stands
// in.
const drawTag = lastMade((id: string, place: string, version: number, path: string): string => {
  const digits = version === 1 ? '00000001' : version.toString(16).padStart(8, '0');
  if (id.length === 36) return [digits, id.slice(9, 13), id.slice(14, 18), id.slice(19, 23), id.slice(24)].join('');
  const end = place.lastIndexOf('/');
  if (id.length === 10 && end > 36 && /^\d+$/.test(id)) return `${digits}00${id}${place.slice(end - 12, end)}`;
  return hash('md5', `${path}#${version}`);
});

export function derivedOf(
  view: View,
  resource: Resource,
  row: Row,
  values = (): Values => JSON.parse(row.body) as Values,
): Soon<Values | undefined> {
  if (!resource.derive) return undefined;
  const desk = view.model.desk(resource);
  const looks = view.looks === desk.store ? desk : { ...desk, store: view.looks };
  return resource.derive(row, values, looks, (path) => hrefOf(view.base, path), view.caller);
}

// What is derived is not kept, so it is put behind what is.
function withMore(body: string, more: string): string {
  if (more === '') return body;
  return body.length > 2 ? `${body.slice(0, -1)},${more}}` : `{${more}}`;
}

// Things of one kind mostly derive the same: then it is one piece of their answers, and not many. Nothing is kept where
// there are secrets in it, or an object that nobody else has.
const knownDerived = new WeakMap<Resource, { values: Values; text: string }>();

function derivedText(resource: Resource, values: Values | undefined): string {
  if (!values) return '';
  const known = knownDerived.get(resource);
  if (known && isSame(known.values, values)) return known.text;
  const isKept = (known !== undefined || !hasSecrets(resource)) && Object.values(values).every(isKnown);
  const text = valuesText(values);
  if (isKept) knownDerived.set(resource, { values, text });
  return text;
}

const isKnown = (value: unknown): boolean => typeof value !== 'object' || value === null || texts.has(value);

// Without braces.
function valuesText(values: Values): string {
  const parts: string[] = [];
  for (const name in values) parts.push(`"${name}":${textOf(values[name] as Json)}`);
  return parts.join(',');
}

// The same object is made into text once.
const texts = new WeakMap<object, string>();

function textOf(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  let known = texts.get(value);
  if (known === undefined) {
    known = JSON.stringify(value);
    texts.set(value, known);
  }
  return known;
}

const bare = (id: string, name: string, href: string): string =>
  `"${name}":{"id":"${id}/${name}","type":"collection","href":"${href}/${name}"}`;

function bareText(view: View, resource: Resource, id: string, href: string): string {
  let parts = '';
  for (const child of view.model.children(resource)) if (child.inside) parts += `,${bare(id, child.plural, href)}`;
  for (const entity of resource.entities) parts += `,${bare(id, entity.name, href)}`;
  return parts && `,"entities":{${parts.slice(1)}}`;
}

// Of things that stand in the same place, only the ids differ: the texts of the last of them are cut where those were.
interface Shape {
  head: string[];
  bare: string[];
}

const shapes = new WeakMap<Resource, { base: string; place: string; shape?: Shape }>();
const cut = '\0';

// From the second one on.
function shapeOf(view: View, resource: Resource, { place }: Row): Shape | undefined {
  if (resource.ids !== byUuid) return undefined;
  const base = escaped(view.base);
  const last = shapes.get(resource);
  if (last?.base !== base || last.place !== place) {
    shapes.set(resource, { base, place });
    return undefined;
  }
  last.shape ??= drawShape(view, resource, hrefOf(base, `${place}/${cut}`));
  return last.shape;
}

const drawShape = (view: View, resource: Resource, href: string): Shape => ({
  head: headOf(resource, cut, href).split(cut),
  bare: bareText(view, resource, cut, href).split(cut),
});

// What is shown in a thing: what stands in it, and what is beside it.
interface Part {
  name: string;
  of: Resource;
  isShallow: boolean;
  rows(row: Row, path: string, looks: Looking): Soon<Row[]>;
}

const deep = 2; // from there on things inside things are shown, and all of them are read at once

function drawEntities(
  canvas: Canvas,
  view: View,
  resource: Resource,
  row: Row,
  path: string,
  href: string,
  depth: number,
): Soon<void> {
  const { model, store, looks } = view;
  const parts = partsOf(model, resource);
  if (parts.length === 0) return;
  const isDeep = depth >= deep && looks === store && model.children(resource).length > 0;
  return after(isDeep ? Tree.of(store, row.contract, path) : looks, (found) => {
    const inner = found === looks && row.contract === view.contract ? view : { ...view, looks: found };
    return drawParts(canvas, { ...inner, contract: row.contract }, parts, resource, row, path, href, depth);
  });
}

function drawParts(
  canvas: Canvas,
  view: View,
  parts: readonly Part[],
  resource: Resource,
  row: Row,
  path: string,
  href: string,
  depth: number,
): Soon<void> {
  const id = resource.ids.show(row.id);
  const draw = ({ name, of, isShallow, rows }: Part, index: number): Soon<void> =>
    after(rows(row, path, view.looks), (all) => {
      canvas.pieces.push(`${index > 0 ? ',' : ',"entities":{'}"${name}":`);
      const below = isShallow ? Math.min(depth - 1, 1) : depth - 1;
      return drawMany(canvas, view, of, all, below, { id: `${id}/${name}`, href: `${href}/${name}` });
    });
  return after(inTurn(parts, draw, canvas), () => void canvas.pieces.push('}'));
}

const knownParts = new WeakMap<Resource, readonly Part[]>();

function partsOf(model: Model, resource: Resource): readonly Part[] {
  const known = knownParts.get(resource);
  if (known) return known;
  const parts = [
    ...model
      .children(resource)
      .filter(({ inside }) => inside)
      .map((of): Part => {
        const rows: Part['rows'] = ({ contract }, path, looks) => looks.children(contract, `${path}/${of.plural}`);
        return { name: of.plural, of, isShallow: false, rows };
      }),
    ...resource.entities.map(
      ({ name, of, members, shallow = false }): Part => ({
        name,
        of: of((kind) => model.get(kind)),
        isShallow: shallow,
        rows: (row, _path, looks) => members(row, looks),
      }),
    ),
  ];
  knownParts.set(resource, parts);
  return parts;
}
