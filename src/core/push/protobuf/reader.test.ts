// Numbers on the wire, both ways, and what is cut off or mangled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreadablePush } from '../push-body.ts';
import { isStale, stale } from '../stale-marker.ts';
import { ProtobufReader } from './reader.ts';
import { ProtobufWriter } from './writer.ts';

const hex = (text: string): ProtobufReader => new ProtobufReader(Buffer.from(text.replaceAll(' ', ''), 'hex'));

test('whole numbers of every length come back', () => {
  const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 28 - 1, 2 ** 28, 2 ** 31, 2 ** 32, 1_700_000_000_123];
  for (const number of [...numbers, 2 ** 53 - 1, -1, -127, -(2 ** 31), -1_700_000_000_123, -(2 ** 53 - 1)]) {
    const out = new ProtobufWriter(1);
    out.int64(2, number);
    const wire = new ProtobufReader(out.written);
    const end = out.written.length;
    assert.equal(wire.tag(end), 16);
    assert.equal(wire.varint(end), number);
    assert.equal(wire.at, end);
  }
});

test('a negative number is read as the ten bytes that Go writes', () => {
  assert.equal(hex('ffffffffffffffffff01').varint(10), -1);
  assert.equal(hex('80808080808080808001').varint(10), -(2 ** 63));
});

test('doubles keep their bits, and the marker of an ended series differs from other NaNs', () => {
  for (const value of [0, -0, 1.5, Number.MAX_VALUE, 5e-324, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    const out = new ProtobufWriter();
    out.double(1, value);
    const wire = new ProtobufReader(out.written);
    wire.tag(9);
    assert.ok(Object.is(wire.double(9), value));
  }
  assert.ok(isStale(hex('020000000000f07f').double(8)));
  assert.ok(isStale(hex('020000000000f87f').double(8)));
  for (const other of [
    '010000000000f87f',
    '000000000000f87f',
    '030000000000f07f',
    '020000000100f07f',
    '020000000000f0ff',
  ])
    assert.equal(isStale(hex(other).double(8)), false, other);
  const out = new ProtobufWriter();
  out.double(1, stale);
  assert.equal(out.written.toString('hex'), '09020000000000f07f');
});

test('nanoseconds are divided without losing a millisecond', () => {
  for (const ns of [0n, 999_999n, 1_544_712_660_300_000_000n, 1_544_712_660_299_999_999n, 2n ** 64n - 1n]) {
    const out = new ProtobufWriter();
    out.fixed64(3, ns);
    const wire = new ProtobufReader(out.written);
    wire.tag(9);
    assert.equal(wire.nanosecondsAsMs(9), Number(ns / 1_000_000n), String(ns));
  }
  assert.equal(hex('ffffffffffffffff').signed64(8), -1);
  assert.equal(hex('ffffffffffffffff').unsigned64(8), 2 ** 64);
});

test('a truncated or unknown message is unreadable', () => {
  const cases: [bytes: string, read: (wire: ProtobufReader, end: number) => unknown][] = [
    ['80', (wire, end) => wire.varint(end)],
    ['', (wire, end) => wire.varint(end)],
    ['ffffffffffffffffffff01', (wire, end) => wire.varint(end)],
    ['05', (wire, end) => wire.until(end)],
    ['ffffffffffffffffff01', (wire, end) => wire.until(end)],
    ['00000000000000', (wire, end) => wire.double(end)],
    ['00', (wire, end) => wire.tag(end)],
    ['ffffffffff01', (wire, end) => wire.tag(end)],
    ['00', (wire, end) => wire.skip(0x0b, end)],
    ['00', (wire, end) => wire.skip(0x0d, end)],
    ['03 00 00', (wire, end) => wire.skip(0x0a, end)],
  ];
  for (const [bytes, read] of cases) {
    const wire = hex(bytes);
    assert.throws(() => read(wire, wire.bytes.length), UnreadablePush, bytes);
  }
});

test('fields of every kind can be skipped', () => {
  const wire = hex('08 ac02  11 0102030405060708  1a 03 616263  25 01020304  28 01');
  const end = wire.bytes.length;
  for (let fields = 0; fields < 4; fields++) wire.skip(wire.tag(end), end);
  assert.equal(wire.tag(end), 0x28);
  assert.equal(wire.varint(end), 1);
});

test('messages inside of messages grow the room and get their lengths', () => {
  const out = new ProtobufWriter(1);
  out.message(1, () => {
    out.text(1, 'a'.repeat(200));
    out.message(2, () => out.bytes(3, Buffer.alloc(20_000, 7)));
  });
  const wire = new ProtobufReader(out.written);
  const end = out.written.length;
  assert.equal(wire.tag(end), 10);
  assert.equal(wire.until(end), end);
  wire.skip(wire.tag(end), end);
  assert.equal(wire.tag(end), 18);
  assert.equal(wire.until(end), end);
  assert.equal(wire.tag(end), 26);
  assert.equal(wire.until(end) - wire.at, 20_000);
});
