// Backups: the state to a file, and back. The same for a running region and a stopped one. The secrets in a portable
// one are sealed with a passphrase, so that a region with another key can have it; in any other they stay as they are.
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { iso, machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { spaceGuard } from '../../base/free-space.ts';
import type { Seal } from '../../base/seal.ts';
import { demandKey, opens, readOrMakeSeal, readSeal } from '../../core/region-secrets.ts';
import { type Counts, type OnPage, tapped, totalOf } from '../../core/state/dump/dump.ts';
import { type DumpContent, type Piece, writeDump } from '../../core/state/dump/dump-file.ts';
import { checkDump, type DumpSummary, readDump, readHeader } from '../../core/state/dump/dump-reader.ts';
import { newLock, openLock } from '../../core/state/dump/passphrase.ts';
import { resealed, resealedPage } from '../../core/state/dump/reseal.ts';
import type { Dump, DumpPage, StateEngine } from '../../core/state/engine.ts';
import { programVersion } from '../program-version.ts';
import { dataFolders, type FoldersPlace, folderPieces, RestoredFolder } from './data-folder.ts';
import { isEmbedded, otherNode } from './engine-place.ts';
import {
  bytesElsewhere,
  hasObjectBytes,
  isObjectPiece,
  type ObjectsPlace,
  objectPieces,
  RestoredObjects,
} from './objects-folder.ts';

interface Amounts {
  file: string;
  rows: Counts;
  total: number;
  metricBytes: number;
  logBytes: number;
  objectBytes: number; // of the files that hold the bytes of objects
  tookMs: number;
}

export interface BackupResult extends Amounts {
  objectsLeftOut?: string; // why their bytes are not in it
}

export interface Restored extends Amounts {
  made: string; // when the backup was
  program: string; // which version made it
  metrics: 'none' | 'restored' | 'left out'; // left out: this region keeps its metrics elsewhere
  logs: 'none' | 'restored' | 'left out'; // the same of log lines
  objects: 'none' | 'restored' | 'left out'; // the latter was asked for
}

export interface BackupRequest {
  file: string; // an absolute path
  force: boolean;
  metrics?: boolean;
  logs?: boolean;
  objects?: boolean;
  passphrase?: string; // portable
}

export interface RestoreRequest {
  file: string;
  objects?: boolean;
  passphrase?: string;
}

// What a backup is made of, and what is restored.
export interface BackupPlace extends FoldersPlace, ObjectsPlace {
  key: string; // the file of the region's key
}

export interface CheckedBackup extends DumpSummary {
  seal?: Seal; // of a portable one
  objectBytes: number;
}

export async function backUp(
  engine: StateEngine,
  place: BackupPlace,
  { file, force, objects, passphrase, ...asked }: BackupRequest,
  look: OnPage,
): Promise<BackupResult> {
  const began = performance.now();
  const header = { program: programVersion(), time: iso(machineTime()) };
  const sums = { metricBytes: 0, logBytes: 0, objectBytes: 0 };
  const sources: AsyncIterable<Piece>[] = [];
  const elsewhere = objects ? await bytesElsewhere(engine, place) : 'that was asked for';
  const hasBytes = elsewhere === undefined && (await hasObjectBytes(place.data));
  for (const folder of dataFolders)
    if (asked[folder.name])
      sources.push(counted(await folderPieces(engine, place, folder), sums, bytesOf[folder.name]));
  // Also where there are none yet: some may come before the moment of the state.
  if (elsewhere === undefined) sources.push(counted(objectPieces(place.data), sums, 'objectBytes'));
  const dumped = tapped(engine.dump(), look);
  const content: DumpContent = {
    ...(passphrase === undefined ? { header, pages: dumped } : await portable(header, dumped, place.key, passphrase)),
    format: asked.logs ? 4 : hasBytes ? 3 : asked.metrics || passphrase !== undefined ? 2 : 1,
    attached: each(sources),
  };
  const rows = await writeDump(file, content, force);
  const tookMs = Math.round(performance.now() - began);
  const leftOut = elsewhere !== undefined && (rows.object ?? 0) > 0 ? { objectsLeftOut: elsewhere } : {};
  return { file, rows, total: totalOf(rows), ...sums, ...leftOut, tookMs };
}

type Sums = Record<'metricBytes' | 'logBytes' | 'objectBytes', number>;
const bytesOf = { metrics: 'metricBytes', logs: 'logBytes' } as const;

async function* counted(pieces: AsyncIterable<Piece>, sums: Sums, what: keyof Sums): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    sums[what] += piece.bytes.length;
    yield piece;
  }
}

