// Makes the names in a folder survive a power failure: a new or renamed file is only found again after its folder was
// synced too.
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Makes a folder with those above it.
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) await syncFolder(dirname(path));
}
