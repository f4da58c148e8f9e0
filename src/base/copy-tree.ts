// Copies a folder. Files that never change again are linked, which costs no space and next to no time; the others are
// copied, by copy-on-write where the file system can.
import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './sync-folder.ts';

export interface FoundFile {
  path: string; // below the folder that is copied
  size: number;
  names: readonly string[]; // of everything next to it
}

export interface Copied {
  files: number;
  bytes: number;
  copiedBytes: number; // the others are linked
}

export type IsFrozen = (file: FoundFile) => boolean;

export async function copyTree(from: string, to: string, isFrozen: IsFrozen): Promise<Copied> {
  const sum: Copied = { files: 0, bytes: 0, copiedBytes: 0 };
  const found = await lstat(from);
  if (found.isFile()) await copyOne(from, to, { path: '', size: found.size, names: [] }, isFrozen, sum);
  else await copyFolder(from, to, '', isFrozen, sum);
  return sum;
}

async function copyFolder(from: string, to: string, below: string, isFrozen: IsFrozen, sum: Copied): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const entries = await readdir(from, { withFileTypes: true });
  const names = entries.map(({ name }) => name);
  for (const entry of entries) {
    const [source, target, path] = [join(from, entry.name), join(to, entry.name), join(below, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target, path, isFrozen, sum);
    else if (entry.isFile()) {
      const { size } = await lstat(source);
      await copyOne(source, target, { path, size, names }, isFrozen, sum);
    }
  }
}

async function copyOne(from: string, to: string, file: FoundFile, isFrozen: IsFrozen, sum: Copied): Promise<void> {
  sum.files += 1;
  sum.bytes += file.size;
  if (isFrozen(file)) return link(from, to);
  sum.copiedBytes += file.size;
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

// Of a folder that shares nothing with others.
export async function measureTree(folder: string): Promise<Copied> {
  const sum: Copied = { files: 0, bytes: 0, copiedBytes: 0 };
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const { size } = await lstat(join(entry.parentPath, entry.name));
    sum.files += 1;
    sum.bytes += size;
    sum.copiedBytes += size;
  }
  return sum;
}

// After this the copied files survive a power failure.
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncFile(path);
  }
  await syncFolder(folder);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+'); // Windows syncs only what may be written
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
