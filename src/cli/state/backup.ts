// Backups: the state to a file, and back. The same for a running region and a stopped one. The secrets in a portable
// one are sealed with a passphrase, so that a region with another key can have it; in any other they stay as they are.
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { iso, machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Seal } from '../../base/seal.ts';
import { demandKey, opens, readOrMakeSeal, readSeal } from '../../core/region-secrets.ts';
import { type Counts, type OnPage, tapped, totalOf } from '../../core/state/dump/dump.ts';
import { type DumpContent, type Piece, writeDump } from '../../core/state/dump/dump-file.ts';
import { checkDump, type DumpSummary, readDump, readHeader } from '../../core/state/dump/dump-reader.ts';
import { newLock, openLock } from '../../core/state/dump/passphrase.ts';
import { resealed, resealedPage } from '../../core/state/dump/reseal.ts';
import type { Dump, DumpPage, StateEngine } from '../../core/state/engine.ts';
import { programVersion } from '../program-version.ts';
import { isEmbedded, type MetricsPlace, metricsOf, RestoredMetrics } from './metrics-folder.ts';

export interface BackupResult {
  file: string;
  rows: Counts;
  total: number;
  metricBytes: number;
  tookMs: number;
}

export interface Restored extends BackupResult {
  made: string; // when the backup was
  program: string; // which version made it
  metrics: 'none' | 'restored' | 'left out'; // left out: this region keeps its metrics elsewhere
}

export interface BackupRequest {
  file: string; // an absolute path
  force: boolean;
  metrics?: boolean;
  passphrase?: string; // portable
}

export interface RestoreRequest {
  file: string;
  passphrase?: string;
}

// What a backup is made of, and what is restored.
export interface BackupPlace extends MetricsPlace {
  key: string; // the file of the region's key
}

export interface CheckedBackup extends DumpSummary {
  seal?: Seal; // of a portable one
}

export async function backUp(
  engine: StateEngine,
  place: BackupPlace,
  { file, force, metrics, passphrase }: BackupRequest,
  look: OnPage,
): Promise<BackupResult> {
  const began = performance.now();
  const header = { program: programVersion(), time: iso(machineTime()) };
  let metricBytes = 0;
  const count = (bytes: number): void => {
    metricBytes += bytes;
  };
  const attached = metrics ? { attached: counted(await metricsOf(engine, place), count) } : {};
  const dumped = tapped(engine.dump(), look);
  const content: DumpContent =
    passphrase === undefined
      ? { header, pages: dumped, ...attached }
      : { ...(await portable(header, dumped, place.key, passphrase)), ...attached };
  const rows = await writeDump(file, content, force);
  return { file, rows, total: totalOf(rows), metricBytes, tookMs: Math.round(performance.now() - began) };
}

async function* counted(pieces: AsyncIterable<Piece>, count: (bytes: number) => void): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    count(piece.bytes.length);
    yield piece;
  }
}

async function portable(
  header: DumpContent['header'],
  dumped: Dump,
  key: string,
  passphrase: string,
): Promise<DumpContent> {
  const { lock, seal } = await newLock(passphrase);
  return { header: { ...header, lock }, pages: portablePages(dumped, key, readSeal(key), seal) };
}

// Without the claims of nodes on data that stays with them.
async function* portablePages(dumped: Dump, key: string, own: Seal, seal: Seal): AsyncGenerator<DumpPage> {
  const demand = demandKey(key);
  for await (const page of dumped) {
    demand(page);
    const { table, rows } = resealedPage(page, own, seal);
    const kept = table === 'claim' ? rows.filter(([contract, place]) => contract !== 0 || place !== 'engine') : rows;
    if (kept.length > 0) yield { table, rows: kept };
  }
}

// Throws if anything is wrong with the file, or if neither `key` nor the passphrase opens its secrets.
export async function checkBackup(
  { file, passphrase }: RestoreRequest,
  key: string,
  look: OnPage,
): Promise<CheckedBackup> {
  const { lock } = await readHeader(file);
  const seal = lock && (await openLock(lock, passphrase ?? missing(file)));
  if (lock && !seal) throw new Fault('refused', `That is not the passphrase of ${file}: nothing was changed.`);
  const demand = seal ? demandOpen(file, seal) : demandKey(key);
  let mismatch: unknown;
  const found = await checkDump(file, (page) => {
    look(page);
    try {
      demand(page);
    } catch (error) {
      mismatch ??= error; // thrown last: that the file is damaged says more
    }
  });
  if (mismatch) throw mismatch;
  if (totalOf(found.rows) === 0) throw new Fault('refused', `${file} is the backup of an empty state.`);
  return { ...found, ...(seal && { seal }) };
}

function missing(file: string): never {
  throw new Fault('refused', `${file} is a portable backup: its passphrase is missing.`);
}

const demandOpen =
  (file: string, seal: Seal) =>
  (page: DumpPage): void => {
    if (!opens(page, seal)) throw new Fault('refused', `${file} is damaged: its passphrase does not open its secrets.`);
  };

// The file is checked again while it is read, in case it was changed meanwhile.
export async function restore(
  engine: StateEngine,
  place: BackupPlace,
  file: string,
  checked: CheckedBackup,
  look: OnPage,
): Promise<Restored> {
  const began = performance.now();
  const metrics = new RestoredMetrics(place.data);
  const keepsMetrics = isEmbedded(place.metrics);
  const pages = tapped(readDump(file, keepsMetrics ? { piece: (piece) => metrics.add(piece) } : {}), look);
  try {
    await engine.load(checked.seal ? resealed(pages, checked.seal, readOrMakeSeal(place.key)) : pages, true);
  } catch (error) {
    metrics.discard();
    throw error;
  }
  const isReplaced = metrics.replace();
  if (checked.seal) setOwnerAside(place.data);
  const { rows, time: made, program, attachedBytes: metricBytes } = checked;
  const outcome = isReplaced ? 'restored' : metricBytes > 0 ? 'left out' : 'none';
  const tookMs = Math.round(performance.now() - began);
  return { file, rows, total: totalOf(rows), metricBytes, made, program, metrics: outcome, tookMs };
}

// The first owner's password is that of the other region now.
function setOwnerAside(data: string): void {
  const file = join(data, 'owner.json');
  if (existsSync(file)) renameSync(file, `${file}.old`);
}
