// The files of the region itself in `state check`: its key, the certificate of its authority, what was shown once, and
// the folders of its products.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matchesChecksum } from '../../base/checked-json.ts';
import { folderDamage } from '../../base/held-folders.ts';
import { keyDamage, RegionSecrets, readSeal } from '../../core/region-secrets.ts';
import type { StateCheck, StateEngine } from '../../core/state/engine.ts';
import { sqliteLogDamage } from '../../core/state/sqlite/log-check.ts';
import { Store } from '../../core/store.ts';
import { modelsDamage } from '../../inference/models/registry.ts';
import { authorityFile } from '../account/ca.ts';
import { isLocked } from '../region/data-folder.ts';
import { keysFile } from '../seed/seed-keys.ts';
import type { BackupPlace } from './backup.ts';
import type { StateLocation } from './location.ts';
import type { Checked } from './object-check.ts';

// Files that may be missing, and what is wrong when they are damaged.
const kept: Readonly<Record<string, string>> = {
  'owner.json': 'do not trust the account in it, and delete it',
  [keysFile]: 'do not trust the keys in it, and delete it',
};

export async function withRegion<Found extends StateCheck>(
  found: Found,
  engine: StateEngine,
  { data, key }: Pick<BackupPlace, 'data' | 'key'>,
  isRunning: boolean,
): Promise<Found> {
  const store = new Store(engine);
  const wrongKey = await keyDamage(store, key);
  const damage = wrongKey === undefined ? [] : [wrongKey];
  // A stopped region may have been restored from another one, and has its own again after the next start.
  if (isRunning && wrongKey === undefined) damage.push(...(await authorityDamage(store, data, key)));
  damage.push(...folderDamage(data));
  for (const [name, remedy] of Object.entries(kept)) {
    const path = join(data, name);
    if (existsSync(path) && !matchesChecksum(readFileSync(path, 'utf8'))) damage.push(`${path} is damaged: ${remedy}`);
  }
  return { ...found, damage: [...found.damage, ...damage, ...modelsDamage(data)] };
}

// Damage that opening the state would hide; undefined: there is none.
export function unopened({ folder }: StateLocation): Checked | undefined {
  const found = folder === undefined || isLocked(folder) ? undefined : sqliteLogDamage(join(folder, 'state.db'));
  if (found === undefined) return undefined;
  const notes = ['Nothing else was checked: the first process that opens the state drops the rest of that file.'];
  return { rows: 0, objects: 0, logSegments: 0, damage: [found], notes };
}

// A copy of what is in the state.
async function authorityDamage(store: Store, data: string, key: string): Promise<string[]> {
  const path = authorityFile(data);
  const authority = await new RegionSecrets(store, readSeal(key), key).load('authority').catch(() => undefined);
  if (authority === undefined) return [];
  const { certificate } = JSON.parse(authority) as { certificate: string };
  const there = existsSync(path) ? readFileSync(path, 'utf8') : 'missing';
  if (there === certificate) return [];
  return [`${path} is ${there === 'missing' ? 'missing' : 'damaged'}: the next start writes it again`];
}
