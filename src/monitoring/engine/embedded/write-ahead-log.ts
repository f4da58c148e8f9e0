// The write-ahead log: pushes in the form in which they arrived, written and synced before they are answered. There is
// one file for each arena, removed when the arena's blocks are durable. All checksums begin with a random number of the
// file, which is kept in metrics.db, and the place of the record; so neither the previous content of a reused file nor
// a push that looks like records is taken for one. Zeros follow the last record.
import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, renameSync, rmSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { syncFolderNow } from '../../../base/sync-folder.ts';
import type { Push } from '../../push/sink.ts';
import type { PushLimits } from '../engine.ts';

export interface LogRecord {
  tenant: number;
  push: Push;
  limits: PushLimits;
}

export type Told = Omit<Push, 'body'> & { tenant: number; limits: PushLimits };

export const markBytes = Buffer.from('AHD2');
export const headBytes = 20; // mark, length of the metadata, length of the push, checksums of these and of both
const end = Buffer.alloc(headBytes); // behind the last record
const mostAtOnce = 256;
const syncData = promisify(fdatasync);

export const logName = (number: number): string => `ahead-${number}.log`;
export const logNumber = (name: string): number => Number(/^ahead-(\d+)\.log$/.exec(name)?.[1] ?? Number.NaN);

export class WriteAheadLog {
  readonly number: number;
  readonly #path: string;
  readonly #handle: number;
  readonly #seed: number;
  #written = 0;
  #synced = 0;
  #generation = 0; // one more after each sync that failed
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  // Reuses a file that is no longer needed where there is one: its space is allocated, and syncing a file that does not
  // grow takes half as long. The end is synced before the seed of the file is kept: with that seed, the old content
  // would look damaged after a power loss.
  constructor(folder: string, number: number, seed: number, spare?: string) {
    this.number = number;
    this.#seed = seed;
    this.#path = join(folder, logName(number));
    if (spare) renameSync(spare, this.#path);
    this.#handle = openSync(this.#path, spare ? 'r+' : 'w', 0o600);
    try {
      if (spare) {
        writeAll(this.#handle, [end], 0);
        fdatasyncSync(this.#handle);
      }
      syncFolderNow(folder);
    } catch (error) {
      closeSync(this.#handle);
      throw error;
    }
  }

  get bytes(): number {
    return this.#written;
  }

  // A write that fails leaves no record.
  append(records: readonly LogRecord[]): number {
    try {
      this.#written = this.#write(records);
      return this.#generation;
    } catch (error) {
      this.#cutOff();
      throw error;
    }
  }

  // Where the next record begins.
  #write(records: readonly LogRecord[]): number {
    let at = this.#written;
    let begun = at; // where what is not written yet begins
    let parts: Uint8Array[] = [];
    for (const [index, record] of records.entries()) {
      const [head, told] = headOf(record, this.#seed + at);
      at += head.length + told.length + record.push.body.length;
      parts.push(head, told, record.push.body);
      if ((index + 1) % mostAtOnce > 0) continue;
      begun = writeAll(this.#handle, parts, begun);
      parts = [];
    }
    writeAll(this.#handle, [...parts, end], begun);
    return at;
  }

  // Removes the rest of a write that failed.
  #cutOff(): void {
    try {
      ftruncateSync(this.#handle, this.#written);
    } catch {
      // the disk is broken: callers get the first error
    }
  }

  // Resolves when what was appended before is durable. Callers that arrive during a sync share the next one.
  async sync(generation: number): Promise<void> {
    if (this.#running)
      this.#next ??= this.#running.then(noMatter, noMatter).then(() => {
        this.#next = undefined;
        return this.#start();
      });
    await (this.#next ?? this.#start());
    // An earlier sync failed: records that were appended after its own are lost with them.
    if (generation !== this.#generation) throw Object.assign(new Error('not synced'), { code: 'EIO' });
  }

  #start(): Promise<void> {
    const upTo = this.#written;
    const generation = this.#generation;
    this.#running = syncData(this.#handle)
      .then(
        () => {
          if (generation === this.#generation) this.#synced = upTo;
        },
        (error: unknown) => {
          this.#generation += 1;
          this.#written = this.#synced;
          this.#cutOff();
          throw error;
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  // The path of a file that can be reused.
  release(): string {
    closeSync(this.#handle);
    return this.#path;
  }

  remove(): void {
    rmSync(this.release(), { force: true });
  }
}

const noMatter = (): void => {};

function headOf({ tenant, push, limits }: LogRecord, seed: number): [head: Buffer, told: Buffer] {
  const { format, coding, receivedMs, body } = push;
  const told = Buffer.from(JSON.stringify({ tenant, format, coding, receivedMs, limits } satisfies Told));
  const head = Buffer.allocUnsafe(headBytes);
  markBytes.copy(head);
  head.writeUInt32LE(told.length, 4);
  head.writeUInt32LE(body.length, 8);
  const sum = crc32(head.subarray(0, 12), seed >>> 0);
  head.writeUInt32LE(sum, 12);
  head.writeUInt32LE(crc32(body, crc32(told, sum)), 16);
  return [head, told];
}

function writeAll(handle: number, parts: Uint8Array[], start: number): number {
  let at = start;
  let rest = parts;
  while (rest.length > 0) {
    let written = writevSync(handle, rest, at);
    at += written;
    let done = 0;
    while (done < rest.length && written >= (rest[done]?.length ?? 0)) written -= rest[done++]?.length ?? 0;
    rest = rest.slice(done);
    if (rest[0] && written > 0) rest[0] = rest[0].subarray(written);
  }
  return at;
}

export const removeLog = (folder: string, number: number): void =>
  rmSync(join(folder, logName(number)), { force: true });
