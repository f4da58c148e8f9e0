// Reads write-ahead logs that an earlier process left, up to their end. A file that a crash cut short ends within a
// record, or goes on with its previous content. Where a record that is not right is followed by the zeros of the end or
// by another record, the file was damaged afterwards: reading goes on behind it.
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Connection } from './database.ts';
import { headBytes, type LogRecord, logName, logNumber, markBytes, type Told } from './write-ahead-log.ts';

export interface LogDamage {
  at: number; // in the file
  bytes: number; // up to the next record that can be read, or to the end
}

// The logs that have to be there, each with its seed. Earlier versions kept none.
export function expectedLogs(connection: Pick<Connection, 'all'>): Map<number, number> {
  const marks = connection.all("SELECT name, value FROM mark WHERE name LIKE 'ahead-%'") as [string, number][];
  return new Map(marks.map(([name, seed]) => [logNumber(name), seed]));
}

// To be called before the files are removed.
export function forgetLogs(connection: Connection, numbers: readonly number[]): void {
  if (numbers.length === 0) return;
  connection.write(() => {
    for (const number of numbers) connection.prepare('DELETE FROM mark WHERE name = ?').run(logName(number));
  });
}

// `seed`: absent in a file of an earlier version.
export function* readLog(
  path: string,
  number: number,
  seed: number | undefined,
  onDamage: (damage: LogDamage) => void,
): Generator<LogRecord> {
  const bytes = readFileSync(path);
  if (seed === undefined) yield* readOldLog(bytes, number);
  else yield* readRecords(bytes, seed, onDamage);
}

function* readRecords(bytes: Buffer, seed: number, onDamage: (damage: LogDamage) => void): Generator<LogRecord> {
  for (let at = 0; ; ) {
    const head = headAt(bytes, at, seed);
    if (head?.isWhole) {
      yield recordIn(bytes.subarray(at + headBytes, head.end), head.toldBytes);
      at = head.end;
      continue;
    }
    const isFollowed = head && head.end <= bytes.length && (isEnd(bytes, head.end) || headAt(bytes, head.end, seed));
    const next = isFollowed ? head.end : nextHead(bytes, at + 1, seed);
    const isCutShort = head !== undefined || isEnd(bytes, at);
    if (next !== undefined || !isCutShort) onDamage({ at, bytes: (next ?? bytes.length) - at });
    if (next === undefined) return;
    at = next;
  }
}

interface Head {
  toldBytes: number;
  end: number; // of the record
  isWhole: boolean;
}

// Undefined: no record of this file begins there.
function headAt(bytes: Buffer, at: number, seed: number): Head | undefined {
  if (at + headBytes > bytes.length) return undefined;
  const lengths = Buffer.from(bytes.subarray(at, at + 12));
  markBytes.copy(lengths); // which may be what is damaged
  const sum = crc32(lengths, (seed + at) >>> 0);
  if (sum !== bytes.readUInt32LE(at + 12)) return undefined;
  const toldBytes = lengths.readUInt32LE(4);
  const end = at + headBytes + toldBytes + lengths.readUInt32LE(8);
  const isWhole =
    end <= bytes.length && crc32(bytes.subarray(at + headBytes, end), sum) === bytes.readUInt32LE(at + 16);
  return { toldBytes, end, isWhole };
}

function nextHead(bytes: Buffer, from: number, seed: number): number | undefined {
  for (let at = bytes.indexOf(markBytes, from); at >= 0; at = bytes.indexOf(markBytes, at + 1))
    if (headAt(bytes, at, seed)) return at;
  return undefined;
}

// Zeros, or a file that ends there.
const isEnd = (bytes: Buffer, at: number): boolean =>
  at + headBytes > bytes.length || bytes.subarray(at, at + headBytes).every((byte) => byte === 0);

function recordIn(bytes: Buffer, toldBytes: number): LogRecord {
  const { tenant, limits, ...push } = JSON.parse(bytes.toString('utf8', 0, toldBytes)) as Told;
  return { tenant, limits, push: { ...push, body: bytes.subarray(toldBytes) } };
}

const oldMark = 0x44414541;
const oldHeadBytes = 16; // mark, length of the metadata, length of the push, checksum

// Up to the first record that is not right: each checksum continues the one before.
function* readOldLog(bytes: Buffer, number: number): Generator<LogRecord> {
  let sum = number;
  for (let at = 0; at + oldHeadBytes <= bytes.length; ) {
    if (bytes.readUInt32LE(at) !== oldMark) return;
    const toldBytes = bytes.readUInt32LE(at + 4);
    const start = at + oldHeadBytes;
    const end = start + toldBytes + bytes.readUInt32LE(at + 8);
    if (end > bytes.length || crc32(bytes.subarray(start, end), sum) !== bytes.readUInt32LE(at + 12)) return;
    sum = bytes.readUInt32LE(at + 12);
    at = end;
    yield recordIn(bytes.subarray(start, end), toldBytes);
  }
}
