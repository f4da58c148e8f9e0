// Content encrypted with a customer's key: AES-256-GCM in boxes of 64 KiB, each with its own tag. A range is read by
// decrypting the boxes that it touches, and no byte is returned before its box is authenticated. The key belongs to one
// blob and the nonce is the number of the box, so boxes can't be swapped or moved.
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { DamagedBlob } from '../engine/byte-range.ts';
import type { BlobEngine, ByteRange } from '../engine/engine.ts';
import { type CustomerKey, contentKey } from './customer-key.ts';

const algorithm = 'aes-256-gcm';
const plainBytes = 64 * 1024; // of a box, except the last one
const tagBytes = 16;
const boxBytes = plainBytes + tagBytes;

export const sealedSize = (size: number): number => size + Math.ceil(size / plainBytes) * tagBytes;

export interface Sealing {
  body: AsyncIterable<Buffer>; // to be iterated once, to its end
  md5(): string; // of the encrypted bytes, in hexadecimal digits, after the end of the body
}

export function sealed(content: AsyncIterable<Uint8Array>, key: CustomerKey, salt: string): Sealing {
  const md5 = createHash('md5');
  return { body: seal(content, contentKey(key, salt), md5), md5: () => md5.digest('hex') };
}

async function* seal(
  content: AsyncIterable<Uint8Array>,
  key: Buffer,
  md5: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const piece of inPieces(content, plainBytes)) {
    const cipher = createCipheriv(algorithm, key, nonce(number++));
    const box = Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
    md5.update(box);
    yield box;
  }
}

export interface SealedBlob {
  handle: string;
  size: number; // of the content, without tags
  salt: string;
}

export async function* openSealed(
  blobs: Pick<BlobEngine, 'get'>,
  { handle, size, salt }: SealedBlob,
  customerKey: CustomerKey,
  { offset, length }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const key = contentKey(customerKey, salt);
  const first = Math.floor(offset / plainBytes);
  const start = first * boxBytes;
  const end = Math.min(Math.ceil((offset + length) / plainBytes) * boxBytes, sealedSize(size));
  let number = first;
  let skipped = offset - first * plainBytes;
  let left = length;
  for await (const box of inPieces(blobs.get(handle, { offset: start, length: end - start }), boxBytes)) {
    const plain = open(box, key, number++, handle).subarray(skipped, skipped + left);
    skipped = 0;
    left -= plain.length;
    yield plain;
  }
}

function open(box: Buffer, key: Buffer, number: number, handle: string): Buffer {
  const end = box.length - tagBytes;
  const decipher = createDecipheriv(algorithm, key, nonce(number), { authTagLength: tagBytes });
  try {
    decipher.setAuthTag(box.subarray(end));
    return Buffer.concat([decipher.update(box.subarray(0, end)), decipher.final()]);
  } catch (error) {
    throw new DamagedBlob(handle, error);
  }
}

function nonce(number: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(number, 6, 6);
  return bytes;
}

// Yields the same bytes in pieces of equal size; the last one may be shorter.
async function* inPieces(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of content) {
    let at = 0;
    while (bytes + piece.length - at >= size) {
      const end = at + size - bytes;
      yield Buffer.concat([...held, piece.subarray(at, end)]);
      [held, bytes, at] = [[], 0, end];
    }
    if (at === piece.length) continue;
    held.push(piece.subarray(at));
    bytes += piece.length - at;
  }
  if (bytes > 0) yield Buffer.concat(held);
}
