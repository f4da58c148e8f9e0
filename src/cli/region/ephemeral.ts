// Regions of test runs: in a temporary folder that is removed with them. A killed process leaves its folder, which the
// next one removes.
import { fstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocked } from '../../region-data/data-folder.ts';

const prefix = 'cumulet-ephemeral-';

export function temporaryFolder(): string {
  for (const name of readdirSync(tmpdir())) if (name.startsWith(prefix)) removeIfLeft(join(tmpdir(), name));
  return mkdtempSync(join(tmpdir(), prefix));
}

// A folder without a pid belongs to a starting region: the pid is written when the lock is held.
function removeIfLeft(folder: string): void {
  try {
    if (readdirSync(folder).includes('pid') && !isLocked(folder)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // another user's, or already removed
  }
}

// Calls back when the process that started this one has ended, which closes the pipe to our standard input.
export function onOrphaned(callback: () => void): void {
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isSocket()) return;
  process.stdin.on('end', callback).on('error', callback).resume();
}
