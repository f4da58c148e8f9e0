// The list of the files that count, replaced as a whole: what it does not name is left over from work that was not
// finished, and goes when the engine is opened.
import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedJson, parseCheckedJson } from '../../../base/checked-json.ts';
import { Fault } from '../../../base/fault.ts';
import { syncFolder } from '../../../base/sync-folder.ts';

export interface Manifest {
  format: 1;
  next: number; // of a new file
  segments: { number: number; bytes: number; dropped: number[] }[]; // `dropped`: where blocks began that are gone
  logs?: number[]; // write-ahead logs whose lines are in no segment yet; absent: an earlier version did not list them
  chunks?: boolean; // the list of seen chunks was written
}

export const manifestFile = 'manifest.json';
export const chunksFile = 'chunks.json'; // see seen-chunks.ts

export function readManifest(folder: string): Manifest {
  let text: string;
  try {
    text = readFileSync(join(folder, manifestFile), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { format: 1, next: 1, segments: [] };
  }
  const manifest = parsed(text);
  if (manifest.format !== 1) throw new Error(`the logs in ${folder} are of a newer version (${manifest.format})`);
  return manifest;
}

function parsed(text: string): Manifest {
  try {
    return parseCheckedJson(text) as Manifest;
  } catch (cause) {
    throw new Fault('unavailable', `The list of the log segments, ${manifestFile}, is damaged: restore a backup.`, {
      cause,
    });
  }
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeWhole(folder, manifestFile, checkedJson(manifest));
}

// Either the old content is there or the new one.
export async function writeWhole(folder: string, file: string, content: string): Promise<void> {
  const fresh = join(folder, `${file}.new`);
  const handle = await open(fresh, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, join(folder, file));
  await syncFolder(folder);
}
