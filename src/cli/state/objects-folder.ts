// The bytes of objects in backups: the files of the embedded engine. A restore adds them to those that are there before
// the state is replaced: if it is interrupted, the old state still has all its bytes, and the new one has them at once.
// What nothing refers to after that is swept by the region.
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
} from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { syncFolder } from '../../base/sync-folder.ts';
import { withoutPassword } from '../../config/setting-values.ts';
import type { Piece } from '../../core/state/dump/dump-file.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { hasBlobs, isBlobFile, isSegmentFile, placeOf, snapshotOf } from '../../objects/engine/embedded/snapshot.ts';
import { draftOf, FolderDraft, writeAll } from './data-folder.ts';
import { isEmbedded, otherNode } from './engine-place.ts';

export interface ObjectsPlace {
  data: string; // the data folder
  objects: string; // embedded, here or the address of an engine elsewhere
  isServed: boolean; // by another process, whose removals can't be held
}

export const objectsFolder = (data: string): string => join(data, 'objects');

// Why the bytes are not in this data folder, or can't be read from there; undefined: they can.
export async function bytesElsewhere(engine: StateEngine, place: ObjectsPlace): Promise<string | undefined> {
  const { data, objects, isServed } = place;
  if (!isEmbedded(objects)) return `they are kept at ${withoutPassword(objects)}`;
  const other = await otherNode(engine, data, 'objects');
  if (other !== undefined) return `they are kept by another node, on ${other}`;
  return isServed ? `a region that runs has them: leave --state out, with --data ${data}` : undefined;
}

export const hasObjectBytes = (data: string): Promise<boolean> => hasBlobs(objectsFolder(data));

export const objectPieces = (data: string): AsyncIterable<Piece> => snapshotOf(objectsFolder(data));

export const isObjectPiece = ({ name }: Piece): boolean => isBlobFile(name);

export class RestoredObjects {
  readonly #folder: string;
  readonly #draft: FolderDraft;

  constructor(data: string) {
    this.#folder = objectsFolder(data);
    this.#draft = new FolderDraft(draftOf(data, 'objects'));
  }

  add({ name, bytes }: Piece): void {
    this.#draft.add(name, bytes);
  }

  // True: there were some. From here on they are where the region reads them.
  async publish(): Promise<boolean> {
    if (!this.#draft.finish()) return false;
    const folders = new Set([this.#folder, join(this.#folder, 'files')]);
    for (const name of readdirSync(this.#draft.path)) {
      const folder = join(this.#folder, placeOf(name));
      if (!folders.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
      folders.add(folder);
      if (isSegmentFile(name)) keepTail(join(folder, name), join(this.#draft.path, name));
      renameSync(join(this.#draft.path, name), join(folder, name));
    }
    for (const folder of folders) if (existsSync(folder)) await syncFolder(folder);
    this.discard();
    return true;
  }

  discard(): void {
    this.#draft.discard();
  }
}

// A segment only grows, so what the one that is there has more was put after the backup: the old state refers to it.
function keepTail(there: string, restored: string): void {
  const found = statSync(there, { throwIfNoEntry: false });
  const { size } = statSync(restored);
  if (!found || found.size <= size) return;
  const [from, to] = [openSync(there, 'r'), openSync(restored, 'a')];
  try {
    const piece = Buffer.alloc(1024 * 1024);
    for (let at = size; at < found.size; ) {
      const length = readSync(from, piece, 0, piece.length, at);
      if (length === 0) throw new Fault('unavailable', `${there} became shorter while it was read.`);
      writeAll(to, piece.subarray(0, length));
      at += length;
    }
    fsyncSync(to);
  } finally {
    closeSync(from);
    closeSync(to);
  }
}
