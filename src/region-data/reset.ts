// Empties a state except for its accounts: contracts, users, groups, tokens, keys and the region's secrets. The clock
// returns to the machine's time, because no remaining row has a later one. The rows that are kept are few, so they are
// held in memory.
import { join } from 'node:path';
import { holdExisting } from '../base/held-folders.ts';
import { insideScope } from '../core/operation/revisions.ts';
import type { DumpPage, DumpRow, StateEngine } from '../core/state/engine.ts';
import { engineClaims } from '../core/store.ts';
import { products } from '../products.ts';
import type { ResetHooks } from '../surface/product-data.ts';
import { keeperOf, type RegionPlace } from './parts.ts';

export interface Emptied {
  removed: number; // rows
  kept: number;
  notes: string[]; // about the data of products
}

// While no region runs. The files of products are removed first: pipelines without metrics are better than metrics that
// are unreachable.
export async function emptyRegion(engine: StateEngine, place: RegionPlace): Promise<Emptied> {
  const resets = await resetsOf();
  const keeps = kept(resets.map(({ hooks }) => hooks));
  const pages: DumpPage[] = [];
  const counts = new Map<number, Record<string, number>>(); // by contract: the reservations of the kept rows
  const sums = { removed: 0, kept: 0 };
  for await (const { table, rows } of engine.dump()) {
    const stays =
      table === 'counter' ? rows.flatMap((row) => keeps.counter(row, counts)) : rows.filter(keeps.rows[table]);
    if (table === 'resource') for (const row of stays) addCounts(row, counts);
    sums.kept += stays.length;
    sums.removed += rows.length - stays.length;
    if (stays.length > 0) pages.push({ table, rows: stays });
  }
  const notes: string[] = [];
  for (const { part, hooks } of resets) {
    const keeper = await keeperOf(engine, place, part);
    const note = await hooks.empty?.({ path: join(place.data, part), engine, ...keeper });
    if (note !== undefined) notes.push(note);
  }
  holdExisting(place.data);
  await engine.load(each(pages), true);
  return { ...sums, notes };
}

async function resetsOf(): Promise<{ part: string; hooks: ResetHooks }[]> {
  const found: { part: string; hooks: ResetHooks }[] = [];
  for (const { data } of products) {
    const hooks = (await data?.load())?.reset;
    if (hooks) found.push({ part: data?.part?.name ?? '', hooks });
  }
  return found;
}

// Whether a path belongs to an account, so that a reset keeps it.
export async function accountPaths(): Promise<(path: string) => boolean> {
  const resets = await resetsOf();
  return (path) => resets.some(({ hooks }) => hooks.keepsPath?.(path));
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

type Keep = (row: DumpRow) => boolean;

const never: Keep = () => false;
const place = (row: DumpRow): string => String(row[1]);
const isSetByLab = (row: DumpRow): boolean =>
  place(row) === 'lab' && /^(faults|seed|clock|demo-\d+)$/.test(String(row[2]));

interface Kept {
  rows: Record<Exclude<DumpPage['table'], 'counter'>, Keep>;
  counter(row: DumpRow, counts: Map<number, Record<string, number>>): DumpRow[];
}

function kept(hooks: readonly ResetHooks[]): Kept {
  const isAccounts = (path: string): boolean => hooks.some((one) => one.keepsPath?.(path));
  const scopes = new Set([engineClaims, ...hooks.flatMap(({ claims = [] }) => claims)]);
  const rows: Kept['rows'] = {
    resource: (row) => (row[0] === 0 ? !isSetByLab(row) : isAccounts(place(row))),
    claim: (row) => scopes.has(place(row)) || isAccounts(place(row)) || isAccounts(holderOf(row)),
    link: (row) => isAccounts(place(row)) && isAccounts(String(row[2])),
    sequence: (row) => isAccounts(String(row[2])),
    request: never,
    journal: never,
    activity: never,
    usage: never,
    object: never,
  };
  return {
    rows,
    // Counters come after all resources in a dump.
    counter([contract, name, value], counts) {
      const isInside = isAccounts(String(name).slice(insideScope.length)) && String(name).startsWith(insideScope);
      const left = isInside ? value : (counts.get(Number(contract))?.[String(name)] ?? 0);
      return left === 0 ? [] : [[contract, name, left] as DumpRow];
    },
  };
}

// The path of the resource that holds a claim.
function holderOf(row: DumpRow): string {
  const body = String(row[9]);
  return body === '' ? '' : String((JSON.parse(body) as { path?: string }).path ?? '');
}

function addCounts(row: DumpRow, counts: Map<number, Record<string, number>>): void {
  const hidden = String(row[10]);
  if (!hidden.includes('"counts"')) return;
  const { holds } = JSON.parse(hidden) as { holds?: { counts: Record<string, number> } };
  const sums = counts.get(Number(row[0])) ?? {};
  for (const [name, value] of Object.entries(holds?.counts ?? {})) sums[name] = (sums[name] ?? 0) + value;
  counts.set(Number(row[0]), sums);
}
