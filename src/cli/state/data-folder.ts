// Folders of data engines in backups: their files are read from the data folder, and put back there. Those of metrics
// and of log lines are complete on disk before the state is replaced, and take the place of the old ones after it.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { syncFolderNow } from '../../base/sync-folder.ts';
import { withoutPassword } from '../../config/setting-values.ts';
import type { Piece } from '../../core/state/dump/dump-file.ts';
import type { StateEngine } from '../../core/state/engine.ts';
import { logFileOf, logPieces } from '../../logging/engine/embedded/backup-files.ts';
import { isSnapshotFile, snapshotOf } from '../../monitoring/engine/embedded/snapshot.ts';
import { isEmbedded, otherNode } from './engine-place.ts';

export interface DataFolder {
  name: 'metrics' | 'logs'; // of the folder, of the setting of the engine, and of the option that takes it along
  what: string;
  fileOf(piece: string): string | undefined; // in the folder; undefined: the piece is of no file of it
  pieces(data: string): AsyncIterable<Piece>;
}

export const dataFolders: readonly DataFolder[] = [
  {
    name: 'metrics',
    what: 'The metrics',
    fileOf: (piece) => (isSnapshotFile(piece) ? piece : undefined),
    pieces: (data) => snapshotOf(join(data, 'metrics'), join(data, 'metrics.db.copy')),
  },
  { name: 'logs', what: 'The log lines', fileOf: logFileOf, pieces: (data) => logPieces(join(data, 'logs')) },
];

export interface FoldersPlace {
  data: string; // the data folder
  engines: Readonly<Record<DataFolder['name'], string>>; // embedded, here or the address of an engine elsewhere
}

// Throws where they are not in this data folder.
export async function folderPieces(
  engine: StateEngine,
  { data, engines }: FoldersPlace,
  { name, what, pieces }: DataFolder,
): Promise<AsyncIterable<Piece>> {
  if (!isEmbedded(engines[name]))
    throw new Fault('refused', `${what} are kept at ${withoutPassword(engines[name])}: back them up there.`);
  const other = await otherNode(engine, data, name);
  if (other !== undefined)
    throw new Fault('refused', `${what} are kept by another node, on ${other}: make the backup there.`);
  return pieces(data);
}

export const draftOf = (data: string, name: string): string => join(data, `${name}.restoring`);

// Files of a backup on their way back, in a folder of their own.
export class FolderDraft {
  readonly path: string;
  #open: { name: string; handle: number } | undefined;
  #isBegun = false;

  constructor(path: string) {
    this.path = path;
  }

  add(name: string, bytes: Buffer): void {
    if (!this.#isBegun) {
      this.discard();
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      this.#isBegun = true;
    }
    if (this.#open?.name !== name) {
      this.#closeFile();
      const path = join(this.path, name);
      if (dirname(path) !== this.path) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.#open = { name, handle: createFile(path, name) };
    }
    writeAll(this.#open.handle, bytes);
  }

  // True: there are files in it, complete and synced.
  finish(): boolean {
    this.#closeFile();
    return this.#isBegun;
  }

  discard(): void {
    this.#closeFile();
    rmSync(this.path, { recursive: true, force: true });
  }

  #closeFile(): void {
    if (!this.#open) return;
    fsyncSync(this.#open.handle);
    closeSync(this.#open.handle);
    this.#open = undefined;
  }
}

function createFile(path: string, name: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Fault('refused', `The file is damaged: it holds ${name} twice.`);
  }
}

export function writeAll(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
}

// A folder that a backup replaces as a whole.
export class RestoredFolder {
  readonly of: DataFolder;
  readonly #draft: FolderDraft;
  readonly #folder: string;
  readonly #isKept: boolean;
  bytes = 0; // of it in the backup
  isReplaced = false;

  // Where the region keeps these data elsewhere, they are left out.
  constructor(of: DataFolder, { data, engines }: FoldersPlace) {
    this.of = of;
    this.#folder = join(data, of.name);
    this.#draft = new FolderDraft(draftOf(data, of.name));
    this.#isKept = isEmbedded(engines[of.name]);
  }

  // False: it is no piece of this folder.
  take({ name, bytes }: Piece): boolean {
    const file = this.of.fileOf(name);
    if (file === undefined) return false;
    this.bytes += bytes.length;
    if (this.#isKept) this.#draft.add(file, bytes);
    return true;
  }

  // From here on the region has these.
  replace(): void {
    if (!this.#draft.finish()) return;
    const old = `${this.#folder}.replaced`;
    rmSync(old, { recursive: true, force: true });
    if (existsSync(this.#folder)) renameSync(this.#folder, old);
    renameSync(this.#draft.path, this.#folder);
    syncFolderNow(dirname(this.#folder));
    rmSync(old, { recursive: true, force: true }); // last: of much it takes a while, and half of it is no use
    this.isReplaced = true;
  }

  discard(): void {
    this.#draft.discard();
  }
}
