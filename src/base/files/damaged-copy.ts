// A copy of a damaged file, which is itself replaced or removed when the rest of it has been read. Its name is that of
// the file and where the damage begins. `state check` reports it until the user deletes it.
import { closeSync, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { syncFolderNow } from '../sync-folder.ts';

export const damagedCopyOf = (path: string, at: number): string => `${path}.damaged-${at}`;

export const isDamagedCopy = (name: string): boolean => /\.damaged-\d+$/.test(name);

// Returns its name. The copy is durable then. One of an earlier start is replaced: that start may not have ended it.
export function keepDamagedCopy(path: string, at: number): string {
  const copy = damagedCopyOf(path, at);
  copyFileSync(path, copy);
  const handle = openSync(copy, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncFolderNow(dirname(copy));
  return basename(copy);
}
