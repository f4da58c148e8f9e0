// Reads all data of a region and returns what is damaged or missing: rows, the region's own files, the data of products
// and save points.
import { join } from 'node:path';
import type { StateCheck, StateEngine } from '../core/state/engine.ts';
import { products } from '../products.ts';
import { type Count, type DataCheck, isEmbedded, type ProductData, type RunningData } from '../surface/product-data.ts';
import { keeperOf, type RegionPlace, whereElse } from './parts.ts';
import { regionDamage } from './region-check.ts';
import { savePointDamage } from './save-points/check.ts';

export interface Checked extends StateCheck {
  counts: Count[]; // of everything read except the rows
}

export interface CheckRequest {
  isRunning: boolean; // a region runs on the data folder
  leaveOut: readonly string[]; // parts
  running?: readonly RunningData[]; // of the region in this process
}

export async function checkRegion(engine: StateEngine, place: RegionPlace, request: CheckRequest): Promise<Checked> {
  const rows = await engine.check();
  const found: Checked = { ...rows, damage: [...rows.damage], notes: [...rows.notes], counts: [] };
  found.damage.push(...(await regionDamage(engine, place, request.isRunning)));
  const look = { engine, place, request, hasDamagedRows: rows.damage.length > 0 };
  for (const { data } of products) {
    if (!data) continue;
    const { damage, notes = [], count } = await checkProduct(data, look);
    found.damage.push(...damage);
    found.notes.push(...notes);
    if (count) found.counts.push(count);
  }
  found.damage.push(...(await savePointDamage(place.data)));
  return found;
}

interface Look {
  engine: StateEngine;
  place: RegionPlace;
  request: CheckRequest;
  hasDamagedRows: boolean;
}

async function checkProduct(product: ProductData, look: Look): Promise<DataCheck> {
  const { engine, place, request, hasDamagedRows } = look;
  const { name, what } = product.part ?? { name: '', what: '' };
  if (request.leaveOut.includes(name)) return noted(`Skipped the ${what}.`);
  const running = request.running?.find(({ part }) => part === name);
  if (running) return running.check();
  const { check, checksOutside = false } = await product.load();
  if (!check) return { damage: [] };
  const { isRunning } = request;
  const keeper = await keeperOf(engine, place, name);
  const { address } = keeper;
  const elsewhere = whereElse(keeper);
  const isReadable = checksOutside && !isEmbedded(address);
  if (elsewhere !== undefined && !(isReadable && address === place.engines[name])) {
    const remedy = isReadable ? ` Pass --${name} with its credentials to check them.` : '';
    return noted(`Skipped the ${what}: ${elsewhere}.${remedy}`);
  }
  return check({ path: join(place.data, name), address, engine, hasDamagedRows, isRunning });
}

const noted = (note: string): DataCheck => ({ damage: [], notes: [note] });
