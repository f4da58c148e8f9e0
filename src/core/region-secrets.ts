// The region's own secrets: the key file that seals, and the sealed values in the state. Without the key the state's
// secrets are lost, so it is never replaced.
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { createSeal, newSealKey, type Seal } from '../base/seal.ts';
import { syncFolderNow } from '../base/sync-folder.ts';
import { type DumpPage, type DumpRow, type Key, rowOf } from './state/engine.ts';
import type { Store } from './store.ts';

const sealKeyBytes = 32;
const place = 'region';

export class RegionSecrets {
  readonly seal: Seal;
  #store: Store;
  #file: string;

  constructor(store: Store, seal: Seal, file: string) {
    this.#store = store;
    this.seal = seal;
    this.#file = file;
  }

  // Created once, by the first caller.
  kept(id: string, make: () => string | Promise<string>): Promise<string> {
    return this.#store.change(async () => {
      const known = await this.load(id);
      if (known !== undefined) return { writes: [], value: known };
      const value = await make();
      const row = rowOf({ ...keyOf(id), kind: 'secret', hidden: this.#sealed(value) });
      return { writes: [{ op: 'insert', table: 'resource', row }], value };
    });
  }

  async load(id: string): Promise<string | undefined> {
    const { contract, place: where, id: name } = keyOf(id);
    const row = await this.#store.get(contract, where, name);
    if (!row) return undefined;
    try {
      return this.seal.open((JSON.parse(row.hidden) as { sealed: string }).sealed);
    } catch {
      throw wrongKey(this.#file);
    }
  }

  save(id: string, value: string): Promise<void> {
    return this.#store.change(async () => {
      const key = keyOf(id);
      const row = await this.#store.get(key.contract, key.place, key.id);
      const next = { ...(row ?? rowOf({ ...key, kind: 'secret' })), hidden: this.#sealed(value) };
      return { writes: [{ op: row ? 'update' : 'insert', table: 'resource', row: next }], value: undefined };
    });
  }

  #sealed(value: string): string {
    return JSON.stringify({ sealed: this.seal.close(value) });
  }
}

export async function openSecrets(store: Store, file: string): Promise<RegionSecrets> {
  const isNew = (await store.range({ contract: 0, place, limit: 1 })).length === 0;
  if (!isNew) await settleKey(store, file);
  if (isNew && store.engine.exclusive) demandFresh(dirname(file));
  return new RegionSecrets(store, createSeal(regionKey(file, isNew)), file);
}

// The key that a rotation seals with is next to the old one until the state has it.
export const nextKey = (file: string): string => `${file}.next`;

// Completes a rotation of the key that was interrupted after the state had been sealed with the next key.
export async function settleKey(store: Store, file: string): Promise<boolean> {
  const next = nextKey(file);
  if (!existsSync(next) || (await keyDamage(store, file)) === undefined) return false;
  if ((await keyDamage(store, next)) !== undefined) return false;
  replaceKey(file);
  return true;
}

// Nodes that share the file may do this at once. Returns the copy of the old key, which older backups need.
export function replaceKey(file: string): string | undefined {
  const old = existsSync(file) ? keepOldKey(file) : undefined;
  try {
    renameSync(nextKey(file), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // another node was faster
  }
  syncFolderNow(dirname(file));
  return old;
}

function keepOldKey(file: string): string {
  const text = readFileSync(file, 'utf8');
  for (let number = 1; ; number++) {
    const old = number === 1 ? `${file}.old` : `${file}.old-${number}`;
    if (!existsSync(old)) writeFileSync(old, text, { mode: 0o600, flush: true });
    if (readFileSync(old, 'utf8') === text) return old;
  }
}

// For the pages of a dump that will become the state: throws if the key in that file does not open the sealed values.
export function demandKey(file: string): (page: DumpPage) => void {
  let seal: Seal | undefined;
  return (page) => {
    if (!page.rows.some(isSecret)) return;
    seal ??= readSeal(file);
    if (!opens(page, seal))
      throw new Fault('refused', `${file} is not the key of that state: put the right one there, or name it by --key.`);
  };
}

// Returns what is wrong with the key in that file, or undefined if it opens the secrets of the state. If it opens only
// some, the others are damaged.
export async function keyDamage(store: Store, file: string): Promise<string | undefined> {
  try {
    let secrets: RegionSecrets | undefined;
    for await (const rows of store.pages({ contract: 0, place }))
      for (const { id, kind } of rows) {
        if (kind !== 'secret') continue;
        secrets ??= new RegionSecrets(store, readSeal(file), file);
        if (await secrets.load(id).catch(() => undefined)) return undefined;
      }
    return secrets && wrongKey(file).message;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

// Whether a page of a dump has no secret of the region that the seal does not open.
export function opens({ table, rows }: DumpPage, seal: Seal): boolean {
  if (table !== 'resource') return true;
  try {
    for (const row of rows.filter(isSecret)) seal.open((JSON.parse(String(row[10])) as { sealed: string }).sealed);
    return true;
  } catch {
    return false;
  }
}

const isSecret = ([contract, where, , kind]: DumpRow): boolean =>
  contract === 0 && where === place && kind === 'secret';

// With the key in that file, which must be there.
export const readSeal = (file: string): Seal => createSeal(regionKey(file, false));

// For a state that will be replaced by one whose secrets were sealed with another key: creates the key if it is
// missing.
export function readOrMakeSeal(file: string): Seal {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return createSeal(regionKey(file, !existsSync(file)));
}

const keyOf = (id: string): Key => ({ contract: 0, place, id });

// The first start writes these after the secrets are in the state, so with them an empty state is not the one that
// was here: a copy of state.db without its log.
function demandFresh(folder: string): void {
  const later = ['owner.json', 'ca.pem'].find((name) => existsSync(join(folder, name)));
  if (later === undefined) return;
  throw new Fault(
    'unavailable',
    `${join(folder, 'state.db')} is empty but ${later} is next to it, as after half a restore: put state.db and ` +
      'state.db-wal back from the same backup, or name another --data.',
  );
}

function regionKey(file: string, isNew: boolean): Buffer {
  try {
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
    if (key.length === sealKeyBytes) return key;
    if (!isNew) throw wrongKey(file);
    rmSync(file); // the file has no valid key
  } catch (error) {
    if (error instanceof Fault) throw error;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new Fault('unavailable', `${file} can't be read.`, { cause: error });
    if (!isNew) throw missingKey(file);
  }
  return writeKey(file);
}

// Nodes that start at once may share the file: it appears whole, and the first one's is everybody's.
function writeKey(file: string): Buffer {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${newSealKey().toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(draft, file); // a disk without links
  } finally {
    rmSync(draft, { force: true });
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
}

const wrongKey = (file: string): Fault =>
  new Fault('unavailable', `${file} is not the key of this state: put the right one in place, or name it by --key.`);

const missingKey = (file: string): Fault =>
  new Fault(
    'unavailable',
    `${file} is missing, and this state can't be read without it: put it back from where you keep it or from another node, ` +
      'or name it by --key.',
  );
