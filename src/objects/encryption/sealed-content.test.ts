// Content encrypted with a customer's key: all ranges, and modified bytes.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { randomHex } from '../../base/ids.ts';
import type { ByteRange } from '../engine/engine.ts';
import { type CustomerKey, newSalt, sealedTag } from './customer-key.ts';
import { openSealed, sealed, sealedSize } from './sealed-content.ts';

const bytesOf = (size: number): Buffer => Buffer.from(randomHex(size), 'hex');

const key: CustomerKey = { secret: bytesOf(32), md5: '' };
const box = 64 * 1024;

async function* inParts(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

const reads = (stored: Buffer, pieceSize: number) => ({
  get: (_handle: string, range: ByteRange = { offset: 0, length: stored.length }) =>
    inParts(stored.subarray(range.offset, range.offset + range.length), pieceSize),
});

test('[OBJ-01] encrypted content has any size and any range, and the disk has no plain text', async () => {
  for (const size of [0, 1, 15, box - 1, box, box + 1, 3 * box, 3 * box + 7]) {
    const content = Buffer.alloc(size, 'secret content ');
    const salt = newSalt();
    const sealing = sealed(inParts(content, 10_007), key, salt);
    const stored = await collect(sealing.body);
    assert.equal(stored.length, sealedSize(size));
    assert.equal(sealing.md5(), hash('md5', stored));
    assert.ok(size < 15 || !stored.includes('secret'));
    const ranges = [0, 1, box - 1, box, box + 1, size - 1].flatMap((offset) =>
      [1, 100, box, size].map((length) => ({ offset, length: Math.min(length, size - offset) })),
    );
    for (const range of ranges.filter(({ offset, length }) => offset >= 0 && length > 0)) {
      const read = openSealed(reads(stored, 4096 + 3), { handle: 'h', size, salt }, key, range);
      assert.ok((await collect(read)).equals(content.subarray(range.offset, range.offset + range.length)));
    }
  }
});

test('[OBJ-01] a modified byte, swapped boxes, another key and another blob are refused', async () => {
  const size = 3 * box;
  const salt = newSalt();
  const stored = await collect(sealed(inParts(bytesOf(size), box), key, salt).body);
  const whole = { offset: 0, length: size };
  const refuses = (bytes: Buffer, by: CustomerKey, blob: { salt: string }): Promise<void> =>
    assert.rejects(collect(openSealed(reads(bytes, box), { handle: 'h', size, ...blob }, by, whole)), /damaged/);
  const changed = Buffer.from(stored);
  changed[2 * box] = 1 ^ (changed[2 * box] ?? 0);
  await refuses(changed, key, { salt });
  const one = box + 16;
  await refuses(Buffer.concat([stored.subarray(one, 2 * one), stored.subarray(0, one)]), key, { salt });
  await refuses(stored, { secret: bytesOf(32), md5: '' }, { salt });
  await refuses(stored, key, { salt: newSalt() });
});

test('the entity tag of encrypted content depends on the key', () => {
  const md5 = Buffer.from(hash('md5', 'content'), 'hex');
  assert.deepEqual(sealedTag(key, md5), sealedTag(key, md5));
  assert.notDeepEqual(sealedTag({ secret: bytesOf(32), md5: '' }, md5), sealedTag(key, md5));
});
