// Backups: writes the state and parts of the data folder to a file, and restores them. A running region and a stopped
// one are backed up in the same way.
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { spaceGuard } from '../base/free-space.ts';
import type { Seal } from '../base/seal.ts';
import { demandKey, readOrMakeSeal } from '../core/region-secrets.ts';
import { type Counts, type OnPage, tapped, totalOf } from '../core/state/dump/dump.ts';
import type { Piece } from '../core/state/dump/dump-file.ts';
import { checkDump, type DumpSummary, readDump, readHeader } from '../core/state/dump/dump-reader.ts';
import { resealed } from '../core/state/dump/reseal.ts';
import type { Dump, DumpPage, StateEngine } from '../core/state/engine.ts';
import { isEmbedded } from '../surface/product-data.ts';
import { demandOwnDisks } from '../surface/stored-disks.ts';
import { RestoredPart } from './part-draft.ts';
import {
  type BackupPart,
  backupParts,
  isUsual,
  keeperOf,
  type RegionPlace,
  unknownFile,
  whereElse,
  whyNotLocal,
} from './parts.ts';
import { demandOpen, sealOf, writeSnapshot } from './snapshot-file.ts';

interface Amounts {
  file: string;
  rows: Counts;
  total: number;
  tookMs: number;
}

export interface BackupResult extends Amounts {
  parts: (PartAmount & { leftOut?: string })[]; // `leftOut`: why the part is missing although rows refer to it
}

export interface PartAmount {
  name: string;
  what: string;
  bytes: number;
}

export interface Restored extends Amounts {
  made: string; // the time of the backup
  program: string; // which version made it
  parts: (PartAmount & { outcome: 'none' | 'restored' | 'left out' })[];
}

export interface BackupRequest {
  file: string; // an absolute path
  force: boolean;
  take?: readonly string[]; // parts that only a backup which names them contains
  leaveOut?: readonly string[]; // parts that every other backup contains
  passphrase?: string; // portable
}

export interface RestoreRequest {
  file: string;
  leaveOut?: readonly string[];
  passphrase?: string;
}

export interface CheckedBackup extends DumpSummary {
  seal?: Seal; // of a portable one
  bytes: ReadonlyMap<string, number>; // of parts, by name
}

interface CopiedPart extends PartAmount {
  pieces?: AsyncIterable<Piece>;
  format: number; // the lowest that has it
  leftOut?: string;
}

export async function backUp(
  engine: StateEngine,
  place: RegionPlace,
  { file, force, passphrase, take = [], leaveOut = [] }: BackupRequest,
  look: OnPage,
): Promise<BackupResult> {
  demandOwnDisks(place.data, 'A backup');
  const began = performance.now();
  const copied: CopiedPart[] = [];
  for (const part of backupParts) {
    const isIncluded = isUsual(part) ? !leaveOut.includes(part.name) : take.includes(part.name);
    copied.push(await copyOf(engine, place, part, isIncluded));
  }
  const format = Math.max(passphrase === undefined ? 1 : 2, ...copied.map((one) => one.format));
  const snapshot = { rows: tapped(engine.dump(), look), pieces: counted(copied), format };
  const rows = await writeSnapshot(snapshot, { file, force, key: place.key, passphrase });
  const parts = copied.map(({ name, what, bytes, leftOut }, at) => {
    const table = backupParts[at]?.backup.neededBy;
    const isMissed = leftOut !== undefined && table !== undefined && rows[table] > 0;
    return { name, what, bytes, ...(isMissed && { leftOut }) };
  });
  return { file, rows, total: totalOf(rows), parts, tookMs: Math.round(performance.now() - began) };
}

async function copyOf(
  engine: StateEngine,
  place: RegionPlace,
  part: BackupPart,
  isIncluded: boolean,
): Promise<CopiedPart> {
  const { name, what, backup } = part;
  const none = { name, what, bytes: 0, format: 1 };
  if (!isIncluded) return { ...none, leftOut: 'as requested' };
  const leftOut = await whyNotLocal(engine, place, part);
  if (leftOut !== undefined && backup.neededBy) return { ...none, leftOut };
  if (leftOut !== undefined) throw new Fault('refused', `The backup can't include the ${what}: ${leftOut}.`);
  const { snapshot } = await part.load();
  const path = join(place.data, name);
  const pieces = (): AsyncIterable<Piece> => snapshot?.pieces?.(path, `${path}.copy`) ?? empty();
  // Also if there are none yet: some may be added before the moment of the state.
  const isNeeded = backup.neededBy === undefined || (await hasPieces(pieces()));
  return { ...none, pieces: pieces(), format: isNeeded ? backup.format : 1 };
}

async function hasPieces(pieces: AsyncIterable<Piece>): Promise<boolean> {
  for await (const _ of pieces) return true;
  return false;
}

