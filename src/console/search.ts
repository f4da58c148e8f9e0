// GET /console/search?text=…: things by name, address or id, for the palette, the best first. It looks at the rows of
// the contract in their order, shows what a read would show the caller, and gives up after a while: a palette that
// waits is of no use.
import { isObject, type Json } from '../base/json.ts';
import { type Caller, isAdmin } from '../core/access.ts';
import { pathOf } from '../core/resource.ts';
import type { Row } from '../core/state/engine.ts';
import type { Store } from '../core/store.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import type { DeclaredPlaces, Placed } from './live/declared-places.ts';
import { showsTop } from './live/visibility.ts';
import { titlesOf } from './titles.ts';

export interface FoundThing {
  name: string;
  kind: string; // Server
  path: string; // in the API
}

const mostShown = 20;
const mostFound = 500; // of which the best are shown
const mostMs = 250;
const leastLetters = 2;

export const searchRoute = (store: Store, places: () => DeclaredPlaces): Route => ({
  method: 'GET',
  path: '/search',
  operation: 'webconsole_search',
  summary: 'Things by name, address or id',
  unaudited: true,
  call: (x) => search(store, places(), x),
});

async function search(store: Store, places: DeclaredPlaces, x: Exchange): Promise<Reply> {
  const text = (x.search.get('text') ?? '').trim().toLowerCase().slice(0, 200);
  const caller = x.who;
  const things: FoundThing[] = [];
  const until = performance.now() + mostMs;
  const tops = new Map<string, Promise<boolean>>();
  if (text.length >= leastLetters)
    for await (const rows of store.pages({ contract: caller.contract, below: '' })) {
      for (const row of rows) {
        const name = nameIn(row, text);
        const placed = name === undefined ? undefined : places.find(pathOf(row));
        if (name === undefined || !placed || row.state === 'DELETING') continue;
        if (!(await mayRead(store, caller, placed, tops))) continue;
        const path = places.apiPath(placed, pathOf(row));
        things.push({ name, kind: titlesOf(placed.resource.name)[0], path });
        if (things.length >= mostFound) break;
      }
      if (things.length >= mostFound || performance.now() > until || x.isGone) break;
    }
  const best = things.toSorted((a, b) => rankOf(a, text) - rankOf(b, text)).slice(0, mostShown);
  return json(200, { things: best }, ['Cache-Control', 'no-store']);
}

// Those that are named so, those that begin so, and the others, as they came.
function rankOf({ name }: FoundThing, text: string): number {
  const own = name.toLowerCase();
  return own === text ? 0 : own.startsWith(text) ? 1 : 2;
}

// The name of a row that has the text in it, or whose id or address begins with it. Bodies are only read where they may
// have it.
function nameIn({ id, body }: Row, text: string): string | undefined {
  const isById = id.startsWith(text);
  if (!isById && !body.toLowerCase().includes(JSON.stringify(text).slice(1, -1))) return undefined;
  const values = JSON.parse(body) as Json;
  if (!isObject(values)) return undefined;
  const names = ['name', 'zoneName', 'email', 'key'].map((key) => values[key]).filter((one) => typeof one === 'string');
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
