// Large blobs: one file each. A file is written and synced in `incoming`, then renamed into one of 256 folders, and
// that folder is synced. Files in `incoming` at the start were never acknowledged and are removed.
import { mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readAt, writeAll } from '../../../base/files/file-bytes.ts';
import { isUuid, uuid } from '../../../base/ids.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { damagedBlob, noSuchBlob, rangeWithin } from '../byte-range.ts';
import { type ByteRange, type FindReferenced, handlesPerCall, type StoredBlob } from '../engine.ts';
import { isAbsent } from './faults.ts';

const bytesPerWrite = 512 * 1024;
const piecesPerWrite = 1000; // the system accepts 1024 in one call
const bytesPerRead = 512 * 1024;
const removalsAtOnce = 16;

interface FileName {
  id: string;
  size: number;
}

export class BlobFiles {
  readonly #incoming: string;
  readonly #folder: string;
  readonly #folders = new Map<string, Promise<void>>(); // created ones, by name

  private constructor(incoming: string, folder: string) {
    this.#incoming = incoming;
    this.#folder = folder;
  }

  static async open(home: string): Promise<BlobFiles> {
    const incoming = join(home, 'incoming');
    const folder = join(home, 'files');
    await rm(incoming, { recursive: true, force: true });
    await mkdir(incoming, { recursive: true, mode: 0o700 });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(home);
    return new BlobFiles(incoming, folder);
  }

  async put(body: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    const id = uuid();
    const path = join(this.#incoming, id);
    try {
      const size = await writeFile(path, body);
      const handle = handleOf({ id, size });
      const folder = this.#folderOf(id);
      await this.#make(folder);
      await rename(path, join(folder, handle));
      await syncFolder(folder);
      return { handle, size };
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined); // otherwise the next start removes it
      throw error;
    }
  }

  async *get(handle: string, requested?: ByteRange): AsyncGenerator<Uint8Array, void> {
    const { id, size } = nameOf(handle);
    const range = rangeWithin(size, requested);
    const file = await open(this.#pathOf(id, handle), 'r').catch((error: unknown) => {
      throw isAbsent(error) ? noSuchBlob(handle) : error;
    });
    let next: Promise<Buffer> | undefined; // read while the one before it is sent
    try {
      if ((await file.stat()).size !== size) throw damagedBlob(handle);
      const end = range.offset + range.length;
      const read = (at: number): Promise<Buffer> => readAt(file.fd, at, Math.min(bytesPerRead, end - at));
      for (let at = range.offset; at < end; ) {
        const bytes = await (next ?? read(at));
        if (bytes.length === 0) throw damagedBlob(handle);
        at += bytes.length;
        next = at < end ? read(at) : undefined;
        next?.catch(() => undefined);
        yield bytes;
      }
    } finally {
      await next?.catch(() => undefined);
      await file.close();
    }
  }

  async remove(handles: readonly string[]): Promise<void> {
    for (let first = 0; first < handles.length; first += removalsAtOnce)
      await Promise.all(
        handles
          .slice(first, first + removalsAtOnce)
          .map((handle) => rm(this.#pathOf(nameOf(handle).id, handle), { force: true })),
      );
  }

  async sweep(beforeMs: number, findReferenced: FindReferenced): Promise<number> {
    let removed = 0;
    let handles: string[] = [];
    const judge = async (): Promise<void> => {
      const referenced = await findReferenced(handles);
      const old: string[] = [];
      for (const handle of handles)
        if (!referenced.has(handle) && (await this.#isOlder(handle, beforeMs))) old.push(handle);
      await this.remove(old);
      removed += old.length;
      handles = [];
    };
    for (const folder of await readdir(this.#folder))
      for await (const { name } of await opendir(join(this.#folder, folder))) {
        if (!isFileHandle(name)) continue;
        handles.push(name);
        if (handles.length === handlesPerCall) await judge();
      }
    if (handles.length > 0) await judge();
    return removed;
  }

  // Uses the time of the last write, so that a slow upload is not old when it ends.
  async #isOlder(handle: string, beforeMs: number): Promise<boolean> {
    try {
      return (await stat(this.#pathOf(nameOf(handle).id, handle))).mtimeMs < beforeMs;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  #folderOf(id: string): string {
    return join(this.#folder, folderOf(id));
  }

  #pathOf(id: string, handle: string): string {
    return join(this.#folderOf(id), handle);
  }

  #make(folder: string): Promise<void> {
    let made = this.#folders.get(folder);
    if (!made) {
      made = mkdir(folder, { recursive: true, mode: 0o700 }).then(() => syncFolder(this.#folder));
      this.#folders.set(folder, made);
      made.catch(() => this.#folders.delete(folder));
    }
    return made;
  }
}

// The beginning of an id is its time; the end is random.
const folderOf = (id: string): string => id.slice(-2);

export const folderOfFile = (handle: string): string => folderOf(nameOf(handle).id);

const handleOf = ({ id, size }: FileName): string => `file.${id}.${size}`;

export const isFileHandle = (handle: string): boolean => {
  const [kind, id = '', size = '', ...more] = handle.split('.');
  return kind === 'file' && isUuid(id) && /^\d{1,16}$/.test(size) && more.length === 0;
};

function nameOf(handle: string): FileName {
  const [, id = '', size] = handle.split('.');
  return { id, size: Number(size) };
}

// Writes the file and returns its size. While one batch of pieces is written, the next one is collected.
async function writeFile(path: string, body: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  let writing = Promise.resolve();
  let pieces: Uint8Array[] = [];
  let waiting = 0; // bytes of the pieces
  const flush = async (): Promise<void> => {
    await writing;
    writing = writeAll(file.fd, pieces, size);
    writing.catch(() => undefined); // the next flush throws it
    size += waiting;
    pieces = [];
    waiting = 0;
  };
  try {
    for await (const piece of body) {
      pieces.push(piece);
      waiting += piece.length;
      if (waiting >= bytesPerWrite || pieces.length === piecesPerWrite) await flush();
    }
    await flush();
    await writing;
    await file.datasync();
    return size;
  } finally {
    await writing.catch(() => undefined);
    await file.close();
  }
}
