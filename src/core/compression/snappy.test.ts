// Snappy both ways, by hand-made elements, by round trips and by garbage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32c } from '../../base/crc32c.ts';
import { numbers } from '../push/testing.ts';
import { CompressionError } from './compression-error.ts';
import { compress, uncompress, uncompressBlocks } from './snappy.ts';
import { isFramed, uncompressFrames } from './snappy-frames.ts';

const most = 1 << 20;
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const text = (hex: string): string => uncompress(bytes(hex), most).toString();
const unreadable = (why: RegExp) => (error: unknown) => error instanceof CompressionError && why.test(error.message);

test('each kind of element is read', () => {
  assert.equal(text('00'), '');
  assert.equal(text('03 08 616263'), 'abc');
  assert.equal(text('07 08 616263 01 03'), 'abcabca', 'a copy with one byte of distance');
  assert.equal(text('08 08 616263 12 0300'), 'abcabcab', 'with two');
  assert.equal(text('08 08 616263 13 03000000'), 'abcabcab', 'with four');
  assert.equal(text('0c 00 61 2a 0100'), 'a'.repeat(12), 'a copy of itself, byte by byte');
  assert.equal(text('0d 04 6162 2a 0200'), 'abababababab'.padEnd(13, 'a'));
  const long = 'x'.repeat(300);
  assert.equal(uncompress(Buffer.concat([bytes('ac02 f4 2b01'), Buffer.from(long)]), most).toString(), long);
  const short = 'y'.repeat(61);
  assert.equal(uncompress(Buffer.concat([bytes('3d f0 3c'), Buffer.from(short)]), most).toString(), short);
});

test('the output of another encoder is read', () => {
  // Of Go's and C++'s encoders: a literal, then copies that overlap themselves.
  assert.equal(text('14 0c 61626364 3e 0400'), 'abcd'.repeat(5));
});

test('broken blocks are unreadable', () => {
  const cases: [hex: string, why: RegExp][] = [
    ['', /length/],
    ['80808080', /length/],
    ['ffffffffff', /length/],
    ['05 10 61', /beyond its end/],
    ['03 08 61626364', /beyond its end/],
    ['05 08 616263', /shorter/],
    ['08 08 616263 12 04', /cut off/],
    ['08 08 616263 12 0400', /beyond its ends/],
    ['08 08 616263 12 0000', /beyond its ends/],
    ['07 08 616263 01', /cut off/],
    ['07 08 616263 13 030000', /cut off/],
    ['07 08 616263 21 03', /beyond its ends/],
    ['04 08 616263 fe 0100', /beyond its ends/],
    ['02 f0', /cut off/],
    ['40 f0', /promises/],
    ['40 fc ffffffff', /beyond its end/],
  ];
  for (const [hex, why] of cases) assert.throws(() => text(hex), unreadable(why), hex);
});

test('a length is checked before memory is allocated for it', () => {
  const before = process.memoryUsage().arrayBuffers;
  assert.throws(
    () => uncompress(bytes('ffffffff0f 00 61'), most),
    (error) => error instanceof CompressionError && error.tooLarge,
  );
  assert.throws(() => uncompress(bytes('ffffffff0f 00 61'), 2 ** 32), unreadable(/promises/));
  assert.ok(process.memoryUsage().arrayBuffers - before < 1 << 20);
});

test('texts of many kinds come back, and repetitive ones are small', () => {
  const next = numbers(7);
  const runs = Array.from({ length: 300 }, (_, length) => Buffer.alloc(length, length % 2 ? 'a' : 'ab'));
  const texts = [
    ...runs,
    Buffer.alloc(0),
    Buffer.from('a'),
    Buffer.from('abc'),
    Buffer.alloc(70_000, 1),
    Buffer.alloc(3, 2),
  ];
  for (let round = 0; round < 200; round++) {
    const alphabet = 1 + next(256);
    texts.push(Buffer.from(Array.from({ length: next(3000) }, () => next(alphabet))));
  }
  const far = Buffer.from(Array.from({ length: 200_000 }, () => next(256)));
  texts.push(far, Buffer.concat([far, far]));
  for (const [at, each] of texts.entries()) {
    const small = compress(each);
    assert.ok(uncompress(small, most).equals(each), `text ${at}`);
    assert.ok(small.length <= each.length + each.length / 6 + 32);
  }
  assert.ok(compress(Buffer.from('http_requests_total{job="a"} '.repeat(1000))).length < 2500);
});

test('mangled blocks are unreadable or have the announced length', () => {
  const next = numbers(11);
  const good = compress(Buffer.from('series{a="b",c="d"} 12 '.repeat(50)));
  for (let round = 0; round < 20_000; round++) {
    const bad = Buffer.from(good);
    for (let change = next(4); change >= 0; change--) bad[next(bad.length)] = next(256);
    const cut = bad.subarray(0, next(3) === 0 ? next(bad.length) : bad.length);
    try {
      assert.ok(uncompress(cut, 4096).length <= 4096);
    } catch (error) {
      if (!(error instanceof CompressionError)) throw error;
    }
  }
});

test('several blocks are read into one buffer, whose size is checked before it is allocated', () => {
  const texts = ['', 'a', 'b'.repeat(70_000), 'abc'.repeat(100)];
  const blocks = texts.map((each) => compress(Buffer.from(each)));
  const result = uncompressBlocks(blocks, most);
  uncompress(compress(Buffer.alloc(most, 'z')), most);
  assert.equal(result.toString(), texts.join(''));
  assert.throws(
    () => uncompressBlocks(blocks, 70_300),
    (error) => error instanceof CompressionError && error.tooLarge,
  );
});

function frame(kind: number, body: Buffer, sum?: number): Buffer {
  const head = Buffer.alloc(sum === undefined ? 4 : 8);
  head[0] = kind;
  head.writeUIntLE(body.length + head.length - 4, 1, 3);
  if (sum !== undefined) head.writeUInt32LE((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0, 4);
  return Buffer.concat([head, body]);
}

test('the framed stream is read, checked and bounded', () => {
  const start = bytes('ff060000734e61507059');
  const a = Buffer.from('abc'.repeat(100));
  const b = Buffer.from('tail');
  const parts = [start, frame(0, compress(a), crc32c(a)), frame(0xfe, Buffer.alloc(9)), frame(1, b, crc32c(b))];
  const stream = Buffer.concat([...parts, start]);
  assert.ok(isFramed(stream));
  assert.equal(isFramed(compress(a)), false);
  assert.equal(uncompressFrames(stream, most).toString(), `${a}${b}`);
  assert.throws(
    () => uncompressFrames(stream, 10),
    (error) => error instanceof CompressionError && error.tooLarge,
  );
  assert.throws(() => uncompressFrames(stream.subarray(0, 40), most), unreadable(/cut off/));
  assert.throws(() => uncompressFrames(Buffer.concat([start, frame(1, b, 1)]), most), unreadable(/checksum/));
  assert.throws(() => uncompressFrames(Buffer.concat([start, frame(2, b, 1)]), most), unreadable(/kind 2/));
});
