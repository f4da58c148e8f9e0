// Save points in `state check`: their state by the checksums that were stored with them, and the parts of products like
// those of the region, as far as that needs no rows.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parts } from '../parts.ts';
import { damagedPart } from './checksums.ts';
import { home } from './restore-files.ts';
import { isSavePointName, listSavePoints, savedData } from './savepoint-files.ts';

export async function savePointDamage(data: string): Promise<string[]> {
  if (!existsSync(home(data))) return [];
  const damage: string[] = [];
  const known = listSavePoints(data).map(({ name }) => name);
  for (const name of readdirSync(home(data)).filter(isSavePointName)) {
    if (known.includes(name)) damage.push(...(await damageOf(savedData(data, name))));
    else damage.push(`${join(home(data), name)}: its description is missing or damaged; remove this save point`);
  }
  return damage;
}

async function damageOf(data: string): Promise<string[]> {
  const part = await damagedPart(dirname(data), data);
  const damage = part === undefined ? [] : [`${join(data, part)} is damaged or missing: remove this save point`];
  for (const { name, load } of parts) {
    const { check } = await load();
    const place = { path: join(data, name), address: 'embedded', hasDamagedRows: false, isRunning: false };
    damage.push(...((await check?.(place))?.damage ?? []));
  }
  return damage;
}
