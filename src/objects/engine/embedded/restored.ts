// Adds the files of a backup to those of the engine while it is stopped. The state is replaced afterwards: if that is
// interrupted, the old state still has all its bytes, and the new one already has them. The region then sweeps blobs
// without references.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { isSegmentFile } from './snapshot.ts';

// `draft` has the files in the folders of the engine.
export async function addRestored(draft: string, folder: string): Promise<void> {
  const folders = new Set([folder, join(folder, 'files')]);
  for (const entry of readdirSync(draft, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const to = join(folder, from.slice(draft.length));
    if (!folders.has(dirname(to))) mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    folders.add(dirname(to));
    if (isSegmentFile(basename(to))) keepTail(to, from);
    renameSync(from, to);
  }
  for (const one of folders) if (existsSync(one)) await syncFolder(one);
}

// A segment only grows, so the extra bytes of the existing file were written after the backup: the old state refers to
// them.
function keepTail(there: string, restored: string): void {
  const found = statSync(there, { throwIfNoEntry: false });
  const { size } = statSync(restored);
  if (!found || found.size <= size) return;
  const [from, to] = [openSync(there, 'r'), openSync(restored, 'a')];
  try {
    const piece = Buffer.alloc(1024 * 1024);
    for (let at = size; at < found.size; ) {
      const length = readSync(from, piece, 0, piece.length, at);
      if (length === 0) throw new Fault('unavailable', `${there} was truncated while it was read.`);
      for (let done = 0; done < length; ) done += writeSync(to, piece, done, length - done);
      at += length;
    }
    fsyncSync(to);
  } finally {
    closeSync(from);
    closeSync(to);
  }
}
