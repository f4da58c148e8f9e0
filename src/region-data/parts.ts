// The parts of a data folder: the files of the state, and what products have declared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { withoutPassword } from '../config/setting-values.ts';
import type { Piece } from '../core/state/dump/dump-file.ts';
import type { StateEngine } from '../core/state/engine.ts';
import { engineClaims } from '../core/store.ts';
import { products } from '../products.ts';
import { type DataHooks, type DataPart, isEmbedded } from '../surface/product-data.ts';

export interface RegionPlace {
  data: string; // the data folder
  key: string; // the file of the region's key
  engines: Readonly<Record<string, string>>; // by option: embedded, here, or the address of an engine elsewhere
  isServed: boolean; // by another process
}

export interface Part extends DataPart {
  load(): Promise<DataHooks>;
}

export const stateFiles = ['state.db', 'state.db-wal'] as const;

export const parts: readonly Part[] = products.flatMap(({ data }) =>
  data?.part ? [{ ...data.part, load: data.load }] : [],
);

// The files of a region's state in its data folder.
export const savedParts: readonly string[] = [...stateFiles, ...parts.map(({ name }) => name)];

// Parts that a backup can contain. A state is incomplete without those that its rows refer to.
export const backupParts = parts.flatMap((part) => (part.backup ? [{ ...part, backup: part.backup }] : []));
export const isUsual = ({ backup }: Part): boolean => backup?.neededBy !== undefined;

export type BackupPart = (typeof backupParts)[number];

// Why the part is not in this data folder, or can't be copied from there.
export async function whyNotLocal(
  engine: StateEngine,
  { data, engines, isServed }: RegionPlace,
  { name, load }: Part,
): Promise<string | undefined> {
  const address = engines[name];
  if (!isEmbedded(address)) return `they are stored at ${withoutPassword(address ?? '')}`;
  const other = await otherNode(engine, data, name);
  if (other !== undefined) return `another node, on ${other}, stores them`;
  const { snapshot } = await load();
  if (!isServed || !snapshot?.isHeld) return undefined;
  return `a running region has them: omit --state and pass --data ${data}`;
}

// The host of another node on the same state that has the part.
export async function otherNode(engine: StateEngine, data: string, name: string): Promise<string | undefined> {
  const claim = engine.exclusive ? undefined : await engine.get('claim', 0, engineClaims, name);
  if (!claim) return undefined;
  const { id, host = 'another machine' } = JSON.parse(claim.body) as { id: string; host?: string };
  return id === tagIn(data, name) ? undefined : host;
}

function tagIn(data: string, name: string): string | undefined {
  try {
    return readFileSync(join(data, `${name}.id`), 'utf8').trim();
  } catch {
    return undefined;
  }
}

export function unknownFile(file: string, { name }: Pick<Piece, 'name'>): Fault {
  return new Fault('refused', `${file} contains a file ${name}, which this version does not know.`);
}
