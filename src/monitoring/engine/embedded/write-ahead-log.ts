// The write-ahead log: pushes in the form in which they arrived, written and synced before they are answered. There is
// one file for each arena, removed when the arena's blocks are durable. Each record's checksum continues that of the
// previous record, and the first that of the file's number; so neither the rest of a failed write nor the previous
// content of a reused file is taken for a record.
import { closeSync, fdatasync, openSync, readSync, renameSync, rmSync, writevSync } from 'node:fs';
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

type Told = Omit<Push, 'body'> & { tenant: number; limits: PushLimits };

const mark = 0x44414541;
const headBytes = 16; // mark, length of the metadata, length of the push, checksum
const mostAtOnce = 256;
const syncData = promisify(fdatasync);

export const logName = (number: number): string => `ahead-${number}.log`;
export const logNumber = (name: string): number => Number(/^ahead-(\d+)\.log$/.exec(name)?.[1] ?? Number.NaN);

export class WriteAheadLog {
  readonly number: number;
  readonly #path: string;
  readonly #handle: number;
  #written: Position;
  #synced: Position;
  #generation = 0; // one more after each sync that failed
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  // Reuses a file that is no longer needed where there is one: its space is allocated, and syncing a file that does not
  // grow takes half as long.
  constructor(folder: string, number: number, spare?: string) {
    this.number = number;
    this.#path = join(folder, logName(number));
    if (spare) renameSync(spare, this.#path);
    this.#handle = openSync(this.#path, spare ? 'r+' : 'w', 0o600);
    this.#written = this.#synced = { at: 0, sum: number };
    syncFolderNow(folder);
  }

  get bytes(): number {
    return this.#written.at;
  }

  // A write that fails leaves no record.
  append(records: readonly LogRecord[]): number {
    let { at, sum } = this.#written;
    for (let first = 0; first < records.length; first += mostAtOnce) {
      const parts: Uint8Array[] = [];
      for (const record of records.slice(first, first + mostAtOnce)) {
        const [head, told] = headOf(record, sum);
        sum = head.readUInt32LE(12);
        parts.push(head, told, record.push.body);
      }
      at = writeAll(this.#handle, parts, at);
    }
    this.#written = { at, sum };
    return this.#generation;
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

interface Position {
  at: number;
  sum: number;
}

const noMatter = (): void => {};

function headOf({ tenant, push, limits }: LogRecord, before: number): [head: Buffer, told: Buffer] {
  const { format, coding, receivedMs, body } = push;
  const told = Buffer.from(JSON.stringify({ tenant, format, coding, receivedMs, limits } satisfies Told));
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(mark, 0);
  head.writeUInt32LE(told.length, 4);
  head.writeUInt32LE(body.length, 8);
  head.writeUInt32LE(crc32(body, crc32(told, before)), 12);
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

// The records of a file that an earlier process left, up to the first incomplete one.
export function* readLog(folder: string, number: number): Generator<LogRecord> {
  const handle = openSync(join(folder, logName(number)), 'r');
  try {
    let at = 0;
    let sum = number;
    for (;;) {
      const head = readAt(handle, at, headBytes);
      if (head?.readUInt32LE(0) !== mark) return;
      const toldBytes = head.readUInt32LE(4);
      const bodyBytes = head.readUInt32LE(8);
      const rest = readAt(handle, at + headBytes, toldBytes + bodyBytes);
      if (!rest || crc32(rest, sum) !== head.readUInt32LE(12)) return;
      sum = head.readUInt32LE(12);
      at += headBytes + rest.length;
      const { tenant, limits, ...push } = JSON.parse(rest.toString('utf8', 0, toldBytes)) as Told;
      yield { tenant, limits, push: { ...push, body: rest.subarray(toldBytes) } };
    }
  } finally {
    closeSync(handle);
  }
}

const mostRead = 2 ** 30;

function readAt(handle: number, at: number, length: number): Buffer | undefined {
  if (length > mostRead) return undefined;
  const bytes = Buffer.alloc(length);
  return readSync(handle, bytes, 0, length, at) === length ? bytes : undefined;
}
