// Compressed data is restored by our own decoders, and by those of others (test/clients/streaming).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchHeaderAt, hasRightCrc } from './record-batch.ts';
import { codecs, readRecords, recompress } from './records.ts';
import { batchOf, numbers } from './testing.ts';

const next = numbers(7);
const noise = (length: number): string => Array.from({ length }, () => String.fromCharCode(65 + next(57))).join('');
const samples: Record<string, string> = {
  nothing: '',
  'one letter': 'a',
  'a short repetition': 'abcabcabcabcabcabcabc',
  'a long repetition': 'ab'.repeat(100_000),
  noise: noise(100_000),
  'both, over several blocks': Array.from({ length: 300 }, (_, at) => `${noise(next(400))}order ${at} `).join(''),
};

for (const [codec, number] of Object.entries(codecs))
  test(`${codec} restores everything, and compresses repetitions well`, () => {
    for (const [what, value] of Object.entries(samples)) {
      const batch = batchOf([value, `k:${value}`]);
      const compressed = recompress(batch, batchHeaderAt(batch, 0), { codec: number }, batch.length);
      const header = batchHeaderAt(compressed, 0);
      assert.equal(header.compression, number);
      assert.ok(hasRightCrc(compressed, 0, compressed.length), what);
      const values = readRecords(compressed, header).map((record) => String(record.value ?? ''));
      assert.ok(values.length === 2 && values.every((one) => one === value), what); // a difference would be long
      if (what === 'a long repetition' && number > 0) assert.ok(compressed.length < batch.length / 15, codec);
    }
  });
