// The write-ahead log: packed jobs and dropped tenants in a record log. Each arena has one file, which is removed when
// the arena's segment is listed. The manifest lists the files with their seeds.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type LogRecord, recordFraming } from '../../../core/record-log/record.ts';
import { RecordLog } from '../../../core/record-log/record-log.ts';
import { type OnDamage, type ReadFile, readRecords } from '../../../core/record-log/record-reader.ts';

// A dropped tenant loses all lines before this entry.
export type LogEntry = { job: Uint8Array } | { drop: string };

export interface LogFile {
  number: number;
  seed?: number; // absent in a file of an earlier version
}

export type WriteAheadLog = RecordLog<LogRecord>;

const kinds = { job: 1, drop: 2 };

export const logName = (number: number): string => `ahead-${number}.log`;
export const logNumber = (name: string): number => Number(/^ahead-(\d+)\.log$/.exec(name)?.[1] ?? Number.NaN);

export const openLog = (folder: string, { number, seed }: Required<LogFile>): WriteAheadLog =>
  new RecordLog({ path: join(folder, logName(number)), framing: recordFraming(seed) });

export const removeLog = (folder: string, number: number): void =>
  rmSync(join(folder, logName(number)), { force: true });

export const recordOf = (entry: LogEntry): LogRecord =>
  'job' in entry
    ? { header: Buffer.of(kinds.job), body: entry.job }
    : { header: Buffer.of(kinds.drop), body: Buffer.from(entry.drop) };

// Each job has its own memory.
export const entryReader = ({ number, seed }: LogFile): ReadFile<LogEntry> =>
  function* read(bytes, onDamage) {
    if (seed === undefined) yield* readEarlier(bytes, number, onDamage);
    else for (const { header, body } of readRecords(bytes, seed, onDamage)) yield* entryIn(header[0], body);
  };

function* entryIn(kind: number | undefined, body: Buffer): Generator<LogEntry> {
  if (kind === kinds.job) yield { job: new Uint8Array(body) };
  else if (kind === kinds.drop) yield { drop: body.toString() };
}

const earlierMark = 0x474f4c43;
const earlierPrefixBytes = 16; // mark, kind, length, checksum

// Reads files of an earlier version, up to the first invalid record: each checksum continues the one before.
function* readEarlier(bytes: Buffer, number: number, onDamage: OnDamage): Generator<LogEntry> {
  let sum = number;
  for (let at = 0; at + earlierPrefixBytes <= bytes.length; ) {
    const kind = bytes.readUInt32LE(at + 4);
    const start = at + earlierPrefixBytes;
    const end = start + bytes.readUInt32LE(at + 8);
    if (end > bytes.length) return;
    const body = bytes.subarray(start, end);
    sum = crc32(body, (sum + kind) >>> 0);
    if (bytes.readUInt32LE(at) !== earlierMark || bytes.readUInt32LE(at + 12) !== sum) {
      if (bytes.subarray(at).some((byte) => byte !== 0)) onDamage({ at, bytes: bytes.length - at });
      return;
    }
    yield* entryIn(kind, body);
    at = end;
  }
}
