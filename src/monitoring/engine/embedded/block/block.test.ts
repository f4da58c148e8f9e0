// Chunks and blocks: written values are read again, bit by bit, and take few bytes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Chance, chanceOf, isFull, seeded } from '../../../../testing/seed.ts';
import { stale } from '../../../series.ts';
import { BlockBuilder, BlockReader, readDirectory } from './block.ts';
import { ByteCursor, ByteWriter } from './bytes.ts';
import { mostInteger, readIntegers, writeIntegers } from './integer-coding.ts';
import { readValues, writeValues } from './value-coding.ts';

const rounds = isFull ? 20_000 : 2000;

type Shape = (chance: Chance, before: number, at: number) => number;

const integers: Shape[] = [
  () => 7,
  (_chance, _before, at) => at * 15_000,
  (chance, before) => before + chance.below(100),
  (chance, before) => before + chance.below(200) - 100,
  (chance) => chance.below(256),
  (chance) => chance.below(2 ** 31) - 2 ** 30,
  (chance, before) => (chance.often(2) ? 0 : before + chance.below(1000)),
  (_chance, before, at) => before + at * at,
  (chance) => (chance.often(50) ? mostInteger : -mostInteger),
  (chance, before) => before + chance.below(2 ** 40),
  (chance) => chance.below(2 ** 20) * chance.below(2 ** 30) - 2 ** 49,
];

const odd = [0, -0, Number.NaN, stale, Infinity, -Infinity, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, -(2 ** 60)];

const values: Shape[] = [
  ...integers,
  (chance, before) => Math.round((before + chance.below(100) / 10) * 10) / 10,
  (chance) => chance.below(10_000) / 100,
  (chance) => chance.below(1_000_000_000) / 1e9,
  (chance, before) => before + chance.below(1000) / 7,
  (chance) => chance.below(2 ** 32) * 2 ** chance.below(900) * 1e-150,
  (chance) => chance.one(odd),
  (chance, before) => (chance.often(3) ? chance.one(odd) : Number.isFinite(before) ? before + 1 : 1),
  (chance) => (chance.often(5) ? 1 / 3 : chance.below(50) / 4),
];

function filled(chance: Chance, shape: Shape, count: number): Float64Array {
  const numbers = new Float64Array(count);
  let before = chance.below(1000);
  for (let at = 0; at < count; at++) numbers[at] = before = shape(chance, before, at);
  return numbers;
}

const lengthOf = (chance: Chance): number => chance.one([1, 2, 3, 4, 5, 15, 16, 17, 1 + chance.below(3000)]);

const bitsOf = (numbers: Float64Array): Buffer => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);

const assertSame = (read: Float64Array, written: Float64Array): void =>
  assert.ok(bitsOf(read).equals(bitsOf(written)), `${written.slice(0, 20)} … became ${read.slice(0, 20)} …`);

