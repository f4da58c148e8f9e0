// Save points as files: DATA/savepoints/NAME has the content of the data folder at one moment.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Copied, copyTree, type IsFrozen, measureTree, syncTree } from '../../base/copy-tree.ts';
import { Fault } from '../../base/fault.ts';
import { hasRoom } from '../../base/free-space.ts';
import { syncFolder } from '../../base/sync-folder.ts';
import type { SavePointEntry as SavePoint } from '../../surface/ports.ts';
import { parts, stateFiles } from '../parts.ts';
import { damagedPart, writeChecksums } from './checksums.ts';
import { draftOf, home, preparedOf, removedOf, writeWhole } from './restore-files.ts';

const never: IsFrozen = () => false;

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const isSavePointName = (name: string): boolean => namePattern.test(name);
const description = 'savepoint.json';

const folderOf = (data: string, name: string): string => join(home(data), checkedName(name));

// The files of a save point, and of one that is being created.
export const savedData = (data: string, name: string): string => join(folderOf(data, name), 'data');
export const draftData = (data: string): string => join(draftOf(data), 'data');

export function checkedName(name: unknown): string {
  if (typeof name === 'string' && namePattern.test(name)) return name;
  throw new Fault(
    'refused',
    `'${String(name).slice(0, 80)}' is not a valid name of a save point. Use up to 64 letters, digits, dots, dashes and ` +
      'underscores, beginning with a letter or digit.',
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
  const hint = known.length === 0 ? 'The region has none yet.' : `Save points: ${known.join(', ')}.`;
  throw new Fault('missing', `Save point ${name} does not exist. ${hint}`);
}

export function demandNew(data: string, name: string): void {
  if (existsSync(folderOf(data, name)))
    throw new Fault('conflict', `Save point ${name} already exists. Remove it first, or choose another name.`);
}

function readDescription(data: string, name: string): SavePoint | undefined {
  try {
    return JSON.parse(readFileSync(join(folderOf(data, name), description), 'utf8')) as SavePoint;
  } catch {
    return undefined; // not a save point, or a damaged one
  }
}

// Checked before the region stops for nothing. Only for the state: a file system may copy the rest without space.
export function demandRoom(data: string): void {
  const sizes = stateFiles.map((name) => statSync(join(data, name), { throwIfNoEntry: false })?.size);
  if (!hasRoom(data, (sizes[0] ?? 0) + (sizes[1] ?? 0))) throw full();
}

// Copies the files while no region runs on them. `keepCopy` turns them into a save point.
export async function copyData(data: string, infrastructure: boolean): Promise<Copied> {
  return inDraft(data, (folder) => copyParts(data, folder, infrastructure));
}

// Does the work in an empty folder, which `keepCopy` turns into the data of a save point.
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

// The parts of the data that the copied state has.
export async function dropData(data: string): Promise<Copied> {
  return withRoom(draftOf(data), async () => {
    const { dropContent } = await import('./infrastructure.ts');
    await dropContent(draftData(data));
    return measureTree(draftData(data));
  });
}

// Also one with an unreadable description, which would block its name otherwise.
export async function removeSavePoint(data: string, name: string): Promise<void> {
  if (!existsSync(folderOf(data, name))) findSavePoint(data, name);
  const removed = removedOf(data, name);
  await rename(folderOf(data, name), removed); // from here on it is none, and its name is free
  await rm(removed, { recursive: true });
}

// A copy of the save point next to the region, which may keep running during the copy.
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
        `Save point ${name} can't be restored: its ${damaged} is damaged. Nothing was changed.`,
      );
  });
}

// `infrastructure`: without data; products copy what else they have, such as the settings of topics.
export async function copyParts(from: string, to: string, infrastructure: boolean): Promise<Copied> {
  const sum: Copied = { files: 0, bytes: 0, copiedBytes: 0 };
  const isThere = (name: string): boolean => statSync(join(from, name), { throwIfNoEntry: false }) !== undefined;
  const copy = async (name: string, isFrozen: IsFrozen): Promise<void> => {
    const copied = await copyTree(join(from, name), join(to, name), isFrozen);
    sum.files += copied.files;
    sum.bytes += copied.bytes;
    sum.copiedBytes += copied.copiedBytes;
  };
  for (const name of stateFiles) if (isThere(name)) await copy(name, never);
  for (const { name, load } of parts) {
    if (!isThere(name)) continue;
    const { snapshot } = await load();
    if (infrastructure) await snapshot?.copySettings?.(join(from, name), join(to, name));
    else await copy(name, snapshot?.isFrozen ?? never);
  }
  return sum;
}

// Removes everything if the work fails.
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
  new Fault('unavailable', 'The disk is full. Make room for the copy; nothing was changed.', { cause });
