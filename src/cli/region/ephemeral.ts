// Regions of test runs: in a temporary folder that goes with them. One whose process was killed leaves its folder,
// which the next one removes.
import { fstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocked } from './data-folder.ts';

const prefix = 'cumulet-ephemeral-';

export function temporaryFolder(): string {
  for (const name of readdirSync(tmpdir())) if (name.startsWith(prefix)) removeIfLeft(join(tmpdir(), name));
  return mkdtempSync(join(tmpdir(), prefix));
}

// One without a pid is just being started: that is written when the lock is held.
function removeIfLeft(folder: string): void {
  try {
    if (readdirSync(folder).includes('pid') && !isLocked(folder)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // another user's, or removed meanwhile
  }
}

// Calls back when the process that started this one is gone, which closes the pipe to our standard input.
export function onOrphaned(callback: () => void): void {
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isSocket()) return;
  process.stdin.on('end', callback).on('error', callback).resume();
}
