// Parts of a data folder that are restored from a file: a draft is complete on disk before it replaces the part.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { syncFolderNow } from '../base/sync-folder.ts';
import type { Piece } from '../core/state/dump/dump-file.ts';
import type { RestoreHooks } from '../surface/product-data.ts';
import type { BackupPart } from './parts.ts';

// Files in a separate folder.
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
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#open.handle, bytes, at);
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
    throw new Fault('refused', `The file is damaged: it contains ${name} twice.`);
  }
}

// A part that a backup restores.
export class RestoredPart {
  readonly part: BackupPart;
  readonly #hooks: RestoreHooks;
  readonly #draft: FolderDraft;
  readonly #path: string;
  readonly #isKept: boolean;
  bytes = 0; // of it in the backup
  isRestored = false;

  // `isKept`: false skips it, for example where the region stores these data elsewhere.
  constructor(part: BackupPart, hooks: RestoreHooks, data: string, isKept: boolean) {
    this.part = part;
    this.#hooks = hooks;
    this.#path = join(data, part.name);
    this.#draft = new FolderDraft(`${this.#path}.restoring`);
    this.#isKept = isKept;
  }

  // False: the piece is not of this part.
  take({ name, bytes }: Piece): boolean {
    const file = this.#hooks.fileOf(name);
    if (file === undefined) return false;
    this.bytes += bytes.length;
    if (this.#isKept) this.#draft.add(file, bytes);
    return true;
  }

  // Before the state is replaced.
  async add(): Promise<void> {
    if (!this.#hooks.add || !this.#draft.finish()) return;
    await this.#hooks.add(this.#draft.path, this.#path);
    this.#draft.discard();
    this.isRestored = true;
  }

  // After the state was replaced: from here on the region has these files.
  replace(): void {
    if (this.#hooks.add || !this.#draft.finish()) return;
    const old = `${this.#path}.replaced`;
    rmSync(old, { recursive: true, force: true });
    if (existsSync(this.#path)) renameSync(this.#path, old);
    renameSync(this.#draft.path, this.#path);
    syncFolderNow(dirname(this.#path));
    rmSync(old, { recursive: true, force: true }); // last: it may take long, and half of it is useless
    this.isRestored = true;
  }

  discard(): void {
    this.#draft.discard();
  }
}
