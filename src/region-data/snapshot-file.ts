// A snapshot of a region as one file: the rows of the state, and the files of the products' parts as pieces. Backups
// and exported save points are such files. With a passphrase, the secrets in the rows are sealed with it, so that a
// region with another key can open them; otherwise they stay sealed with the region's key.
import { iso, machineTime } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Seal } from '../base/seal.ts';
import { programVersion } from '../config/program-version.ts';
import { demandKey, opens, readSeal } from '../core/region-secrets.ts';
import type { Counts, OnPage } from '../core/state/dump/dump.ts';
import { type DumpHeader, type ExportedSavePoint, type Piece, writeDump } from '../core/state/dump/dump-file.ts';
import { type Lock, newLock, openLock } from '../core/state/dump/passphrase.ts';
import { resealedPage } from '../core/state/dump/reseal.ts';
import type { Dump, DumpPage } from '../core/state/engine.ts';
import { engineClaims } from '../core/store.ts';

export interface Snapshot {
  rows: Dump;
  pieces: AsyncIterable<Piece>;
  format: number; // the lowest that describes its content
  savePoint?: ExportedSavePoint;
}

export interface SnapshotTarget {
  file: string; // an absolute path
  force: boolean; // overwrite it
  key: string; // the file of the region's key
  passphrase: string | undefined;
}

export async function writeSnapshot(snapshot: Snapshot, target: SnapshotTarget): Promise<Counts> {
  const { rows, pieces, format, savePoint } = snapshot;
  const { file, force, key, passphrase } = target;
  const header: DumpHeader = { program: programVersion(), time: iso(machineTime()), ...(savePoint && { savePoint }) };
  const content = { format, attached: pieces };
  if (passphrase === undefined) return writeDump(file, { ...content, header, pages: rows }, force);
  const { lock, seal } = await newLock(passphrase);
  const pages = portableRows(rows, key, seal);
  return writeDump(file, { ...content, header: { ...header, lock }, pages }, force);
}

// Without the claims of nodes on data that stays with them.
async function* portableRows(rows: Dump, key: string, seal: Seal): AsyncGenerator<DumpPage> {
  const [own, demand] = [readSeal(key), demandKey(key)];
  for await (const page of rows) {
    demand(page);
    const { table, rows: all } = resealedPage(page, own, seal);
    const kept = table === 'claim' ? all.filter(([contract, place]) => contract !== 0 || place !== engineClaims) : all;
    if (kept.length > 0) yield { table, rows: kept };
  }
}

// Opens the secrets of a snapshot that has a passphrase.
export async function sealOf(file: string, lock: Lock, passphrase: string | undefined): Promise<Seal> {
  if (passphrase === undefined) throw new Fault('refused', `${file} is a portable backup. Pass its passphrase.`);
  const seal = await openLock(lock, passphrase);
  if (!seal) throw new Fault('refused', `Wrong passphrase for ${file}. Nothing was changed.`);
  return seal;
}

export const demandOpen =
  (file: string, seal: Seal): OnPage =>
  (page) => {
    if (!opens(page, seal)) throw new Fault('refused', `${file} is damaged: its passphrase does not open its secrets.`);
  };
