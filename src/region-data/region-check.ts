// The region's own files in `state check`: its key, the certificate of its authority, the secrets that were shown once,
// and whether the folders of its products exist.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matchesChecksum } from '../base/checked-json.ts';
import { folderDamage } from '../base/held-folders.ts';
import { keyDamage, RegionSecrets, readSeal } from '../core/region-secrets.ts';
import type { StateEngine } from '../core/state/engine.ts';
import { sqliteLogDamage } from '../core/state/sqlite/log-check.ts';
import { Store } from '../core/store.ts';
import { authorityFile, isLocked, keysFile } from './data-folder.ts';
import type { StateLocation } from './location.ts';
import type { RegionPlace } from './parts.ts';

// Files that may be missing, and what is wrong when they are damaged.
const kept: Readonly<Record<string, string>> = {
  'owner.json': 'do not trust the account in it, and delete it',
  [keysFile]: 'do not trust the keys in it, and delete it',
};

export async function regionDamage(
  engine: StateEngine,
  { data, key }: RegionPlace,
  isRunning: boolean,
): Promise<string[]> {
  const store = new Store(engine);
  const wrongKey = await keyDamage(store, key);
  const damage = wrongKey === undefined ? [] : [wrongKey];
  // A stopped region may have been restored from another one, and gets its own again at the next start.
  if (isRunning && wrongKey === undefined) damage.push(...(await authorityDamage(store, data, key)));
  damage.push(...folderDamage(data));
  for (const [name, remedy] of Object.entries(kept)) {
    const path = join(data, name);
    if (existsSync(path) && !matchesChecksum(readFileSync(path, 'utf8'))) damage.push(`${path} is damaged: ${remedy}`);
  }
  return damage;
}

// Damage that opening the state would hide; undefined: none.
export function damageBeforeOpening({ folder }: StateLocation): string | undefined {
  return folder === undefined || isLocked(folder) ? undefined : sqliteLogDamage(join(folder, 'state.db'));
}

// A copy of a value in the state.
async function authorityDamage(store: Store, data: string, key: string): Promise<string[]> {
  const path = authorityFile(data);
  const authority = await new RegionSecrets(store, readSeal(key), key).load('authority').catch(() => undefined);
  if (authority === undefined) return [];
  const { certificate } = JSON.parse(authority) as { certificate: string };
  const there = existsSync(path) ? readFileSync(path, 'utf8') : 'missing';
  if (there === certificate) return [];
  return [`${path} is ${there === 'missing' ? 'missing' : 'damaged'}: the next start writes it again`];
}
