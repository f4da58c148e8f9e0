// The write-ahead log: pushes in their original form, in a record log. Each arena has one file, which is removed or
// reused when the arena's blocks are durable. Its seed is stored in metrics.db, which therefore lists the files that
// must exist.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolderNow } from '../../../base/sync-folder.ts';
import type { LogRecord } from '../../../core/record-log/record.ts';
import { recordFraming } from '../../../core/record-log/record.ts';
import { RecordLog } from '../../../core/record-log/record-log.ts';
import { type ReadFile, readRecords } from '../../../core/record-log/record-reader.ts';
import type { Push } from '../../push/sink.ts';
import type { PushLimits } from '../engine.ts';
import type { Connection } from './database.ts';

export interface LoggedPush {
  tenant: number;
  push: Push;
  limits: PushLimits;
}

type Header = Omit<Push, 'body'> & { tenant: number; limits: PushLimits };

export type WriteAheadLog = RecordLog<LogRecord>;

export const logName = (number: number): string => `ahead-${number}.log`;
export const logNumber = (name: string): number => Number(/^ahead-(\d+)\.log$/.exec(name)?.[1] ?? Number.NaN);

// The file is durable when this returns; then its seed is stored.
export function openLog(folder: string, number: number, seed: number, reuse?: string): WriteAheadLog {
  const path = join(folder, logName(number));
  const log = new RecordLog({ path, framing: recordFraming(seed), ...(reuse && { reuse }) });
  try {
    syncFolderNow(folder);
    return log;
  } catch (error) {
    log.release();
    throw error;
  }
}

export const removeLog = (folder: string, number: number): void =>
  rmSync(join(folder, logName(number)), { force: true });

// Returns the logs that must exist, each with its seed. Earlier versions stored none.
export function expectedLogs(connection: Pick<Connection, 'all'>): Map<number, number> {
  const marks = connection.all("SELECT name, value FROM mark WHERE name LIKE 'ahead-%'") as [string, number][];
  return new Map(marks.map(([name, seed]) => [logNumber(name), seed]));
}

// Must be called before the files are removed.
export function forgetLogs(connection: Connection, numbers: readonly number[]): void {
  if (numbers.length === 0) return;
  connection.write(() => {
    for (const number of numbers) connection.prepare('DELETE FROM mark WHERE name = ?').run(logName(number));
  });
}

export function recordOf({ tenant, push, limits }: LoggedPush): LogRecord {
  const { format, coding, receivedMs, body } = push;
  const header: Header = { tenant, format, coding, receivedMs, limits };
  return { header: Buffer.from(JSON.stringify(header)), body };
}

// `seed`: absent in a file of an earlier version.
export const pushReader = (number: number, seed: number | undefined): ReadFile<LoggedPush> =>
  function* read(bytes, onDamage) {
    if (seed === undefined) yield* readEarlier(bytes, number);
    else for (const { header, body } of readRecords(bytes, seed, onDamage)) yield pushIn(header, body);
  };

function pushIn(header: Buffer, body: Buffer): LoggedPush {
  const { tenant, limits, ...push } = JSON.parse(header.toString()) as Header;
  return { tenant, limits, push: { ...push, body } };
}

const earlierMark = 0x44414541;
const earlierPrefixBytes = 16; // mark, length of the header, length of the push, checksum

// Reads files of an earlier version, up to the first invalid record: each checksum continues the one before.
function* readEarlier(bytes: Buffer, number: number): Generator<LoggedPush> {
  let sum = number;
  for (let at = 0; at + earlierPrefixBytes <= bytes.length; ) {
    if (bytes.readUInt32LE(at) !== earlierMark) return;
    const start = at + earlierPrefixBytes;
    const bodyAt = start + bytes.readUInt32LE(at + 4);
    const end = bodyAt + bytes.readUInt32LE(at + 8);
    if (end > bytes.length || crc32(bytes.subarray(start, end), sum) !== bytes.readUInt32LE(at + 12)) return;
    sum = bytes.readUInt32LE(at + 12);
    at = end;
    yield pushIn(bytes.subarray(start, bodyAt), bytes.subarray(bodyAt, end));
  }
}