async function* empty(): AsyncGenerator<never> {}

async function* counted(parts: readonly CopiedPart[]): AsyncGenerator<Piece> {
  for (const part of parts)
    for await (const piece of part.pieces ?? empty()) {
      part.bytes += piece.bytes.length;
      yield piece;
    }
}

// Throws if anything is wrong with the file, or if neither `key` nor the passphrase opens its secrets.
export async function checkBackup(
  { file, passphrase, leaveOut = [] }: RestoreRequest,
  { data, key, engines }: RegionPlace,
  look: OnPage,
): Promise<CheckedBackup> {
  const { lock } = await readHeader(file);
  const seal = lock && (await sealOf(file, lock, passphrase));
  const demand = seal ? demandOpen(file, seal) : demandKey(key);
  let mismatch: unknown;
  const lookAtPage = (page: DumpPage): void => {
    look(page);
    try {
      demand(page);
    } catch (error) {
      mismatch ??= error; // thrown last: a damaged file is the more useful error
    }
  };
  const parts = await restoredParts(data, () => false);
  const found = await checkDump(file, lookAtPage, (piece) => void parts.some((part) => part.take(piece)));
  if (mismatch) throw mismatch;
  if (totalOf(found.rows) === 0) throw new Fault('refused', `${file} is the backup of an empty state.`);
  for (const { part, bytes } of parts)
    if (part.backup.neededBy && !leaveOut.includes(part.name) && bytes > 0 && !isEmbedded(engines[part.name]))
      throw nowhere(file, part);
  const bytes = new Map(parts.map((one) => [one.part.name, one.bytes]));
  return { ...found, bytes, ...(seal && { seal }) };
}

const nowhere = (file: string, { name, what }: BackupPart): Fault =>
  new Fault(
    'refused',
    `${file} contains the ${what}, but this region stores them elsewhere. Restore it into a region without ` +
      `--${name}, or skip them with --no-${name}.`,
  );

async function restoredParts(data: string, isKept: (part: BackupPart) => boolean): Promise<RestoredPart[]> {
  const found: RestoredPart[] = [];
  for (const part of backupParts) {
    const { restore } = await part.load();
    if (restore) found.push(new RestoredPart(part, restore, data, isKept(part)));
  }
  return found;
}

// The file is checked again while it is read, in case it was changed in between.
export async function restore(
  engine: StateEngine,
  place: RegionPlace,
  { file, leaveOut = [] }: RestoreRequest,
  checked: CheckedBackup,
  look: OnPage,
): Promise<Restored> {
  const began = performance.now();
  const { data, key, engines } = place;
  const isKept = ({ name }: BackupPart): boolean => !leaveOut.includes(name) && isEmbedded(engines[name]);
  for (const part of backupParts)
    if (part.backup.neededBy && isKept(part) && checked.bytes.get(part.name)) await demandHere(engine, place, part);
  const parts = await restoredParts(data, isKept);
  const take = (piece: Piece): void => {
    if (!parts.some((part) => part.take(piece))) throw unknownFile('The backup', piece);
  };
  const rows = withFiles(tapped(readDump(file, { bytes: spaceGuard(data), piece: take }), look), parts);
  try {
    await engine.load(checked.seal ? resealed(rows, checked.seal, readOrMakeSeal(key)) : rows, true);
  } catch (error) {
    for (const part of parts) part.discard();
    throw error;
  }
  for (const part of parts) part.replace();
  if (checked.seal) setOwnerAside(data);
  return {
    file,
    rows: checked.rows,
    total: totalOf(checked.rows),
    made: checked.time,
    program: checked.program,
    parts: parts.map(({ part: { name, what }, bytes, isRestored }) => {
      const outcome = isRestored ? 'restored' : bytes > 0 ? 'left out' : 'none';
      return { name, what, bytes, outcome };
    }),
    tookMs: Math.round(performance.now() - began),
  };
}

async function demandHere(engine: StateEngine, place: RegionPlace, { name, what }: BackupPart): Promise<void> {
  const elsewhere = whereElse(await keeperOf(engine, place, name));
  if (elsewhere === undefined) return;
  const remedy = `Restore the backup there, or skip them with --no-${name}.`;
  throw new Fault('refused', `The ${what} can't be restored here: ${elsewhere}. ${remedy}`);
}

// Files that are added to existing ones are in place after the last page was read, before the state is replaced.
async function* withFiles(rows: Dump, parts: readonly RestoredPart[]): AsyncGenerator<DumpPage> {
  yield* rows;
  for (const part of parts) await part.add();
}

// The first owner's password is that of the other region now.
function setOwnerAside(data: string): void {
  const file = join(data, 'owner.json');
  if (existsSync(file)) renameSync(file, `${file}.old`);
}