describe('chunks', () => {
  it('integers are read as written, in consecutive sequences', (t) => {
    const chance = chanceOf(t);
    for (let round = 0; round < rounds; round++) {
      const out = new ByteWriter(16);
      const sequences = Array.from({ length: 3 }, () => filled(chance, chance.one(integers), lengthOf(chance)));
      for (const sequence of sequences) writeIntegers(out, sequence, sequence.length);
      const cursor = new ByteCursor(out.written());
      for (const sequence of sequences) {
        const read = new Float64Array(sequence.length + 5);
        readIntegers(cursor, read, 2, sequence.length);
        assertSame(read.slice(2, 2 + sequence.length), sequence);
        assert.deepEqual([read[0], read[1], read.at(-1)], [0, 0, 0]);
      }
      assert.equal(cursor.at, out.length);
    }
  });

  it('values are read as written, with every bit', (t) => {
    const chance = chanceOf(t);
    for (let round = 0; round < rounds; round++) {
      const out = new ByteWriter(16);
      const written = filled(chance, chance.one(values), lengthOf(chance));
      writeValues(out, written, written.length);
      const read = new Float64Array(written.length + 3);
      const cursor = new ByteCursor(out.written());
      readValues(cursor, read, 1, written.length);
      assertSame(read.slice(1, 1 + written.length), written);
      assert.equal(cursor.at, out.length);
    }
  });

  it('truncated or changed bytes are an error or other numbers, and never hang', (t) => {
    const chance = chanceOf(t);
    for (let round = 0; round < rounds; round++) {
      const out = new ByteWriter();
      const written = filled(chance, chance.one(values), 1 + chance.below(50));
      writeValues(out, written, written.length);
      const bytes = out.written().slice(0, chance.below(out.length + 1));
      for (let times = chance.below(4); times > 0 && bytes.length > 0; times--)
        bytes[chance.below(bytes.length)] = chance.below(256);
      try {
        readValues(new ByteCursor(bytes), new Float64Array(written.length), 0, written.length);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }
  });
});

interface Series {
  id: number;
  times: Float64Array;
  values: Float64Array;
}

function blockOf(series: readonly Series[]): ReturnType<BlockBuilder['finish']> {
  const builder = new BlockBuilder();
  for (const { id, times, values: numbers } of series) builder.add(id, times, numbers, times.length);
  return builder.finish();
}

function timesOf(chance: Chance, count: number): Float64Array {
  const jitter = chance.one([0, 0, 3, 1000]);
  return Float64Array.from({ length: count }, (_, at) => 1.7e12 + at * 15_000 + chance.below(jitter + 1));
}

describe('blocks', () => {
  it('have all series, with their own or shared times, read in any order', (t) => {
    const chance = chanceOf(t);
    for (let round = 0; round < rounds / 20; round++) {
      let id = 0;
      let times = timesOf(chance, 1 + chance.below(200));
      const series = Array.from({ length: 1 + chance.below(30) }, (): Series => {
        if (chance.often(40)) times = timesOf(chance, 1 + chance.below(200));
        id += 1 + chance.below(3);
        return { id, times, values: filled(chance, chance.one(values), times.length) };
      });
      const block = blockOf(series);
      const reader = new BlockReader(readDirectory(block.directory), block.payload);
      assert.deepEqual(
        [...reader.directory.ids],
        series.map((one) => one.id),
      );
      assert.equal(
        block.samples,
        series.reduce((sum, one) => sum + one.times.length, 0),
      );
      assert.deepEqual([block.first, block.last], [series[0]?.id, id]);
      for (let reads = 0; reads < 20; reads++) {
        const at = chance.below(series.length);
        const one = series[at] as Series;
        const readTimes = new Float64Array(one.times.length + 1);
        const readNumbers = new Float64Array(one.times.length + 1);
        reader.read(at, readTimes, readNumbers, 1);
        assertSame(readTimes.slice(1), one.times);
        assertSame(readNumbers.slice(1), one.values);
      }
    }
  });

  // VictoriaMetrics 1.79 needs for the same data: 1.19, 1.44, 2.08, 7.3 and 0.05.
  for (const [title, shape, most] of [
    ['counters', (chance, before) => before + chance.below(100), 0.9],
    ['gauges that wander', (chance, before) => Math.round(before * 100 + chance.below(400) - 200) / 100, 1.3],
    ['gauges that jump', (chance) => chance.below(10_000) / 100, 1.9],
    ['full doubles', (chance, before) => before + chance.below(2 ** 32) / 2 ** 32 - 0.5, 6.9],
    ['steady counters', (_chance, before) => before + 7, 0.02],
  ] as [string, Shape, number][])
    it(`few bytes: ${title} take less than ${most} a sample`, () => {
      const chance = seeded(7);
      const times = Float64Array.from({ length: 1000 }, (_, at) => 1.7e12 + at * 15_000);
      const series = Array.from({ length: 128 }, (_, at) => ({
        id: at + 1,
        times,
        values: filled(chance, shape, 1000),
      }));
      const { directory, payload, samples } = blockOf(series);
      const size = (directory.length + payload.length) / samples;
      assert.ok(size < most, `${size} bytes`);
    });
});
