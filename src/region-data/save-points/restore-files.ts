// Replaces a region's files by those of a save point, atomically: they are first placed next to the others; a note then
// says that they are the valid ones; then they are moved into place. A process that dies in between leaves the note,
// and the next one on the folder moves the rest.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { holdExisting } from '../../base/held-folders.ts';
import { syncFolder, syncFolderNow } from '../../base/sync-folder.ts';
import { savedParts } from '../parts.ts';

export const home = (data: string): string => join(data, 'savepoints');
export const draftOf = (data: string): string => join(home(data), '.new');
export const exportingOf = (data: string): string => join(home(data), '.exporting');
export const preparedOf = (data: string): string => join(home(data), '.restoring');
export const removedOf = (data: string, name: string): string => join(home(data), `.removed-${name}`);
const replacedOf = (data: string): string => join(home(data), '.replaced');
const noteOf = (data: string): string => join(home(data), '.restoring.json');

// While no region runs on the folder.
export async function finishRestore(data: string, name: string, isImported: boolean): Promise<void> {
  const note: Note = { name, isImported, parts: readdirSync(preparedOf(data)) };
  await writeWhole(noteOf(data), note);
  await syncFolder(home(data));
  moveIntoPlace(data);
}

// If the restore did not get that far. The files that a note names are still needed.
export async function dropPrepared(data: string): Promise<void> {
  if (!existsSync(noteOf(data))) await rm(preparedOf(data), { recursive: true, force: true });
}

// Completes the work of an interrupted process. Called before a region starts. No save point's name begins with a dot.
export function recoverRestore(data: string): void {
  if (!existsSync(home(data))) return;
  if (existsSync(noteOf(data))) moveIntoPlace(data);
  for (const name of readdirSync(home(data)))
    if (name.startsWith('.')) rmSync(join(home(data), name), { recursive: true, force: true });
}

// The replaced files are removed when the region runs again: they may be large.
export const removeReplaced = (data: string): Promise<void> => rm(replacedOf(data), { recursive: true, force: true });

// Repeatable: a part that was moved is not there any more.
function moveIntoPlace(data: string): void {
  const note = JSON.parse(readFileSync(noteOf(data), 'utf8')) as Note;
  for (const part of [...savedParts, 'state.db-shm']) {
    const prepared = join(preparedOf(data), part);
    if (note.parts.includes(part) && !existsSync(prepared)) continue;
    setAside(data, part);
    if (note.parts.includes(part)) renameSync(prepared, join(data, part));
  }
  showOwner(data, !note.isImported);
  holdExisting(data);
  syncFolderNow(data); // before the note is gone
  rmSync(noteOf(data));
}

interface Note {
  name: string;
  isImported: boolean;
  parts: string[];
}

// The password of the first owner is in a file next to the state. In a save point of another region it differs.
function showOwner(data: string, isOwn: boolean): void {
  const { shown, aside } = ownerFiles(data);
  const [from, to] = isOwn ? [aside, shown] : [shown, aside];
  if (existsSync(from) && !existsSync(to)) renameSync(from, to);
}

const ownerFiles = (data: string) => ({ shown: join(data, 'owner.json'), aside: join(data, 'owner.json.old') });

// Whether the region runs on an imported save point, with the accounts of another region.
export function hasImported(data: string): boolean {
  const { shown, aside } = ownerFiles(data);
  return existsSync(aside) && !existsSync(shown);
}

function setAside(data: string, part: string): void {
  const [from, folder] = [join(data, part), replacedOf(data)];
  if (!existsSync(from)) return;
  rmSync(join(folder, part), { recursive: true, force: true });
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  renameSync(from, join(folder, part));
}

// Either the old content is there or the new one.
export async function writeWhole(path: string, value: object): Promise<void> {
  const file = await open(draftFile(path), 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(value)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draftFile(path), path);
}

const draftFile = (path: string): string => `${path}.new`;
