// A response to a reader of committed records contains more than the records.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBudget } from '../connection/memory-budget.ts';
import { ResponseMemory } from '../connection/response-memory.ts';
import { testLog } from '../log/testing.ts';
import { batchOf, valuesIn } from '../wire/testing.ts';
import { handleFetch } from './fetch.ts';
import type { Call } from './handler.ts';

test('lists the aborted transactions of its own records, not of all later ones', async (t) => {
  const { log, clock } = await testLog(t);
  for (const producerId of [1, 2, 3]) {
    const producer = { producerId, producerEpoch: 0, baseSequence: 0, isTransactional: true };
    await log.append(batchOf([`of ${producerId}`], producer), 0);
  }
  for (const id of [1, 2, 3]) await log.appendMarker({ id, epoch: 0 }, false, 0);
  const topic = { partitions: [{ log, leader: 1, leaderEpoch: 0 }] };
  const cluster = { clock, topics: { byName: new Map([['t', topic]]) }, quotas: { consumed: () => 0 } };
  const memory = new MemoryBudget({ limitBytes: 1e9, stallTimeoutMs: 1_000, now: () => 0 });
  const responseMemory = new ResponseMemory(memory, { bytes: 0, awaitedSinceMs: undefined, close: () => {} });
  const call = {
    cluster,
    nodeId: 1,
    version: 4,
    client: { isGone: false, onGone: () => () => {} },
    memory: responseMemory,
  };
  const ask = async (fetchOffset: number, partitionMaxBytes: number) => {
    const partitions = [{ partition: 0, currentLeaderEpoch: -1, fetchOffset, partitionMaxBytes }];
    const request = {
      minBytes: 0,
      maxBytes: 1e6,
      maxWaitMs: 0,
      isolationLevel: 1,
      topics: [{ topic: 't', partitions }],
    };
    const answer = await handleFetch(request as unknown as Parameters<typeof handleFetch>[0], call as unknown as Call);
    const { abortedTransactions, records } = answer?.responses?.[0]?.partitions?.[0] ?? {};
    return { aborted: abortedTransactions?.map(({ producerId }) => producerId), values: valuesIn(records as Buffer) };
  };
  assert.deepEqual(await ask(0, 1), { aborted: [1], values: ['0=of 1'] });
  assert.deepEqual(await ask(1, 1), { aborted: [1, 2], values: ['1=of 2'] });
  assert.deepEqual((await ask(0, 1e6)).aborted, [1, 2, 3]);
});
