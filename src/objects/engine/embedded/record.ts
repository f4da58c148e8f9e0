// A small blob in a segment file: a mark, a checksum of all that follows, the length, the time of the put, and the
// bytes. Invalid data (the rest of a failed write) is skipped up to the next mark with a valid checksum.
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { readAt } from '../../../base/files/file-bytes.ts';
import type { Framing } from '../../../core/record-log/record.ts';

export const mostSmallBytes = 16 * 1024;
const headBytes = 20;
const mark = Buffer.from([0xb1, 0x0b, 0x5e, 0x9d]);
const bytesPerScan = 1024 * 1024;

export interface BlobRecord {
  atMs: number; // by the machine's clock
  body: Buffer;
}

export interface PlacedRecord extends BlobRecord {
  offset: number; // of the record in its file
}

export const recordBytes = (size: number): number => headBytes + size;

export const blobFraming: Framing<BlobRecord> = {
  frame: ({ body, atMs }) => [recordHead(body, atMs), body],
  end: Buffer.alloc(0),
};

function recordHead(body: Uint8Array, atMs: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  mark.copy(head);
  head.writeUInt32LE(body.length, 8);
  head.writeDoubleLE(atMs, 12);
  head.writeUInt32LE(crc32(body, crc32(head.subarray(8))), 4);
  return head;
}

// Returns the record at a position; undefined if it is invalid or incomplete.
export function recordAt(bytes: Buffer, at: number): BlobRecord | undefined {
  if (bytes.length - at < headBytes || mark.compare(bytes, at, at + mark.length) !== 0) return undefined;
  const end = at + recordBytes(bytes.readUInt32LE(at + 8));
  if (end > bytes.length || end - at > recordBytes(mostSmallBytes)) return undefined;
  if (crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) return undefined;
  return { atMs: bytes.readDoubleLE(at + 12), body: bytes.subarray(at + headBytes, end) };
}

// Whether the bytes after the last record can be the rest of an interrupted write: an incomplete record, or zeros.
export function isTornEnd(rest: Buffer): boolean {
  if (rest.length < headBytes || rest.every((byte) => byte === 0)) return true;
  const size = rest.readUInt32LE(8);
  return mark.compare(rest, 0, mark.length) === 0 && size <= mostSmallBytes && recordBytes(size) > rest.length;
}

// Yields all records of the first `size` bytes of a file.
export async function* scanRecords(file: FileHandle, size: number): AsyncGenerator<PlacedRecord, void> {
  let window: Buffer = Buffer.alloc(0);
  let start = 0; // of the window in the file
  for (let at = 0; at < size; ) {
    if (start + window.length < Math.min(size, at + recordBytes(mostSmallBytes))) {
      window = await readAt(file.fd, at, Math.min(bytesPerScan, size - at));
      start = at;
      if (window.length === 0) return;
    }
    const record = recordAt(window, at - start);
    if (record) {
      yield { ...record, offset: at };
      at += recordBytes(record.body.length);
    } else at = nextMark(window, at - start) + start;
  }
}

// A mark may begin in the last bytes of the window.
function nextMark(window: Buffer, at: number): number {
  const found = window.indexOf(mark, at + 1);
  return found >= 0 ? found : Math.max(at + 1, window.length - mark.length + 1);
}
