// GET /console/search?text=…: things by name, address or id, for the palette, the best first. It looks at the rows of
// the contract in their order, shows what a read would show the caller, and gives up after a while: a palette that
// waits is of no use.
import { isObject, type Json, type Values } from '../base/json.ts';
import { type Caller, isAdmin } from '../core/access.ts';
import { nameIn, nameKeys } from '../core/display-name.ts';
import { pathOf } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import type { PlainThings } from '../surface/ports.ts';
import type { DeclaredPlaces, Placed } from './live/declared-places.ts';
import { showsTop } from './live/visibility.ts';
import { titlesOf } from './titles.ts';

export interface FoundThing {
  name: string;
  kind: string; // Server
  path: string; // in the API
  within?: string; // the name of what it is in, or attached to
}

type Found = FoundThing & { row?: Row };

const mostShown = 20;
const mostFound = 500; // of which the best are shown
const mostMs = 250;
const leastLetters = 2;

export const searchRoute = (store: Store, places: DeclaredPlaces, things: readonly PlainThings[]): Route => ({
  method: 'GET',
  path: '/search',
  operation: 'webconsole_search',
  summary: 'Things by name, address or id',
  unaudited: true,
  call: (x) => search(store, places, things, x),
});

async function search(
  store: Store,
  places: DeclaredPlaces,
  plain: readonly PlainThings[],
  x: Exchange,
): Promise<Reply> {
  const text = (x.search.get('text') ?? '').trim().toLowerCase().slice(0, 200);
  const caller = x.who;
  const things: Found[] = text.length < leastLetters ? [] : await plainFound(store, plain, caller, text);
  const until = performance.now() + mostMs;
  const tops = new Map<string, Promise<boolean>>();
  if (text.length >= leastLetters)
    for await (const rows of store.pages({ contract: caller.contract, below: '' })) {
      for (const row of rows) {
        const name = nameWith(row, text);
        const placed = name === undefined ? undefined : places.find(pathOf(row));
        if (name === undefined || !placed || row.state === 'DELETING') continue;
        if (!(await mayRead(store, caller, placed, tops))) continue;
        const path = places.apiPath(placed, pathOf(row));
        things.push({ name, kind: titlesOf(placed.resource.name)[0], path, row });
        if (things.length >= mostFound) break;
      }
      if (things.length >= mostFound || performance.now() > until || x.isGone) break;
    }
  const best = things.toSorted((a, b) => rankOf(a, text) - rankOf(b, text)).slice(0, mostShown);
  const shown = await Promise.all(
    best.map(async ({ row, ...thing }) => ({ ...thing, ...(row && (await withinOf(store, places, row))) })),
  );
  return json(200, { things: shown }, ['Cache-Control', 'no-store']);
}

// Things that are no resources are as many as have names of their own in the region: few.
async function plainFound(
  store: Store,
  plain: readonly PlainThings[],
  caller: Caller,
  text: string,
): Promise<FoundThing[]> {
  const found: FoundThing[] = [];
  for (const { title, table, place, address, shows } of plain)
    for await (const rows of store.pages({ contract: caller.contract, place }, table))
      for (const row of rows.filter(({ id }) => id.toLowerCase().includes(text)))
        if (found.length < mostFound && (await shows(caller, row)))
          found.push({ name: row.id, kind: title, path: `${address}/${row.id}` });
  return found;
}

// Tells things of the same name apart: boot volumes by their servers, records by their zones. Whoever reads a thing may
// read what it is in.
async function withinOf(store: Store, places: DeclaredPlaces, row: Row): Promise<Pick<FoundThing, 'within'>> {
  const above = row.place.slice(0, Math.max(0, row.place.lastIndexOf('/')));
  if (!places.find(above)) return {};
  const [holder] = await store.linkedRows(row.contract, pathOf(row), '>', 'attached');
  const { body = '' } = holder ?? (await store.at(row.contract, above)) ?? {};
  const within = body === '' ? undefined : nameIn(JSON.parse(body) as Values);
  return within === undefined ? {} : { within };
}

// Those that are named so, those that begin so, and the others, as they came.
function rankOf({ name }: FoundThing, text: string): number {
  const own = name.toLowerCase();
  return own === text ? 0 : own.startsWith(text) ? 1 : 2;
}

// The name of a row that has the text in it, or whose id or address begins with it. Bodies are only read where they may
// have it.
function nameWith({ id, body }: Row, text: string): string | undefined {
  const isById = id.startsWith(text);
  if (!isById && !body.toLowerCase().includes(JSON.stringify(text).slice(1, -1))) return undefined;
  const values = JSON.parse(body) as Json;
  if (!isObject(values)) return undefined;
  const names = nameKeys.map((key) => values[key]).filter((one) => typeof one === 'string');
  const found = names.find((one) => one.toLowerCase().includes(text));
  const address = Array.isArray(values.ips) ? values.ips.find((one) => String(one).startsWith(text)) : undefined;
  const isOtherwise = isById || address !== undefined;
  return found ?? (isOtherwise ? [names[0] ?? id, address].filter(Boolean).join(', ') : undefined);
}

function mayRead(
  store: Store,
  caller: Caller,
  { resource, top }: Placed,
  tops: Map<string, Promise<boolean>>,
): Promise<boolean> | boolean {
  if (isAdmin(caller)) return true;
  const known =
    tops.get(`${resource.name} ${top}`) ??
    store.at(caller.contract, top).then((row) => showsTop(store, caller, resource, row));
  tops.set(`${resource.name} ${top}`, known);
  return known;
}
