// The files of the engine for a backup, whether it runs or not. Blobs never change, so the files are copied unchanged;
// the caller of the backup prevents removals in the meantime. A segment may end with an incomplete write, which is
// truncated when the copy is opened.
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

// Returns the path of a file below the folder of the engine.
export const placeOf = (name: string): string =>
  isFileHandle(name) ? join('files', folderOfFile(name), name) : join('segments', name);

// Selects files that never change again.
export const isFrozenBlobFile: IsFrozen = ({ path, size }) =>
  path.startsWith(`files${sep}`) || (path.startsWith(`segments${sep}`) && size >= usualSegmentBytes);

// Yields the files, the pieces of each one in a row. Yields nothing if no object was ever stored.
export async function* snapshotOf(folder: string): AsyncGenerator<Piece> {
  for (const inner of await namesIn(join(folder, 'files')))
    for await (const { name } of await opendir(join(folder, 'files', inner)))
      if (isFileHandle(name)) yield* piecesOf(name, join(folder, 'files', inner, name));
  for (const name of await namesIn(join(folder, 'segments')))
    if (isSegmentFile(name)) yield* piecesOf(name, join(folder, 'segments', name));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
