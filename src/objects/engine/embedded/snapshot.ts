// The files of the engine for a backup, while it runs or not. Blobs are never changed, so the files are copied as they
// are; whoever makes the backup sees to it that no blob is removed meanwhile. A segment may end with a write that is
// not complete: that is cut off when the copy is opened.
import { opendir, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { IsFrozen } from '../../../base/copy-tree.ts';
import type { Piece } from '../../../core/state/dump/dump-file.ts';
import { piecesOf } from '../../../core/state/dump/file-pieces.ts';
import { isAbsent } from './faults.ts';
import { folderOfFile, isFileHandle } from './files.ts';
import { segmentName, usualSegmentBytes } from './segment.ts';

export const isSegmentFile = (name: string): boolean => /^[0-9a-f]+$/.test(segmentName(name) ?? '');
export const isBlobFile = (name: string): boolean => isFileHandle(name) || isSegmentFile(name);

// The folder of a file, below that of the engine.
export const placeOf = (name: string): string => (isFileHandle(name) ? join('files', folderOfFile(name)) : 'segments');

// Files of the engine's folder that never change again while they are there.
export const isFrozenBlobFile: IsFrozen = ({ path, size }) =>
  path.startsWith(`files${sep}`) || (path.startsWith(`segments${sep}`) && size >= usualSegmentBytes);

// The pieces of each file follow each other. Nothing, where no objects were ever kept.
export async function* snapshotOf(folder: string): AsyncGenerator<Piece> {
  for (const inner of await namesIn(join(folder, 'files')))
    for await (const { name } of await opendir(join(folder, 'files', inner)))
      if (isFileHandle(name)) yield* piecesOf(name, join(folder, 'files', inner, name));
  for (const name of await namesIn(join(folder, 'segments')))
    if (isSegmentFile(name)) yield* piecesOf(name, join(folder, 'segments', name));
}

export async function hasBlobs(folder: string): Promise<boolean> {
  for await (const _ of snapshotOf(folder)) return true;
  return false;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
