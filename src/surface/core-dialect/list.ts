// Lists of resources in the core dialect. Without filters, an order or limited rights a page is read by its numbers;
// otherwise the rows are searched.
import type { Values } from '../../base/json.ts';
import { type Caller, maySee } from '../../core/access.ts';
import { pathOf, type Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { TimeSlice } from '../../core/threads/time-slice.ts';
import { type Exchange, json, type Reply } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { derivedOf, escapedHref, hrefOf, many, stateOf, type View } from './envelope.ts';
import { compareFields, depthOf, type Fields, fieldsOf, isPlain, type ListQuery, listQuery, matches } from './query.ts';

export async function listCall(machinery: Machinery, resource: Resource, x: Exchange): Promise<Reply> {
  const { contract, role, user } = x.who;
  if (resource.shown.hasSecrets) return json(200, await drawList(machinery, resource, x));
  const key = `${contract} ${role === 'user' ? user : ''} ${x.base}${x.path}?${x.query}`;
  const epoch = x.epoch ?? (await machinery.store.epochOf(contract));
  return json(200, await machinery.pages.get(epoch, key, () => drawList(machinery, resource, x)));
}

async function drawList(machinery: Machinery, resource: Resource, x: Exchange): Promise<string> {
  const above = x.rows.at(-1);
  const place = above ? `${pathOf(above)}/${resource.plural}` : resource.root + resource.plural;
  const view = await viewOf(machinery, x, above ? pathOf(above) : place);
  const query = listQuery(x);
  const sees = above ? undefined : x.who;
  const { contract } = x.who;
  const { rows, more } =
    isPlain(query) && sees?.role !== 'user'
      ? await plainPage(machinery.store, contract, place, query)
      : await sought(view, resource, machinery.store.each({ contract, place }), query, sees);
  const owner = above ? machinery.model.get(above.kind).ids.show(above.id) : '';
  const at = { id: owner ? `${owner}/${resource.plural}` : resource.plural, href: hrefOf(x.base, place) };
  const paging = resource.shown.paged ? pagingOf(x, at.href, query, more) : undefined;
  return many(view, resource, rows, depthOf(x), { id: at.id, href: escapedHref(x.base, place), paging });
}

// The same for rows that are already known, such as attached volumes.
export async function drawRows(
  machinery: Machinery,
  resource: Resource,
  x: Exchange,
  all: readonly Row[],
  at: { id: string; path: string },
): Promise<string> {
  const view = await viewOf(machinery, x, pathOf(x.rows[0] as Row));
  const query = listQuery(x);
  const { rows, more } = await sought(view, resource, all, query, undefined);
  const href = hrefOf(x.base, at.path);
  const paging = resource.shown.paged ? pagingOf(x, href, query, more) : undefined;
  return many(view, resource, rows, depthOf(x), { id: at.id, href: escapedHref(x.base, at.path), paging });
}

// One row more than requested shows whether there is a next page; nothing is counted.
async function plainPage(store: Store, contract: number, place: string, { offset, limit }: ListQuery): Promise<Found> {
  const rows = await store.range({ contract, place, limit: limit + 1, offset });
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

interface Found {
  rows: Row[];
  more: boolean;
}

export async function sought(
  view: View,
  resource: Resource,
  all: Iterable<Row> | AsyncIterable<Row>,
  query: ListQuery,
  sees: Caller | undefined,
): Promise<Found> {
  const found: { row: Row; fields: Fields }[] = [];
  const enough = query.orderBy === undefined ? query.offset + query.limit + 1 : Number.POSITIVE_INFINITY;
  const slice = new TimeSlice();
  for await (const row of all) {
    await slice.pause();
    if (sees && !maySee(sees, row)) continue;
    const values = JSON.parse(row.body) as Values;
    const derived = isPlain(query) ? undefined : await derivedOf(view, resource, row, () => values);
    const fields = fieldsOf(row, values, stateOf(view, row, pathOf(row)), derived);
    if (!matches(fields, query.filters)) continue;
    found.push({ row, fields });
    if (found.length >= enough) break;
  }
  const { orderBy } = query;
  if (orderBy !== undefined) found.sort((a, b) => compareFields(a.fields, b.fields, orderBy));
  const page = found.slice(query.offset, query.offset + query.limit);
  return { rows: page.map(({ row }) => row), more: found.length > query.offset + query.limit };
}

export function pagingOf(
  x: Exchange,
  href: string,
  { offset, limit }: ListQuery,
  more: boolean,
): { offset: number; limit: number; links: string } {
  const link = (from: number): string => {
    const search = new URLSearchParams(x.query);
    search.set('offset', String(from));
    search.set('limit', String(limit));
    return `${href}?${search}`;
  };
  const links: Record<string, string> = {};
  if (offset > 0) links.prev = link(Math.max(0, offset - limit));
  links.self = link(offset);
  if (more && limit > 0) links.next = link(offset + limit);
  return { offset, limit, links: JSON.stringify(links) };
}
