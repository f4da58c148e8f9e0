// Large blobs: one file each, with checksums behind the content. A file is written and synced in `incoming`, then
// renamed into one of 256 folders, and that folder is synced. Files in `incoming` at the start were never acknowledged
// and are removed.
import { type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readAt, writeAll } from '../../../base/files/file-bytes.ts';
import { isUuid, uuid } from '../../../base/ids.ts';
import { syncFolder } from '../../../base/sync-folder.ts';
import { DamagedBlob, noSuchBlob, rangeWithin } from '../byte-range.ts';
import { type ByteRange, type FindReferenced, handlesPerCall, type StoredBlob } from '../engine.ts';
import type { ReadBuffers } from '../read-buffers.ts';
import { isAbsent } from './faults.ts';
import { areIntact, PieceSums, pieceBytes, sumBytes } from './piece-sums.ts';

const bytesPerWrite = 512 * 1024;
const piecesPerWrite = 1000; // the system accepts 1024 in one call
const bytesPerRead = 8 * pieceBytes;
const removalsAtOnce = 16;

interface FileName {
  id: string;
  size: number;
  hasSums: boolean;
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
      const handle = handleOf({ id, size, hasSums: true });
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

  async *get(handle: string, requested?: ByteRange, buffers?: ReadBuffers): AsyncGenerator<Uint8Array, void> {
    const name = nameOf(handle);
    const { offset, length } = rangeWithin(name.size, requested);
    const [from, end] = [offset - (offset % pieceBytes), offset + length];
    const to = Math.min(name.size, end + pieceBytes - 1 - ((end + pieceBytes - 1) % pieceBytes));
    const file = await open(this.#pathOf(name.id, handle), 'r').catch((error: unknown) => {
      throw isAbsent(error) ? noSuchBlob(handle) : error;
    });
    let next: Promise<Buffer> | undefined; // read while the one before it is sent
    try {
      const sums = await sumsOf(file, name, from, to);
      if (sums === 'damaged') throw new DamagedBlob(handle);
      const read = (at: number): Promise<Buffer> => {
        const bytes = Math.min(bytesPerRead, to - at);
        return readAt(file.fd, at, bytes, buffers?.next(bytes));
      };
      for (let at = from; at < to; ) {
        const bytes = await (next ?? read(at));
        if (bytes.length === 0 || (sums && !areIntact(bytes, sums, (at - from) / pieceBytes)))
          throw new DamagedBlob(handle);
        const start = at;
        at += bytes.length;
        next = at < to ? read(at) : undefined;
        next?.catch(() => undefined);
        yield bytes.subarray(Math.max(0, offset - start), end - start);
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

// Files of earlier versions have no checksums.
const handleOf = ({ id, size, hasSums }: FileName): string => `${hasSums ? 'summed' : 'file'}.${id}.${size}`;

export const isFileHandle = (handle: string): boolean => {
  const [kind = '', id = '', size = '', ...more] = handle.split('.');
  return ['summed', 'file'].includes(kind) && isUuid(id) && /^\d{1,16}$/.test(size) && more.length === 0;
};

function nameOf(handle: string): FileName {
  const [kind, id = '', size] = handle.split('.');
  return { id, size: Number(size), hasSums: kind === 'summed' };
}

// Of the pieces between two places.
async function sumsOf(
  file: FileHandle,
  { size, hasSums }: FileName,
  from: number,
  to: number,
): Promise<Buffer | 'damaged' | undefined> {
  if (!hasSums) return (await file.stat()).size === size ? undefined : 'damaged';
  const bytes = Math.ceil((to - from) / pieceBytes) * sumBytes;
  const sums = await readAt(file.fd, size + (from / pieceBytes) * sumBytes, bytes);
  return sums.length === bytes ? sums : 'damaged';
}

// Writes the file and returns the size of its content. While one batch of pieces is written, the next one is collected.
async function writeFile(path: string, body: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  const sums = new PieceSums();
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
      sums.add(piece);
      waiting += piece.length;
      if (waiting >= bytesPerWrite || pieces.length === piecesPerWrite) await flush();
    }
    await flush();
    await writing;
    await writeAll(file.fd, [sums.end()], size);
    await file.datasync();
    return size;
  } finally {
    await writing.catch(() => undefined);
    await file.close();
  }
}
