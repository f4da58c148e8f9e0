// The record log: what products append and sync before they confirm it. Metrics and log lines write ahead with it, the
// broker keeps its state in it, and objects append small blobs with it. `record.ts` has the format, `record-reader.ts`
// decides whether a file has a torn end or is damaged. Objects have their own framing, because handles in rows name
// places in their files.
//
// Group commit: entries that are appended during a write are written together and share the next sync. A write or sync
// that fails leaves none of its entries: the file is cut back to the last byte that is confirmed, and takes more.
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  ftruncate,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { writeAll } from '../../base/files/file-bytes.ts';
import type { Framing } from './record.ts';

export interface RecordLogOptions<Entry> {
  path: string;
  framing: Framing<Entry>;
  isSynced?: boolean; // before `append` resolves; by default
  continueAt?: number; // the file exists; appends continue at this offset, and the rest is truncated
  reuse?: string; // the path of a file that is no longer needed: syncing a file that does not grow takes half as long
}

interface Append<Entry> {
  entries: readonly Entry[];
  resolve(places: number[]): void;
  reject(error: unknown): void;
}

const syncData = promisify(fdatasync);
const cut = promisify(ftruncate);
const mostEntries = 500; // of one write

export class RecordLog<Entry> {
  readonly #path: string;
  readonly #framing: Framing<Entry>;
  readonly #isSynced: boolean;
  readonly #file: number;
  #bytes: number; // that are confirmed
  #queue: Append<Entry>[] = [];
  #running: Promise<void> | undefined;
  #commits = 0;

  // The caller syncs the folder, and keeps the seed after this: with the new seed, the earlier content of a reused file
  // would look damaged.
  constructor({ path, framing, isSynced = true, continueAt, reuse }: RecordLogOptions<Entry>) {
    this.#path = path;
    this.#framing = framing;
    this.#isSynced = isSynced;
    this.#bytes = continueAt ?? 0;
    if (reuse) renameSync(reuse, path);
    this.#file = openSync(path, reuse || continueAt !== undefined ? 'r+' : 'w', 0o600);
    try {
      if (continueAt !== undefined) ftruncateSync(this.#file, continueAt);
      if (reuse) {
        writeSync(this.#file, framing.end, 0, framing.end.length, 0);
        fdatasyncSync(this.#file);
      }
    } catch (error) {
      this.release();
      throw error;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  // Writes that were confirmed.
  get commits(): number {
    return this.#commits;
  }

  // Resolves with the place of each entry when all are written, and synced if the log syncs.
  append(entries: readonly Entry[]): Promise<number[]> {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    this.#queue.push({ entries, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  // For a log that does not sync by itself: when this resolves, all records that were confirmed before are durable.
  async sync(): Promise<void> {
    await syncData(this.#file);
  }

  // All appends have ended.
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // together with other appends of this turn
    while (this.#queue.length > 0) {
      const group = this.#nextGroup();
      try {
        const places = await this.#commit(group.flatMap(({ entries }) => entries));
        for (const { entries, resolve } of group) resolve(places.splice(0, entries.length));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
  }

  #nextGroup(): Append<Entry>[] {
    let entries = 0;
    const isOver = ({ entries: more }: Append<Entry>): boolean => {
      entries += more.length;
      return entries > mostEntries;
    };
    const over = this.#queue.findIndex(isOver);
    return this.#queue.splice(0, over < 0 ? this.#queue.length : Math.max(1, over));
  }

  async #commit(entries: readonly Entry[]): Promise<number[]> {
    const { frame, end } = this.#framing;
    const places: number[] = [];
    const pieces: Uint8Array[] = [];
    let at = this.#bytes;
    for (const entry of entries) {
      places.push(at);
      for (const piece of frame(entry, at)) {
        pieces.push(piece);
        at += piece.length;
      }
    }
    try {
      await writeAll(this.#file, [...pieces, end], this.#bytes);
      if (this.#isSynced) await syncData(this.#file);
    } catch (error) {
      await cut(this.#file, this.#bytes).catch(() => {}); // the disk is broken: callers get the first error
      throw error;
    }
    this.#bytes = at;
    this.#commits += 1;
    return places;
  }

  // Closes the file and returns its path.
  release(): string {
    closeSync(this.#file);
    return this.#path;
  }

  remove(): void {
    rmSync(this.release(), { force: true });
  }
}
