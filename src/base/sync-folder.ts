// Makes the names in a folder survive a power failure: a new or renamed file is only found again after its folder was
// synced too. Windows can't sync folders, and its file system keeps a journal of names.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isWindows } from './operating-system.ts';

export async function syncFolder(folder: string): Promise<void> {
  if (isWindows) return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function syncFolderNow(folder: string): void {
  if (isWindows) return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

// Makes a folder with those above it.
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) await syncFolder(dirname(path));
}
