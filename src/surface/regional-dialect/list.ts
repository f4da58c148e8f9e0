// Lists of regional resources: of one region, or of all where none is named; newest first unless asked otherwise.
// A contract has few of them, so all are read and sorted; the drawn page is kept until something changes.
import { Fault } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import { maySee } from '../../core/access.ts';
import { namedId, placeIn, placesOf, servicePath } from '../../core/regional.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import { stampsOf } from '../../core/stamps.ts';
import type { Row } from '../../core/state/engine.ts';
import { sortInSlices, TimeSlice } from '../../core/threads/time-slice.ts';
import type { View } from '../core-dialect/envelope.ts';
import { pagingOf } from '../core-dialect/list.ts';
import { fieldsOf, filtersOf, matches, wholeNumber } from '../core-dialect/query.ts';
import { type Exchange, json, type Parameter, type Reply } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { shownRegional, statusOf } from './envelope.ts';

const usualLimit = 100;
const mostLimit = 1000;
const rowsPerPage = 50; // that are read at once: some have 64 KB
const orders = ['createdDate', 'lastModifiedDate', 'name'] as const;
type Order = (typeof orders)[number];
const words = orders.flatMap((order) => [`-${order}`, order]);

export async function regionalList(machinery: Machinery, resource: Resource, x: Exchange): Promise<Reply> {
  const { contract, role, user } = x.who;
  const key = `${contract} ${role === 'user' ? user : ''} ${x.region ?? ''} ${x.base}${x.path}?${x.query}`;
  const epoch = x.epoch ?? (await machinery.store.epochOf(contract));
  return json(200, await machinery.pages.get(epoch, key, () => drawList(machinery, resource, x)));
}

async function drawList(machinery: Machinery, resource: Resource, x: Exchange): Promise<string> {
  const query = {
    offset: wholeNumber(x, 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumber(x, 'limit', usualLimit, 0, mostLimit),
    orderBy: undefined,
    filters: filtersOf(x),
  };
  const { by, isDown } = orderOf(x);
  const { contract } = x.who;
  const viewAt = viewsOf(machinery, x);
  const asksNoted = query.filters.some(([name]) => Object.hasOwn(resource.noted?.schema ?? {}, name));
  const prefersExact = query.filters.length > 0 && !x.search.has('orderBy');
  const found: Found[] = [];
  const slice = new TimeSlice();
  for await (const row of rowsOf(machinery, resource, x)) {
    await slice.pause();
    const { place, id, time } = row;
    const order = fieldOf(row, by);
    if (query.filters.length === 0) {
      found.push({ place, id, time, order, isExact: false });
      continue;
    }
    const view = await viewAt(place);
    const status = await statusOf(view, resource, row);
    const values = JSON.parse(row.body) as Values;
    const fields = fieldsOf(row, values, status, { status });
    if (asksNoted) Object.assign(fields.metadata, await notedOf(view, resource, row));
    if (!matches(fields, query.filters)) continue;
    // Clients that look for a name take the first of a list of one.
    const isExact =
      prefersExact && query.filters.some(([name, wanted]) => wanted.includes(String(values[name]).toLowerCase()));
    found.push({ place, id, time, order, isExact });
  }
  await sortInSlices(
    found,
    (a, b) => Number(b.isExact) - Number(a.isExact) || (isDown ? compare(b, a) : compare(a, b)),
    slice,
  );
  const items: string[] = [];
  for (const { place, id } of found.slice(query.offset, query.offset + query.limit)) {
    const row = await machinery.store.get(contract, place, id);
    if (row) items.push(JSON.stringify(await shownRegional(await viewAt(place), resource, row)));
    await slice.pause();
  }
  const above = x.rows.at(-1);
  const href = `${x.base}/${above ? `${servicePath(pathOf(above))}/` : ''}${resource.plural}`;
  const more = found.length > query.offset + query.limit;
  const { offset, limit, links } = pagingOf(x, href, query, more);
  const id = namedId('collection', resource.name, x.who.contract, above?.id ?? x.region ?? '');
  return collectionText({ id, type: 'collection', href }, items, { offset, limit, _links: JSON.parse(links) as Json });
}

// The items are texts already: a page can have megabytes.
export const collectionText = (head: Values, items: readonly string[], tail: Values): string =>
  `${JSON.stringify(head).slice(0, -1)},"items":[${items.join(',')}],${JSON.stringify(tail).slice(1)}`;

// A value that the resource does not show is null, so that no filter matches it.
async function notedOf(view: View, resource: Resource, row: Row): Promise<Values> {
  const names = Object.keys(resource.noted?.schema ?? {});
  const noted = await resource.noted?.read?.(row, view.reader, view.model.context(resource).tools);
  return { ...Object.fromEntries(names.map((name) => [name, null])), ...noted };
}

async function* rowsOf({ store }: Machinery, resource: Resource, x: Exchange): AsyncGenerator<Row> {
  const { contract } = x.who;
  const above = x.rows.at(-1);
  if (above) {
    yield* store.each({ contract, place: `${pathOf(above)}/${resource.plural}` }, 'resource', rowsPerPage);
    return;
  }
  const scan =
    x.region === undefined ? { contract, below: placesOf(resource) } : { contract, place: placeIn(resource, x.region) };
  for await (const row of store.each(scan, 'resource', rowsPerPage))
    if (row.kind === resource.name && maySee(x.who, row)) yield row;
}

// With the pending operations of each place.
function viewsOf(machinery: Machinery, x: Exchange): (place: string) => Promise<View> {
  const views = new Map<string, Promise<View>>();
  return (place) => {
    const known = views.get(place) ?? viewOf(machinery, x, place);
    views.set(place, known);
    return known;
  };
}

// The part of a row that sorting needs: a long list does not keep whole rows.
interface Found {
  place: string;
  id: string;
  time: number;
  order: string | number;
  isExact: boolean; // a filter asks for just this
}

function orderOf(x: Exchange): { by: Order; isDown: boolean } {
  const requested = x.search.get('orderBy') || x.search.get('order-by') || '-createdDate';
  const by = orders.find((order) => requested === order || requested === `-${order}`);
  if (by) return { by, isDown: requested !== by };
  const got = requested.slice(0, 40);
  throw new Fault('refused', `[(query).orderBy] Expected one of [${words.join(', ')}], got '${got}'`, { code: '100' });
}

function compare(a: Found, b: Found): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.time - b.time || (a.id < b.id ? -1 : 1);
}

const fieldOf = (row: Row, by: Order): string | number => {
  if (by === 'createdDate') return row.time;
  if (by === 'lastModifiedDate') return stampsOf(row).lastModifiedDate;
  return String((JSON.parse(row.body) as Values).name ?? '');
};

// Of lists that routes of a product's own give, too.
export const pageParameters: Parameter[] = [
  {
    name: 'offset',
    in: 'query',
    description: 'The first element of the page.',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'limit',
    in: 'query',
    description: `The maximum number of elements of a page; ${usualLimit} by default.`,
    schema: { type: 'integer', minimum: 0, maximum: mostLimit },
  },
];

export const regionalParameters: Parameter[] = [
  ...pageParameters,
  {
    name: 'orderBy',
    in: 'query',
    description: 'The field to sort by, descending with a minus; newest first by default.',
    schema: { enum: words },
  },
  {
    name: 'filter.name',
    in: 'query',
    description: 'Returns elements whose property contains this text, ignoring case. Any property: `filter.<name>`.',
    schema: { type: 'string' },
  },
];
