// GET /console/search?text=… finds resources by name, address or id for the palette, best matches first. It scans the
// rows of the contract, returns only what the caller may read, and stops after a time limit, because the palette must
// respond fast.
import { isObject, type Json, type Values } from '../base/json.ts';
import { type Caller, isAdmin } from '../core/access.ts';
import { nameIn, nameKeys } from '../core/display-name.ts';
import { pathOf } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import type { UndeclaredCollection } from '../surface/ports.ts';
import type { DeclaredPlaces, Placed } from './live/declared-places.ts';
import { showsTop } from './live/visibility.ts';
import { titleOf } from './titles.ts';

export interface FoundResource {
  name: string;
  kind: string; // Server
  path: string; // in the API
  within?: string; // the name of its parent, or of the resource that it is attached to
}

type Found = FoundResource & { row?: Row };

const maxShown = 20;
const maxFound = 500; // the best of them are shown
const maxMs = 250;
const minLetters = 2;

export const searchRoute = (
  store: Store,
  places: DeclaredPlaces,
  undeclared: readonly UndeclaredCollection[],
): Route => ({
  method: 'GET',
  path: '/search',
  operation: 'webconsole_search',
  summary: 'Resources by name, address or id',
  unaudited: true,
  call: (x) => search(store, places, undeclared, x),
});

async function search(
  store: Store,
  places: DeclaredPlaces,
  undeclared: readonly UndeclaredCollection[],
  x: Exchange,
): Promise<Reply> {
  const text = (x.search.get('text') ?? '').trim().toLowerCase().slice(0, 200);
  const caller = x.who;
  const found: Found[] = text.length < minLetters ? [] : await findUndeclared(store, undeclared, caller, text);
  const until = performance.now() + maxMs;
  const tops = new Map<string, Promise<boolean>>();
  if (text.length >= minLetters)
    for await (const rows of store.pages({ contract: caller.contract, below: '' })) {
      for (const row of rows) {
        const name = nameWith(row, text);
        const placed = name === undefined ? undefined : places.find(pathOf(row));
        if (name === undefined || !placed || row.state === 'DELETING') continue;
        if (!(await mayRead(store, caller, placed, tops))) continue;
        const path = places.apiPath(placed, pathOf(row));
        found.push({ name, kind: titleOf(placed.resource), path, row });
        if (found.length >= maxFound) break;
      }
      if (found.length >= maxFound || performance.now() > until || x.isGone) break;
    }
  const best = found.toSorted((a, b) => rankOf(a, text) - rankOf(b, text)).slice(0, maxShown);
  const shown = await Promise.all(
    best.map(async ({ row, ...resource }) => ({ ...resource, ...(row && (await withinOf(store, places, row))) })),
  );
  return json(200, { resources: shown }, ['Cache-Control', 'no-store']);
}

// Scans all undeclared resources, such as buckets, because there are few.
async function findUndeclared(
  store: Store,
  undeclared: readonly UndeclaredCollection[],
  caller: Caller,
  text: string,
): Promise<FoundResource[]> {
  const found: FoundResource[] = [];
  for (const { title, table, place, address, shows } of undeclared)
    for await (const rows of store.pages({ contract: caller.contract, place }, table))
      for (const row of rows.filter(({ id }) => id.toLowerCase().includes(text)))
        if (found.length < maxFound && (await shows(caller, row)))
          found.push({ name: row.id, kind: title, path: `${address}/${row.id}` });
  return found;
}

// Distinguishes resources of the same name: boot volumes by server, records by zone. A caller who may read a resource
// may read its parent, too.
async function withinOf(store: Store, places: DeclaredPlaces, row: Row): Promise<Pick<FoundResource, 'within'>> {
  const above = row.place.slice(0, Math.max(0, row.place.lastIndexOf('/')));
  if (!places.find(above)) return {};
  const [holder] = await store.linkedRows(row.contract, pathOf(row), '>', 'attached');
  const { body = '' } = holder ?? (await store.at(row.contract, above)) ?? {};
  const within = body === '' ? undefined : nameIn(JSON.parse(body) as Values);
  return within === undefined ? {} : { within };
}

// Exact matches first, then prefixes, then the others.
function rankOf({ name }: FoundResource, text: string): number {
  const own = name.toLowerCase();
  return own === text ? 0 : own.startsWith(text) ? 1 : 2;
}

// The name of a row that matches: the name contains the text, or the id or address starts with it. A body is parsed
// only if it contains the text.
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
