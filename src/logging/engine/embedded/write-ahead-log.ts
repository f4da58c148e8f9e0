// The write-ahead log: what was appended, written and synced before it is confirmed. Each record's checksum continues
// that of the record before it, and the first that of the file's number, so that the rest of a write that a crash cut
// short is never taken for a record: reading ends there. Where records that are right follow one that is not, the file
// was damaged afterwards: reading goes on behind it.
import { closeSync, fdatasync, ftruncateSync, openSync, readFileSync, rmSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';

// Jobs that are packed, and tenants that were dropped with all that stands before.
export type LogRecord = { job: Uint8Array } | { drop: string };

export interface LogDamage {
  at: number; // in the file
  bytes: number; // up to the next record that can be read, or to the end
}

const mark = 0x474f4c43;
const markBytes = Buffer.from([0x43, 0x4c, 0x4f, 0x47]); // as it stands in files
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

// The records of a file, without those that are damaged, up to an end that was cut short. Each has memory of its own.
export function* readLog(folder: string, number: number, onDamage: (damage: LogDamage) => void): Generator<LogRecord> {
  const bytes = readFileSync(join(folder, logName(number)));
  let place: Place = { at: 0, sum: number };
  for (;;) {
    const head = headAt(bytes, place.at);
    const body = head && bodyOf(bytes, head, place.sum);
    if (!head || !body) {
      const next = placeBehindDamage(bytes, place);
      if (next) onDamage({ at: place.at, bytes: next.at - place.at });
      if (!next || next.at >= bytes.length) return;
      place = next;
      continue;
    }
    if (head.kind === kinds.job) yield { job: new Uint8Array(body) };
    else if (head.kind === kinds.drop) yield { drop: body.toString() };
    place = { at: head.end, sum: head.sum };
  }
}

// Where a record begins, and the checksum that its own continues.
interface Place {
  at: number;
  sum: number;
}

interface Head extends Place {
  kind: number;
  end: number; // of the record
}

function headAt(bytes: Buffer, at: number): Head | undefined {
  if (at + headBytes > bytes.length) return undefined;
  const end = at + headBytes + bytes.readUInt32LE(at + 8);
  return { at, kind: bytes.readUInt32LE(at + 4), end, sum: bytes.readUInt32LE(at + 12) };
}

// Undefined: the record is not whole, or does not follow the one before it.
function bodyOf(bytes: Buffer, { at, kind, end, sum }: Head, before: number): Buffer | undefined {
  if (bytes.readUInt32LE(at) !== mark || end > bytes.length) return undefined;
  const body = bytes.subarray(at + headBytes, end);
  return crc32(body, (before + kind) >>> 0) === sum ? body : undefined;
}

const isRecord = (bytes: Buffer, { at, sum }: Place): boolean => {
  const head = headAt(bytes, at);
  return head !== undefined && bodyOf(bytes, head, sum) !== undefined;
};

// The next record that can be read; the end of the file, if there are some that can't be trusted; undefined: there are
// none, so the file only ends here.
function placeBehindDamage(bytes: Buffer, { at, sum }: Place): Place | undefined {
  const head = headAt(bytes, at);
  if (!head) return undefined;
  const near = bytes.indexOf(markBytes, at + headBytes);
  const sumUpTo = (end: number): number => crc32(bytes.subarray(at + headBytes, end), (sum + head.kind) >>> 0);
  // The damage is in the body, in the checksum, or in the length.
  const places = [
    { at: head.end, sum: head.sum },
    { at: head.end, sum: sumUpTo(head.end) },
    { at: near, sum: near < 0 ? 0 : sumUpTo(near) },
  ];
  const next = places.find((place) => place.at >= 0 && isRecord(bytes, place));
  if (next) return next;
  const isLast = isComplete(bytes, head, sumUpTo(bytes.length)) ? { at: bytes.length, sum: 0 } : undefined;
  return placeBehindMore(bytes, near) ?? isLast;
}

// Whether the last record of a file was written to its end: a crash leaves a file that ends before, or zeros. `sum`: of
// what is there, for a length that is damaged.
const isComplete = (bytes: Buffer, { at, end, sum: stored }: Head, sum: number): boolean =>
  (end <= bytes.length || sum === stored) && bytes.subarray(at, at + headBytes).some((byte) => byte !== 0);

// Behind damage of more than one record. The first whole record can't be checked, those behind it can. A log line may
// hold what looks like records, so they count only where they go on to the end of the file.
function placeBehindMore(bytes: Buffer, from: number): Place | undefined {
  let isDamaged = false;
  for (let at = from; at >= 0; at = bytes.indexOf(markBytes, at + 1)) {
    const head = headAt(bytes, at);
    if (!head) break;
    let place: Place = { at: head.end, sum: head.sum };
    while (isRecord(bytes, place)) {
      isDamaged = true;
      const { end, sum } = headAt(bytes, place.at) as Head;
      place = { at: end, sum };
      if (end === bytes.length) return { at: head.end, sum: head.sum };
    }
  }
  return isDamaged ? { at: bytes.length, sum: 0 } : undefined;
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
