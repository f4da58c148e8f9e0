// The broker's periodic jobs in a region whose clock is ahead of its clients'.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silent } from '../../base/log.ts';
import type { Cluster } from './handlers/handler.ts';
import { Segment } from './log/segment.ts';
import { testLog } from './log/testing.ts';
import { clean } from './maintenance.ts';
import { batchOf } from './wire/testing.ts';

const dayMs = 86_400_000;

test('cleaning in a region that is days ahead keeps producers that just wrote, and closes files', async (t) => {
  const { log, clock } = await testLog(t, { segmentBytes: 100 });
  clock.now = () => clock.real() + 30 * dayMs;
  clock.advance(40 * dayMs);
  const produce = (baseSequence: number, time: number) =>
    log.append(batchOf(['x'.repeat(100)], { producerId: 9, producerEpoch: 0, baseSequence, time }), 0);
  await produce(0, clock.real());
  await produce(1, 0); // an event with an old time
  await log.roll();
  await log.sync();
  const topics = { partitions: [{ topic: { name: 't' }, index: 0, log }] };
  const settingNames: string[] = [];
  const settings = { number: (name: string) => settingNames.push(name) && dayMs };
  const given = { clock, topics, settings, nodes: { controller: 1 }, storageBytes: 1e9, log: silent };
  const cluster = given as unknown as Cluster;
  clock.advance(61_000);
  const closed = t.mock.method(Segment.prototype, 'close');
  await clean(cluster);
  assert.equal(closed.mock.callCount(), 2, 'all but the last segment');
  assert.equal((await produce(1, 0)).baseOffset, 1, 'a repetition');
  clock.advance(dayMs);
  await clean(cluster);
  assert.equal(log.producers.producers.size, 0);
  assert.deepEqual([...new Set(settingNames)], ['producer.id.expiration.ms']);
});
