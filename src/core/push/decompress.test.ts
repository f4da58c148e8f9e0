// Compressed bodies, and those that promise too much.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as zlib from 'node:zlib';
import { compress } from '../compression/snappy.ts';
import { decompress } from './decompress.ts';
import { type PushCoding, UnreadablePush } from './push-body.ts';

const text = Buffer.from('up{job="a"} 1\n'.repeat(5000));
const bodies: [PushCoding, Buffer][] = [
  ['identity', text],
  ['snappy', compress(text)],
  ['gzip', zlib.gzipSync(text)],
  ['zstd', zlib.zstdCompressSync(text)],
  ['deflate', zlib.deflateSync(text)],
  ['deflate', zlib.deflateRawSync(text)],
];

test('every coding restores the text', () => {
  for (const [coding, body] of bodies) assert.ok(decompress(body, coding, text.length).equals(text), coding);
});

test('a body that is part of a larger buffer is read from its offset', () => {
  for (const [coding, body] of bodies) {
    const padded = new Uint8Array(body.length + 20);
    padded.set(body, 7);
    assert.ok(decompress(padded.subarray(7, 7 + body.length), coding, text.length).equals(text), coding);
  }
});

test('a body that expands beyond the limit is too large, in every coding', () => {
  for (const [coding, body] of bodies) {
    assert.throws(
      () => decompress(body, coding, text.length - 1),
      (error) => error instanceof UnreadablePush && error.tooLarge,
      coding,
    );
  }
});

test('a bomb is stopped at the limit', () => {
  const zeros = Buffer.alloc(64 << 20);
  const before = process.memoryUsage().arrayBuffers;
  for (const [coding, body] of [
    ['gzip', zlib.gzipSync(zeros)],
    ['zstd', zlib.zstdCompressSync(zeros)],
    ['deflate', zlib.deflateSync(zeros)],
  ] as const) {
    assert.ok(body.length < 100_000);
    assert.throws(
      () => decompress(body, coding, 1 << 20),
      (error) => error instanceof UnreadablePush && error.tooLarge,
      coding,
    );
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 16 << 20);
});

test('a frame of zstd that wants a larger window than the text may be is refused', () => {
  const window = Buffer.from('28b52ffd00a00100002a', 'hex'); // no length, a window of 1 GB, one block of one byte
  assert.throws(() => decompress(window, 'zstd', 1 << 20), UnreadablePush);
});

test('a body in another coding is unreadable', () => {
  for (const coding of ['snappy', 'gzip', 'zstd', 'deflate'] as const) {
    for (const body of [Buffer.alloc(0), Buffer.from('not compressed'), Buffer.alloc(100, 255)]) {
      assert.throws(() => decompress(body, coding, 1000), UnreadablePush, `${coding} ${body.length}`);
    }
  }
});
