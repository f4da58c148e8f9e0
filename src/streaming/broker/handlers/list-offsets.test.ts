// One request can name very many partitions; the memory that it uses at a time must not grow with them.
import assert from 'node:assert/strict';
import type { FileHandle } from 'node:fs/promises';
import { test } from 'node:test';
import { testLog } from '../log/testing.ts';
import { batchOf } from '../wire/testing.ts';
import type { Call } from './handler.ts';
import { handleListOffsets } from './list-offsets.ts';

test('looks up times one after the other, so that a request holds one buffer', async (t) => {
  const { log } = await testLog(t);
  await log.append(batchOf(['a'], { time: 5 }), 0);
  const partition = { log, leader: 1, leaderEpoch: 0 };
  const call = { nodeId: 1, cluster: { topics: { find: () => partition } } } as unknown as Call;
  let reads = 0;
  let most = 0;
  const methods = Object.getPrototypeOf(await log.active.handle()) as FileHandle;
  const read = methods.read;
  t.mock.method(methods, 'read', async function (this: FileHandle, ...words: Parameters<FileHandle['read']>) {
    most = Math.max(most, ++reads);
    try {
      return await read.apply(this, words);
    } finally {
      reads--;
    }
  });
  const partitions = Array.from({ length: 200 }, (_, partitionIndex) => ({
    partitionIndex,
    currentLeaderEpoch: -1,
    timestamp: 5,
  }));
  const request = { replicaId: -1, isolationLevel: 0, timeoutMs: 0, topics: [{ name: 't', partitions }] };
  const answer = await handleListOffsets(request as Parameters<typeof handleListOffsets>[0], call);
  assert.deepEqual(
    answer?.topics?.[0]?.partitions?.map(({ offset }) => offset),
    partitions.map(() => 0),
  );
  assert.equal(most, 1);
});
