// The write-ahead log: what was appended, written and synced before it is confirmed. Each record's checksum continues
// that of the record before it, and the first that of the file's number, so that the rest of a write that a crash cut
// short is never taken for a record: reading ends there.
import { closeSync, fdatasync, ftruncateSync, openSync, readFileSync, rmSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';

// Jobs that are packed, and tenants that were dropped with all that stands before.
export type LogRecord = { job: Uint8Array } | { drop: string };

const mark = 0x474f4c43;
const headBytes = 16; // mark, kind, length, checksum
const kinds = { job: 1, drop: 2 };
const mostAtOnce = 256;
const syncData = promisify(fdatasync);

export const logName = (number: number): string => `ahead-${number}.log`;
export const logNumber = (name: string): number => Number(/^ahead-(\d+)\.log$/.exec(name)?.[1] ?? Number.NaN);

export class WriteAheadLog {
  readonly number: number;
  readonly #handle: number;
  #at = 0;
  #sum: number;

  constructor(folder: string, number: number) {
    this.number = number;
    this.#handle = openSync(join(folder, logName(number)), 'wx', 0o600);
    this.#sum = number;
  }

  get bytes(): number {
    return this.#at;
  }

  // Resolves when the records are durable. One call at a time; a call that fails leaves no record.
  async append(records: readonly LogRecord[]): Promise<void> {
    let at = this.#at;
    let sum = this.#sum;
    try {
      for (let first = 0; first < records.length; first += mostAtOnce) {
        const parts: Uint8Array[] = [];
        for (const record of records.slice(first, first + mostAtOnce)) {
          const [kind, body] =
            'job' in record ? [kinds.job, record.job] : [kinds.drop, Buffer.from(record.drop) as Uint8Array];
          sum = crc32(body, (sum + kind) >>> 0);
          parts.push(headOf(kind, body.length, sum), body);
        }
        at = writeAll(this.#handle, parts, at);
      }
      await syncData(this.#handle);
    } catch (error) {
      ftruncateSync(this.#handle, this.#at);
      throw error;
    }
    this.#at = at;
    this.#sum = sum;
  }

  close(): void {
    closeSync(this.#handle);
  }
}

export const removeLog = (folder: string, number: number): void =>
  rmSync(join(folder, logName(number)), { force: true });

// The records of a file, up to the first that is not whole. Each has memory of its own.
export function* readLog(folder: string, number: number): Generator<LogRecord> {
  const bytes = readFileSync(join(folder, logName(number)));
  let sum = number;
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const kind = bytes.readUInt32LE(at + 4);
    const length = bytes.readUInt32LE(at + 8);
    const body = bytes.subarray(at + headBytes, at + headBytes + length);
    sum = crc32(body, (sum + kind) >>> 0);
    if (bytes.readUInt32LE(at) !== mark || body.length !== length || bytes.readUInt32LE(at + 12) !== sum) return;
    if (kind === kinds.job) yield { job: new Uint8Array(body) };
    else if (kind === kinds.drop) yield { drop: body.toString() };
    at += headBytes + length;
  }
}

function headOf(kind: number, length: number, sum: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(mark, 0);
  head.writeUInt32LE(kind, 4);
  head.writeUInt32LE(length, 8);
  head.writeUInt32LE(sum, 12);
  return head;
}

function writeAll(handle: number, parts: readonly Uint8Array[], at: number): number {
  let left = parts.filter(({ length }) => length > 0);
  let position = at;
  while (left.length > 0) {
    let written = writevSync(handle, left, position);
    position += written;
    while (left[0] && written >= left[0].length) {
      written -= left[0].length;
      left = left.slice(1);
    }
    if (left[0] && written > 0) left[0] = left[0].subarray(written);
  }
  return position;
}
