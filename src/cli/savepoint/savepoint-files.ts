// Save points as files: DATA/savepoints/NAME holds what the data folder held at one moment.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Copied, copyTree, type IsFrozen, measureTree, syncTree } from '../../base/copy-tree.ts';
import { Fault } from '../../base/fault.ts';
import { hasRoom } from '../../base/free-space.ts';
import { syncFolder } from '../../base/sync-folder.ts';
import { isFrozenLogFile } from '../../logging/engine/embedded/segment.ts';
import { isFrozenBlobFile } from '../../objects/engine/embedded/snapshot.ts';
import { isFrozenLogSegment } from '../../streaming/broker/log/segment.ts';
import type { SavePointEntry as SavePoint } from '../../surface/ports.ts';
import { damagedPart, writeChecksums } from './checksums.ts';
import { draftOf, home, preparedOf, removedOf, type SavedPart, savedParts, writeWhole } from './restore-files.ts';

const never: IsFrozen = () => false;

// Which files never change again.
const frozen: Readonly<Record<SavedPart, IsFrozen>> = {
  'state.db': never,
  'state.db-wal': never,
  metrics: never,
  logs: isFrozenLogFile,
  objects: isFrozenBlobFile,
  streaming: isFrozenLogSegment,
  'models.json': never,
};

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const isSavePointName = (name: string): boolean => namePattern.test(name);
const description = 'savepoint.json';

const folderOf = (data: string, name: string): string => join(home(data), checkedName(name));

// The files of a save point, and of one that is being made.
export const savedData = (data: string, name: string): string => join(folderOf(data, name), 'data');
export const draftData = (data: string): string => join(draftOf(data), 'data');

export function checkedName(name: unknown): string {
  if (typeof name === 'string' && namePattern.test(name)) return name;
  throw new Fault(
    'refused',
    'The name of a save point has 1 to 64 letters, digits, dots, dashes and underscores, and begins with one of the ' +
      'first two.',
  );
}

export function listSavePoints(data: string): SavePoint[] {
  if (!existsSync(home(data))) return [];
  const names = readdirSync(home(data)).filter((name) => namePattern.test(name));
  const found = names.flatMap((name) => readDescription(data, name) ?? []);
  return found.sort((a, b) => (a.createdDate < b.createdDate ? -1 : 1));
}

export function findSavePoint(data: string, name: string): SavePoint {
  const found = readDescription(data, checkedName(name));
  if (found) return found;
  const known = listSavePoints(data).map((one) => one.name);
  const hint = known.length === 0 ? 'There are none yet.' : `There are: ${known.join(', ')}.`;
  throw new Fault('missing', `There is no save point ${name}. ${hint}`);
}

export function demandNew(data: string, name: string): void {
  if (existsSync(folderOf(data, name)))
    throw new Fault('conflict', `There is a save point ${name} already: remove it first, or choose another name.`);
}

function readDescription(data: string, name: string): SavePoint | undefined {
  try {
    return JSON.parse(readFileSync(join(folderOf(data, name), description), 'utf8')) as SavePoint;
  } catch {
    return undefined; // it is none, or damaged
  }
}

// Before the region goes offline for nothing. Of the state only: a file system may copy the rest without space.
export function demandRoom(data: string): void {
  const sizes = ['state.db', 'state.db-wal'].map((name) => statSync(join(data, name), { throwIfNoEntry: false })?.size);
  if (!hasRoom(data, (sizes[0] ?? 0) + (sizes[1] ?? 0))) throw full();
}

// Copies the files, while no region runs on them. They become a save point by `keepCopy`.
export async function copyData(data: string, infrastructure: boolean): Promise<Copied> {
  return inDraft(data, (folder) => copyParts(data, folder, infrastructure));
}

// Does the work in an empty folder, which becomes the data of a save point by `keepCopy`.
export async function inDraft<T>(data: string, work: (folder: string) => Promise<T>): Promise<T> {
  const draft = draftOf(data);
  await dropDraft(data);
  await mkdir(draftData(data), { recursive: true, mode: 0o700 });
  return withRoom(draft, () => work(draftData(data)));
}

export const dropDraft = (data: string): Promise<void> => rm(draftOf(data), { recursive: true, force: true });

export async function keepCopy(data: string, savePoint: SavePoint): Promise<void> {
  const draft = draftOf(data);
  await withRoom(draft, async () => {
    await writeChecksums(draft, draftData(data));
    await writeWhole(join(draft, description), savePoint);
    await syncTree(draft);
    await rename(draft, folderOf(data, savePoint.name));
    await syncFolder(home(data));
  });
}

// What of the data is in the copied state.
export async function dropData(data: string): Promise<Copied> {
  return withRoom(draftOf(data), async () => {
    const { dropContent } = await import('./infrastructure.ts');
    await dropContent(draftData(data));
    return measureTree(draftData(data));
  });
}

// Also one whose description can not be read, which would keep its name taken.
export async function removeSavePoint(data: string, name: string): Promise<void> {
  if (!existsSync(folderOf(data, name))) findSavePoint(data, name);
  const removed = removedOf(data, name);
  await rename(folderOf(data, name), removed); // from here on it is none, and its name is free
  await rm(removed, { recursive: true });
}

// A copy of the save point beside the region, which may go on meanwhile.
export async function prepareRestore(data: string, name: string): Promise<void> {
  const from = savedData(data, name);
  const prepared = preparedOf(data);
  await rm(prepared, { recursive: true, force: true });
  await mkdir(prepared, { mode: 0o700 });
  await withRoom(prepared, async () => {
    const copying = copyParts(from, prepared, false).then(() => syncTree(prepared));
    const [damaged] = await Promise.all([damagedPart(folderOf(data, name), from), copying]);
    if (damaged !== undefined)
      throw new Fault(
        'unavailable',
        `The save point ${name} can't be restored: its ${damaged} is damaged. Nothing was changed.`,
      );
  });
}

const isData: readonly SavedPart[] = ['metrics', 'logs', 'objects', 'streaming'];

// `infrastructure`: of data, only the settings of clusters and topics.
export async function copyParts(from: string, to: string, infrastructure: boolean): Promise<Copied> {
  const sum: Copied = { files: 0, bytes: 0, copiedBytes: 0 };
  for (const name of savedParts) {
    if (!statSync(join(from, name), { throwIfNoEntry: false })) continue;
    if (infrastructure && name === 'streaming') await copyTopics(join(from, name), join(to, name));
    if (infrastructure && isData.includes(name)) continue;
    const copied = await copyTree(join(from, name), join(to, name), frozen[name]);
    sum.files += copied.files;
    sum.bytes += copied.bytes;
    sum.copiedBytes += copied.copiedBytes;
  }
  return sum;
}

async function copyTopics(from: string, to: string): Promise<void> {
  const { copySettings } = await import('../../streaming/engine/embedded/copy-settings.ts');
  await copySettings(from, to);
}

// Leaves nothing behind where the work fails.
export async function withRoom<T>(draft: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw full(error);
    throw error;
  }
}

const full = (cause?: unknown): Fault =>
  new Fault('unavailable', 'The disk is full: there is no room for the copy, and nothing was changed.', { cause });
