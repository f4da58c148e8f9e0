// How changes of keys and values stand in a file: each as length, CRC and JSON. A file that ends within a record was
// cut short by a crash. Where whole records follow one that is not right, the file was damaged afterwards: reading
// goes on behind it. JSON has no zero bytes, but the length of each record has, so no value looks like a record.
import { crc32c } from '../../../base/crc32c.ts';

export type Change = [key: string, value: unknown]; // null: the key is deleted

export interface Damage {
  at: number; // the first of the bytes that are not right
  bytes: number; // of all of them
}

export interface ReadChanges {
  changes: Change[];
  end: number; // behind the last record
  damage: Damage | undefined;
}

const headerBytes = 8;
const opening = Buffer.from('["'); // of each record's JSON

export function writeChange(change: Change): Buffer {
  const line = Buffer.from(JSON.stringify(change));
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32BE(line.length);
  header.writeUInt32BE(crc32c(line), 4);
  return Buffer.concat([header, line]);
}

export function readChanges(bytes: Buffer): ReadChanges {
  const read: ReadChanges = { changes: [], end: 0, damage: undefined };
  for (let at = 0; at < bytes.length; ) {
    const line = lineAt(bytes, at);
    if (line) {
      read.changes.push(JSON.parse(line.toString()) as Change);
      at += headerBytes + line.length;
      read.end = at;
      continue;
    }
    const next = nextRecord(bytes, at + 1);
    if (next === undefined) {
      if (isComplete(bytes, at))
        read.damage = { at: read.damage?.at ?? at, bytes: (read.damage?.bytes ?? 0) + bytes.length - at };
      break;
    }
    read.damage = { at: read.damage?.at ?? at, bytes: (read.damage?.bytes ?? 0) + next - at };
    at = next;
  }
  return read;
}

// Whether a last record that is not right was written to its end: a crash leaves a file that ends before, or zeros.
function isComplete(bytes: Buffer, at: number): boolean {
  const start = at + headerBytes;
  if (start > bytes.length || bytes.subarray(at, start).every((byte) => byte === 0)) return false;
  const isLongEnough = start + bytes.readUInt32BE(at) <= bytes.length;
  return isLongEnough || crc32c(bytes.subarray(start)) === bytes.readUInt32BE(at + 4); // or its length is damaged
}

function nextRecord(bytes: Buffer, from: number): number | undefined {
  for (let json = bytes.indexOf(opening, from + headerBytes); json >= 0; json = bytes.indexOf(opening, json + 1))
    if (lineAt(bytes, json - headerBytes)) return json - headerBytes;
  return undefined;
}

// The JSON of the record that begins there, if there is one.
function lineAt(bytes: Buffer, at: number): Buffer | undefined {
  const start = at + headerBytes;
  if (start > bytes.length) return undefined;
  const end = start + bytes.readUInt32BE(at);
  if (end > bytes.length || end < start + opening.length) return undefined;
  const line = bytes.subarray(start, end);
  return crc32c(line) === bytes.readUInt32BE(at + 4) ? line : undefined;
}
