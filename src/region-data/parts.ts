// The parts of a data folder: the files of the state, and what products have declared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { withoutPassword } from '../config/setting-values.ts';
import type { EngineClaim } from '../core/nodes/engine-home.ts';
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
  place: RegionPlace,
  { name, load }: Part,
): Promise<string | undefined> {
  const elsewhere = whereElse(await keeperOf(engine, place, name));
  if (elsewhere !== undefined) return elsewhere;
  const { snapshot } = await load();
  if (!place.isServed || !snapshot?.isHeld) return undefined;
  return `a running region has them: omit --state and pass --data ${place.data}`;
}

// Undefined: the part is in this data folder.
export function whereElse({ address, otherNode }: Keeper): string | undefined {
  if (!isEmbedded(address)) return `they are stored at ${withoutPassword(address)}`;
  return otherNode === undefined ? undefined : `another node, on ${otherNode}, stores them`;
}

export interface Keeper {
  address: string; // of the engine: as the option says it, or as the nodes of the region have recorded it
  otherNode: string | undefined; // the host of another node on the same state that has the part
}

export async function keeperOf(
  engine: StateEngine,
  { data, engines }: Pick<RegionPlace, 'data' | 'engines'>,
  name: string,
): Promise<Keeper> {
  const { [name]: address = 'embedded' } = engines;
  const row = engine.exclusive || !isEmbedded(address) ? undefined : await engine.get('claim', 0, engineClaims, name);
  if (!row) return { address, otherNode: undefined };
  const { id, host = 'another machine', outside } = JSON.parse(row.body) as EngineClaim;
  if (outside !== undefined) return { address: outside, otherNode: undefined };
  return { address, otherNode: id === tagIn(data, name) ? undefined : host };
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
