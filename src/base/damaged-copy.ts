// A copy of a damaged file, which is itself replaced or removed when the rest of it has been read. Its name is that of
// the file and where the damage begins. `state check` reports it until the user deletes it.
import { copyFileSync, existsSync } from 'node:fs';
import { basename } from 'node:path';

export const damagedCopyOf = (path: string, at: number): string => `${path}.damaged-${at}`;

export const isDamagedCopy = (name: string): boolean => /\.damaged-\d+$/.test(name);

// Returns its name.
export function keepDamagedCopy(path: string, at: number): string {
  const copy = damagedCopyOf(path, at);
  if (!existsSync(copy)) copyFileSync(path, copy);
  return basename(copy);
}