async function* each(sources: readonly AsyncIterable<Piece>[]): AsyncGenerator<Piece> {
  for (const source of sources) yield* source;
}

// With the secrets sealed by the passphrase.
export async function portable(
  header: DumpContent['header'],
  dumped: Dump,
  key: string,
  passphrase: string,
): Promise<Pick<DumpContent, 'header' | 'pages'>> {
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
  { file, passphrase, objects = true }: RestoreRequest,
  { key, objects: engine }: Pick<BackupPlace, 'key' | 'objects'>,
  look: OnPage,
): Promise<CheckedBackup> {
  const { lock } = await readHeader(file);
  const seal = lock && (await openLock(lock, passphrase ?? missing(file)));
  if (lock && !seal) throw new Fault('refused', `That is not the passphrase of ${file}: nothing was changed.`);
  const demand = seal ? demandOpen(file, seal) : demandKey(key);
  let mismatch: unknown;
  let objectBytes = 0;
  const lookAtPage = (page: DumpPage): void => {
    look(page);
    try {
      demand(page);
    } catch (error) {
      mismatch ??= error; // thrown last: that the file is damaged says more
    }
  };
  const found = await checkDump(file, lookAtPage, (piece) => {
    if (isObjectPiece(piece)) objectBytes += piece.bytes.length;
  });
  if (mismatch) throw mismatch;
  if (totalOf(found.rows) === 0) throw new Fault('refused', `${file} is the backup of an empty state.`);
  if (objects && objectBytes > 0 && !isEmbedded(engine)) throw nowhere(file);
  return { ...found, objectBytes, ...(seal && { seal }) };
}

const nowhere = (file: string): Fault =>
  new Fault(
    'refused',
    `${file} holds the bytes of objects, and this region keeps them in another storage: restore it into a region ` +
      'without --objects, or leave them out with --no-objects.',
  );

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
  { file, objects: takesObjects = true }: RestoreRequest,
  checked: CheckedBackup,
  look: OnPage,
): Promise<Restored> {
  const began = performance.now();
  const folders = dataFolders.map((folder) => new RestoredFolder(folder, place));
  const objects = new RestoredObjects(place.data);
  const other = takesObjects && checked.objectBytes > 0 ? await otherNode(engine, place.data, 'objects') : undefined;
  if (other !== undefined)
    throw new Fault('refused', `The bytes of objects are kept by another node, on ${other}: restore the backup there.`);
  const take = (piece: Piece): void => {
    if (isObjectPiece(piece)) takesObjects && objects.add(piece);
    else if (!folders.some((folder) => folder.take(piece)))
      throw new Fault('refused', `The backup holds a file ${piece.name}, which this version does not know.`);
  };
  const pages = withBytes(tapped(readDump(file, { bytes: spaceGuard(place.data), piece: take }), look), objects);
  try {
    await engine.load(checked.seal ? resealed(pages, checked.seal, readOrMakeSeal(place.key)) : pages, true);
  } catch (error) {
    for (const folder of folders) folder.discard();
    objects.discard();
    throw error;
  }
  for (const folder of folders) folder.replace();
  if (checked.seal) setOwnerAside(place.data);
  const { rows, time: made, program, objectBytes } = checked;
  const [metrics, logs] = folders as [RestoredFolder, RestoredFolder];
  return {
    ...{
      file,
      rows,
      total: totalOf(rows),
      metricBytes: metrics.bytes,
      logBytes: logs.bytes,
      objectBytes,
      made,
      program,
    },
    metrics: outcomeOf(metrics),
    logs: outcomeOf(logs),
    objects: objectBytes === 0 ? 'none' : takesObjects ? 'restored' : 'left out',
    tookMs: Math.round(performance.now() - began),
  };
}

const outcomeOf = ({ isReplaced, bytes }: RestoredFolder): Restored['metrics'] =>
  isReplaced ? 'restored' : bytes > 0 ? 'left out' : 'none';

// The bytes are in place when the last page has been read, which is before the state is replaced.
async function* withBytes(pages: Dump, objects: RestoredObjects): AsyncGenerator<DumpPage> {
  yield* pages;
  await objects.publish();
}

// The first owner's password is that of the other region now.
function setOwnerAside(data: string): void {
  const file = join(data, 'owner.json');
  if (existsSync(file)) renameSync(file, `${file}.old`);
}
