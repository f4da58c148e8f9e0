// For tests: an embedded engine in its own folder, and the content of that folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'blobs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function filesIn(folder: string): Promise<{ path: string; bytes: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(paths.map(async (path) => ({ path, bytes: (await stat(path)).size })));
}
