// Mutated frames and batches: each is decoded, or refused with its error class. No other error is thrown, and no frame
// makes us allocate more than a small multiple of its own size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBatches } from '../log/batch-check.ts';
import { apis } from './apis.ts';
import { ProtocolError } from './errors.ts';
import { readRequest, writeRequest } from './frame.ts';
import { MalformedError } from './reader.ts';
import { batchHeaderAt, batchHeaderBytes, batchSizeAt, buildBatch } from './record-batch.ts';
import { readRecords, writeRecord } from './records.ts';
import { batchOf, mutate, numbers, sampleOf } from './testing.ts';

const rounds = process.env.CUMULET_FULL ? 1_000_000 : 50_000;

test(`${rounds} mutated frames crash nothing`, () => {
  const next = numbers(26);
  const frames = [...apis.values()].flatMap((api) =>
    Array.from({ length: api.versions[1] - api.versions[0] + 1 }, (_, at) => {
      const version = api.versions[0] + at;
      const header = { version, correlationId: 1, clientId: 'fuzz' };
      return Buffer.concat(writeRequest(api, header, sampleOf(api.fields.request, version))).subarray(4);
    }),
  );
  let refused = 0;
  const before = process.memoryUsage().rss;
  for (let round = 0; round < rounds; round++) {
    try {
      readRequest(mutate(frames[next(frames.length)] as Buffer, next));
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      refused++;
    }
  }
  assert.ok(refused > rounds / 4, `${refused} were refused`);
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024);
});

test('a frame that claims more elements than it has bytes for is refused before anything is allocated', () => {
  const api = apis.get(3) as NonNullable<ReturnType<typeof apis.get>>;
  const frame = Buffer.concat(writeRequest(api, { version: 1, correlationId: 1, clientId: '' }, { topics: [] }));
  frame.writeInt32BE(0x7fffffff, frame.length - 4);
  assert.throws(() => readRequest(frame.subarray(4)), MalformedError);
});

test('mutated batches crash nothing', () => {
  const next = numbers(7);
  const batches = [0, 1, 2, 3, 4].map((compression) => {
    const header = batchHeaderAt(batchOf(['a', 'bb', 'ccc']), 0);
    const records = Buffer.concat([0, 1, 2].map((delta) => writeRecord(delta, 0, Buffer.from('k'), Buffer.from('v'))));
    return buildBatch({ ...header, compression }, records);
  });
  for (let round = 0; round < rounds / 5; round++) {
    const bytes = mutate(batches[next(batches.length)] as Buffer, next);
    try {
      checkBatches(bytes, { maxBatchBytes: 1 << 20, needsKeys: false, earliest: 0, latest: 2 ** 53 });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
    }
    const size = batchSizeAt(bytes, 0);
    if (bytes.length < batchHeaderBytes || size > bytes.length || size < batchHeaderBytes) continue;
    try {
      readRecords(bytes, batchHeaderAt(bytes, 0));
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
    }
  }
});
