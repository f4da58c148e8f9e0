// Reads the logs that an earlier process left, or checks them while a process writes. A log that a crash cut short
// has a torn end: its last record is not complete, or is followed by the earlier content of the file. The reader
// ignores it, because nothing in it was confirmed. Where a record that is not right is complete, or another record
// follows it, the file was damaged afterwards. The reader reports the place, and reads on behind it.
import { readFileSync } from 'node:fs';
import { keepDamagedCopy } from '../../base/files/damaged-copy.ts';
import { mark, prefixBytes, recordPlaceAt } from './record.ts';

export interface LogDamage {
  at: number; // in the file
  bytes: number; // up to the next record that can be read, or to the end
}

export interface ReadRecord {
  header: Buffer;
  body: Buffer;
  end: number; // in the file
}

export type OnDamage = (damage: LogDamage) => void;

export function* readRecords(bytes: Buffer, seed: number, onDamage: OnDamage): Generator<ReadRecord, void> {
  for (let at = 0; ; ) {
    const place = recordPlaceAt(bytes, at, seed);
    if (place?.isWhole) {
      const { bodyAt, end } = place;
      yield { header: bytes.subarray(at + prefixBytes, bodyAt), body: bytes.subarray(bodyAt, end), end };
      at = end;
      continue;
    }
    const isFollowed =
      place && place.end <= bytes.length && (isEnd(bytes, place.end) || recordPlaceAt(bytes, place.end, seed));
    const next = isFollowed ? place.end : nextRecord(bytes, at + 1, seed);
    const isTorn = place !== undefined || isEnd(bytes, at);
    if (next !== undefined || !isTorn) onDamage({ at, bytes: (next ?? bytes.length) - at });
    if (next === undefined) return;
    at = next;
  }
}

function nextRecord(bytes: Buffer, from: number, seed: number): number | undefined {
  for (let at = bytes.indexOf(mark, from); at >= 0; at = bytes.indexOf(mark, at + 1))
    if (recordPlaceAt(bytes, at, seed)) return at;
  return undefined;
}

// Zeros, or a file that ends there.
const isEnd = (bytes: Buffer, at: number): boolean =>
  at + prefixBytes > bytes.length || bytes.subarray(at, at + prefixBytes).every((byte) => byte === 0);

// Reads a file by one of its formats.
export type ReadFile<Entry> = (bytes: Buffer, onDamage: OnDamage) => Iterable<Entry>;

// The entries of a file. Where it is damaged, a copy is kept aside before the owner removes or rewrites the file.
export function* replayLog<Entry>(
  path: string,
  read: ReadFile<Entry>,
  report: (message: string, damage: LogDamage & { copy: string }) => void,
): Generator<Entry> {
  const keep = (damage: LogDamage): void => {
    const copy = keepDamagedCopy(path, damage.at);
    const { at, bytes } = damage;
    report(`${path} is damaged at byte ${at}: ${bytes} bytes are lost (see ${copy})`, { ...damage, copy });
  };
  yield* read(readFileSync(path), keep);
}

// Changes nothing. Undefined: the file is missing. A process may write while the file is read, so damage is what a
// second look finds at the same place.
export function damageOfLog<Entry>(path: string, read: ReadFile<Entry>): LogDamage[] | undefined {
  const first = look(path, read);
  if (!first?.length) return first;
  return look(path, read)?.filter(({ at }) => first.some((one) => one.at === at));
}

function look<Entry>(path: string, read: ReadFile<Entry>): LogDamage[] | undefined {
  const found: LogDamage[] = [];
  try {
    for (const _ of read(readFileSync(path), (damage) => found.push(damage)));
    return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
