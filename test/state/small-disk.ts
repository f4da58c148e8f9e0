// A disk of a few megabytes, for tests of what happens when it is full.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';

// Undefined: it is mounted; else why not.
export function mounted(folder: string, size = '8m'): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'cumulet-test', folder], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
}

export function fill(file: string): void {
  const handle = openSync(file, 'a');
  const part = Buffer.alloc(4096);
  try {
    for (;;) writeSync(handle, part);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(handle);
  }
}
