// Reads all data of a region and returns what is damaged or missing: rows, the region's own files, the data of products
// and save points.
import { join } from 'node:path';
import type { StateCheck, StateEngine } from '../core/state/engine.ts';
import { products } from '../products.ts';
import type { Count, DataCheck, ProductData, RunningData } from '../surface/product-data.ts';
import { otherNode, type RegionPlace } from './parts.ts';
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
  const { check } = await product.load();
  if (!check) return { damage: [] };
  const other = name === '' ? undefined : await otherNode(engine, place.data, name);
  if (other !== undefined) return noted(`Skipped the ${what}: another node, on ${other}, stores them.`);
  const { isRunning } = request;
  const address = place.engines[name] ?? 'embedded';
  return check({ path: join(place.data, name), address, engine, hasDamagedRows, isRunning });
}

const noted = (note: string): DataCheck => ({ damage: [], notes: [note] });
