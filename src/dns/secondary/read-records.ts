// Reads the records of a message (RFC 1035, 4.1). Compressed names in data (RFC 3597, 4) are expanded.
import { nameKey, nameText } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import type { ZoneRecord } from '../server/zone-data.ts';

const headBytes = 12;
const fixedBytes = 10; // type, class, TTL, length of the data
const maxNameBytes = 255;
const internet = 1;
const optType = 41;

// Where names are in the data of a type: bytes before them, how many, and bytes after them.
const compressible: ReadonlyMap<number, readonly [before: number, names: number]> = new Map(
  Object.entries({ NS: [0, 1], CNAME: [0, 1], SOA: [0, 2], PTR: [0, 1], MX: [2, 1], RP: [0, 2], SRV: [6, 1] }).map(
    ([name, [before = 0, names = 0]]) => [typeNumbers[name] as number, [before, names]],
  ),
);

// The answers. Throws a RangeError if the message ends too early or a name has an invalid pointer.
export function* recordsIn(message: Buffer): Generator<Omit<ZoneRecord, 'id'>> {
  let at = headBytes;
  for (let left = message.readUInt16BE(4); left > 0; left--) at = nameAt(message, at).end + 4;
  for (let left = message.readUInt16BE(6); left > 0; left--) {
    const { wire, end } = nameAt(message, at);
    const type = message.readUInt16BE(end);
    const recordClass = message.readUInt16BE(end + 2);
    const ttl = message.readUInt32BE(end + 4);
    const length = message.readUInt16BE(end + 8);
    const start = end + fixedBytes;
    at = start + length;
    if (at > message.length) throw new RangeError('a record is cut off');
    if (type === optType || recordClass !== internet) continue;
    yield {
      name: nameKey(nameText(wire)),
      type,
      ttl: ttl & 0x80000000 ? 0 : ttl,
      data: dataAt(message, type, start, at),
    };
  }
}

function dataAt(message: Buffer, type: number, start: number, end: number): Buffer {
  const [before, names] = compressible.get(type) ?? [0, 0];
  if (names === 0) return Buffer.from(message.subarray(start, end));
  const parts = [message.subarray(start, start + before)];
  let at = start + before;
  for (let left = names; left > 0; left--) {
    const name = nameAt(message, at);
    parts.push(name.wire);
    at = name.end;
  }
  if (at > end) throw new RangeError('a name leaves its record');
  return Buffer.concat([...parts, message.subarray(at, end)]);
}

// Expands a name, and returns where the data after it begins.
function nameAt(message: Buffer, from: number): { wire: Buffer; end: number } {
  const parts: Buffer[] = [];
  let bytes = 1;
  let end: number | undefined;
  for (let at = from; ; ) {
    const length = message.readUInt8(at);
    if (length >= 0xc0) {
      const target = message.readUInt16BE(at) & 0x3fff;
      if (target >= at) throw new RangeError('a name points ahead');
      end ??= at + 2;
      at = target;
      continue;
    }
    if (length > 63) throw new RangeError('a label of an unknown kind');
    if (length === 0) return { wire: Buffer.concat([...parts, Buffer.of(0)]), end: end ?? at + 1 };
    bytes += length + 1;
    if (bytes > maxNameBytes || at + length >= message.length) throw new RangeError('too long a name');
    parts.push(message.subarray(at, at + length + 1));
    at += length + 1;
  }
}
