// The format of records. A log is a file of records, one behind the other, and zeros behind the last one:
//
//   mark and version (4) · bytes of header (4) · bytes of body (4) · checksum (4) · checksum (4) · header · body
//
// Numbers are little-endian. The first checksum is that of the 12 bytes before it; it begins with the seed of the log
// and the place of the record. The second continues the first with the header and the body. So a record is known by
// itself: neither the earlier content of a file that is reused, nor a record at another place or of another log, nor a
// body that looks like records is taken for a record, and damage before a record does not hide it.
//
// The owner of a log keeps its seed outside of the file and draws it at random. Only where no body can look like a
// record may the seed be a constant.
import { crc32 } from 'node:zlib';

export interface LogRecord {
  header: Uint8Array; // what the owner writes about the body: small
  body: Uint8Array;
}

// How a log writes its entries.
export interface Framing<Entry> {
  frame(entry: Entry, at: number): Uint8Array[]; // `at`: the place in the file
  end: Uint8Array; // behind the last entry
}

export const mark = Buffer.from('AHD2');
export const prefixBytes = 20;
const lengthsEnd = 12;

export const recordFraming = (seed: number): Framing<LogRecord> => ({
  end: Buffer.alloc(prefixBytes),
  frame({ header, body }, at) {
    const prefix = Buffer.allocUnsafe(prefixBytes);
    mark.copy(prefix);
    prefix.writeUInt32LE(header.length, 4);
    prefix.writeUInt32LE(body.length, 8);
    const sum = crc32(prefix.subarray(0, lengthsEnd), (seed + at) >>> 0);
    prefix.writeUInt32LE(sum, lengthsEnd);
    prefix.writeUInt32LE(crc32(body, crc32(header, sum)), 16);
    return [prefix, header, body];
  },
});

export interface RecordPlace {
  bodyAt: number;
  end: number; // of the record
  isWhole: boolean; // its header and body are what was written
}

// Undefined: no record of this log begins there.
export function recordPlaceAt(bytes: Buffer, at: number, seed: number): RecordPlace | undefined {
  if (at + prefixBytes > bytes.length || mark.compare(bytes, at, at + mark.length) !== 0) return undefined;
  const sum = crc32(bytes.subarray(at, at + lengthsEnd), (seed + at) >>> 0);
  if (sum !== bytes.readUInt32LE(at + lengthsEnd)) return undefined;
  const headerAt = at + prefixBytes;
  const bodyAt = headerAt + bytes.readUInt32LE(at + 4);
  const end = bodyAt + bytes.readUInt32LE(at + 8);
  const isWhole = end <= bytes.length && crc32(bytes.subarray(headerAt, end), sum) === bytes.readUInt32LE(at + 16);
  return { bodyAt, end, isWhole };
}
