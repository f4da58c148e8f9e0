// A sweep refuses wrong requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from './run.ts';
import { type Source, sweep } from './sweep.ts';

const mb = 1024 * 1024;

function sourceAt(time: bigint, bytes: number): Source {
  const times = BigInt64Array.of(time);
  const lines = { ends: Uint32Array.of(bytes - 1), bytes: Buffer.allocUnsafeSlow(bytes) };
  const run: Run = { times, indexes: Uint32Array.of(0), columns: { count: 1, times, lines } };
  return { stream: 0, minNs: time, maxNs: time, load: async () => run };
}

async function countOf(sources: Source[]): Promise<number> {
  let count = 0;
  for await (const piece of sweep({ sources, streams: [{}], isBackward: false }))
    for (const { lines } of piece) count += lines.length;
  return count;
}

test('overlapping blocks are refused if they exceed the memory; others are read one after the other', async () => {
  const large = 128 * mb;
  await assert.rejects(countOf(Array.from({ length: 5 }, () => sourceAt(7n, large))), { kind: 'refused' });
  const small = Array.from({ length: 100 }, (_, n) => sourceAt(BigInt(n), 16));
  assert.equal(await countOf(small), 100);
});
