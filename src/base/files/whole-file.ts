// Replaces a file as a whole: after a crash either the old content is there or the new one.
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../sync-folder.ts';

export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}
