// The folders of data engines that a data folder must have. Its folder.json lists them, so that `state check` finds one
// that is gone as a whole.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isObject, type Json } from './json.ts';
import { syncFolderNow } from './sync-folder.ts';

type Facts = Record<string, Json | undefined>;

// An engine calls this before it writes into its folder. `below`: a folder in it.
export function holdFolder(folder: string, below = ''): void {
  changeHeld(dirname(folder), (held) => held.add(join(basename(folder), below)));
}

export function releaseFolder(folder: string, below = ''): void {
  changeHeld(dirname(folder), (held) => held.delete(join(basename(folder), below)));
}

// After a reset or a restore: what it removed is not missing.
export function holdExisting(data: string): void {
  changeHeld(data, (held) => {
    for (const name of held) if (!existsSync(join(data, name))) held.delete(name);
  });
}

export const folderDamage = (data: string): string[] =>
  [...heldIn(factsOf(data))]
    .map((name) => join(data, name))
    .filter((path) => !existsSync(path))
    .map((path) => `${path} is missing: all data in it are lost`);

function changeHeld(data: string, change: (held: Set<string>) => void): void {
  const facts = factsOf(data);
  if (!facts) return; // an engine alone, without a region
  const held = heldIn(facts);
  const before = [...held].join();
  change(held);
  if ([...held].join() === before) return;
  const file = join(data, 'folder.json');
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify({ ...facts, holds: [...held] })}\n`, { mode: 0o600, flush: true });
    renameSync(draft, file);
    syncFolderNow(data);
  } catch {
    rmSync(draft, { force: true }); // a full disk: what the engine writes next reports it
  }
}

const heldIn = (facts: Facts | undefined): Set<string> =>
  new Set(Array.isArray(facts?.holds) ? facts.holds.map(String) : []);

function factsOf(data: string): Facts | undefined {
  try {
    const facts: unknown = JSON.parse(readFileSync(join(data, 'folder.json'), 'utf8'));
    return isObject(facts) ? (facts as Facts) : undefined;
  } catch {
    return undefined;
  }
}
