// Empties a state but for what its accounts are made of: contracts, users, groups, tokens, keys, the region's secrets
// and the clock, which never goes back. What is kept is small, so it is held in memory.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { holdExisting } from '../../base/held-folders.ts';
import { withoutPassword } from '../../config/setting-values.ts';
import type { DumpPage, DumpRow, StateEngine } from '../../core/state/engine.ts';
import { dropAll } from '../../monitoring/engine/remote/remote.ts';
import { central, pipeline } from '../../monitoring/index.ts';
import { dropClusters } from '../../streaming/engine/drop.ts';
import type { FoldersPlace } from './data-folder.ts';
import { isEmbedded, otherNode } from './engine-place.ts';
import { objectsFolder } from './objects-folder.ts';

export interface Emptied {
  removed: number; // rows
  kept: number;
  metrics: string; // what became of them, as a sentence
}

// While no region runs. Metrics and objects go first: pipelines without metrics are better than metrics that nobody can
// reach.
export async function emptyRegion(engine: StateEngine, place: FoldersPlace): Promise<Emptied> {
  const pages: DumpPage[] = [];
  const tenants: string[] = []; // of the metric engine
  const counts = new Map<number, Record<string, number>>(); // by contract: what the kept rows have reserved
  let [removed, kept] = [0, 0];
  for await (const { table, rows } of engine.dump()) {
    const stays = table === 'counter' ? rows.flatMap((row) => counted(row, counts)) : rows.filter(keeps[table]);
    if (table === 'resource') {
      for (const row of stays) addCounts(row, counts);
      for (const row of rows) if (hasMetrics.has(String(row[3]))) tenants.push(String(row[2]));
    }
    kept += stays.length;
    removed += rows.length - stays.length;
    if (stays.length > 0) pages.push({ table, rows: stays });
  }
  const metrics = await dropMetrics(engine, place, tenants);
  rmSync(objectsFolder(place.data), { recursive: true, force: true }); // bytes of buckets; those elsewhere are swept
  rmSync(join(place.data, 'logs'), { recursive: true, force: true }); // lines of embedded log pipelines
  await dropClusters(join(place.data, 'streaming'));
  holdExisting(place.data);
  await engine.load(each(pages), true);
  return { removed, kept, metrics };
}

const hasMetrics = new Set([pipeline.name, central.name]);

async function dropMetrics(engine: StateEngine, place: FoldersPlace, tenants: readonly string[]): Promise<string> {
  if (isEmbedded(place.engines.metrics)) {
    rmSync(join(place.data, 'metrics'), { recursive: true, force: true });
    const other = await otherNode(engine, place.data, 'metrics');
    return other === undefined
      ? 'Its metrics are gone.'
      : `Its metrics stay with a node on ${other}, out of reach: remove the folder metrics in its data folder.`;
  }
  const address = withoutPassword(place.engines.metrics);
  try {
    const refused = await dropAll(place.engines.metrics, tenants);
    if (refused === undefined) return `Its metrics at ${address} are gone.`;
    return `Its metrics at ${address} stay there, out of reach: ${refused}.`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `Its metrics at ${address} stay there, out of reach: ${error.message}.`;
  }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

type Keep = (row: DumpRow) => boolean;

const never: Keep = () => false;
const place = (row: DumpRow): string => String(row[1]);
const isShare = (text: string): boolean => text.includes('/shares');

// Places of users and groups begin with um/. A share is of a resource, which is gone.
const keeps: Record<Exclude<DumpPage['table'], 'counter'>, Keep> = {
  resource: (row) =>
    row[0] === 0
      ? !(place(row) === 'lab' && ['faults', 'seed'].includes(String(row[2])))
      : isAccounts(place(row)) || place(row) === 'logins',
  claim: (row) =>
    ['email', 'engine', 'metric-drop'].includes(place(row)) || isAccounts(place(row)) || isAccounts(holderOf(row)),
  link: (row) => isAccounts(place(row)) && isAccounts(String(row[2])),
  sequence: (row) => isAccounts(String(row[2])),
  request: never,
  journal: never,
  activity: never,
  usage: never,
  object: never,
};

// Keys of the object storage belong to users too.
const isAccounts = (text: string): boolean =>
  (text.startsWith('um/') && !isShare(text)) || text.startsWith('objectstorage-management/');

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

// Counters come after all resources in a dump.
function counted(row: DumpRow, counts: Map<number, Record<string, number>>): DumpRow[] {
  const [contract, name, value] = row as [number, string, number];
  const left = name.startsWith('inside um/') ? value : (counts.get(contract)?.[name] ?? 0);
  return left === 0 ? [] : [[contract, name, left]];
}
