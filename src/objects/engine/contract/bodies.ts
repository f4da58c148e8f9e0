// Bodies for the contract suite: bytes derived from a number, at once or piece by piece.
import { crc32 } from 'node:zlib';
import type { BlobEngine, ByteRange } from '../engine.ts';

export interface BlobBench {
  engine: BlobEngine;
  leftovers(): Promise<string[]>; // what the store still has of unfinished or removed blobs
  close(): Promise<void>;
}

export type Case = (title: string, run: (bench: BlobBench) => Promise<void>) => void;

// Different for every number.
export function bytesOf(number: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 31 + number * 7 + (at >>> 8) + (at >>> 16)) & 0xff;
  if (size >= 4) bytes.writeUInt32LE(number, 0);
  return bytes;
}

export async function* piecesOf(bytes: Uint8Array, pieceBytes = 64 * 1024): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

// A body of any size that takes no memory, and calls back for each piece.
export async function* largeBody(size: number, onPiece: () => void = () => {}): AsyncGenerator<Uint8Array, void> {
  const piece = bytesOf(5, 64 * 1024);
  for (let left = size; left > 0; left -= piece.length) {
    onPiece();
    yield piece.subarray(0, left);
  }
}

export async function sumOf(pieces: AsyncIterable<Uint8Array>): Promise<{ size: number; crc: number }> {
  let size = 0;
  let crc = 0;
  for await (const piece of pieces) {
    size += piece.length;
    crc = crc32(piece, crc);
  }
  return { size, crc };
}

export async function read(engine: BlobEngine, handle: string, range?: ByteRange): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of engine.get(handle, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}
