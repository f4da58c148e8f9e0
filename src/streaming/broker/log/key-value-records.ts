// The changes of the broker's state as records of a log: each is JSON. JSON has no zero bytes, but each record begins
// with some, so no value looks like a record, and the seed of the log is a constant.
import { crc32c } from '../../../base/crc32c.ts';
import { type LogRecord, recordFraming } from '../../../core/record-log/record.ts';
import { type LogDamage, type OnDamage, readRecords } from '../../../core/record-log/record-reader.ts';

export type Change = [key: string, value: unknown]; // null: the key is deleted

export interface ReadChanges {
  changes: Change[];
  end: number; // after the last record
  damage: LogDamage | undefined; // the first position, and all damaged bytes
  isEarlier: boolean; // an earlier version wrote the file
}

const seed = 0;
const noHeader = Buffer.alloc(0);

export const changeFraming = recordFraming(seed);

export const recordOf = (change: Change): LogRecord => ({
  header: noHeader,
  body: Buffer.from(JSON.stringify(change)),
});

export function readChanges(bytes: Buffer): ReadChanges {
  const read: ReadChanges = { changes: [], end: 0, damage: undefined, isEarlier: false };
  const add = ({ at, bytes: lost }: LogDamage): void => {
    read.damage = { at: read.damage?.at ?? at, bytes: (read.damage?.bytes ?? 0) + lost };
  };
  for (const { body, end } of readRecords(bytes, seed, add)) {
    read.changes.push(JSON.parse(body.toString()) as Change);
    read.end = end;
  }
  return read.changes.length > 0 ? read : (readEarlier(bytes) ?? read);
}

// For checks.
export function* changesIn(bytes: Buffer, onDamage: OnDamage): Generator<Change> {
  const { changes, damage } = readChanges(bytes);
  if (damage) onDamage(damage);
  yield* changes;
}

// Reads a file of an earlier version, up to the first invalid record: length, CRC-32C and JSON of each change.
function readEarlier(bytes: Buffer): ReadChanges | undefined {
  const read: ReadChanges = { changes: [], end: 0, damage: undefined, isEarlier: true };
  while (read.end + 8 <= bytes.length) {
    const start = read.end + 8;
    const end = start + bytes.readUInt32BE(read.end);
    if (end > bytes.length) break;
    const line = bytes.subarray(start, end);
    if (line.length === 0 || crc32c(line) !== bytes.readUInt32BE(read.end + 4)) {
      const rest = bytes.subarray(read.end);
      if (rest.some((byte) => byte !== 0)) read.damage = { at: read.end, bytes: rest.length };
      break;
    }
    read.changes.push(JSON.parse(line.toString()) as Change);
    read.end = end;
  }
  return read.changes.length > 0 ? read : undefined;
}
