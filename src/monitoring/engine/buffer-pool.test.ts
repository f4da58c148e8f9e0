// Memory that consecutive queries share.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaseBuffers } from './buffer-pool.ts';

test('memory taken from one lease never overlaps', () => {
  using buffers = leaseBuffers();
  buffers.reserve(1000);
  const taken = [1000, 10, 300_000, 1, 600_000, 7].map((count) => buffers.take(count));
  for (const [at, numbers] of taken.entries()) numbers.fill(at);
  for (const [at, numbers] of taken.entries())
    assert.ok(
      numbers.every((number) => number === at),
      `of ${numbers.length}`,
    );
  assert.deepEqual(
    taken.map(({ length }) => length),
    [1000, 10, 300_000, 1, 600_000, 7],
  );
});

test('the next lease reuses the memory of the previous one, and concurrent leases are separate', () => {
  let before: ArrayBufferLike;
  {
    using buffers = leaseBuffers();
    buffers.reserve(2_000_000);
    before = buffers.take(2_000_000).buffer;
  }
  using buffers = leaseBuffers();
  using other = leaseBuffers();
  const [mine, others] = [buffers, other].map((one) => {
    one.reserve(1_500_000);
    return one.take(1_500_000);
  });
  assert.equal(mine?.buffer, before);
  assert.notEqual(others?.buffer, before);
});

test('very large memory is not kept', () => {
  let before: ArrayBufferLike;
  {
    using buffers = leaseBuffers();
    before = buffers.take(17 * 1024 * 1024).buffer;
  }
  using buffers = leaseBuffers();
  assert.notEqual(buffers.take(1000).buffer, before);
});
