// How the settings of a topic affect appended batches: codec, times, syncs, and when segments close and are compacted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes } from '../wire/errors.ts';
import { batchHeaderAt } from '../wire/record-batch.ts';
import { codecs, recompress } from '../wire/records.ts';
import { batchOf } from '../wire/testing.ts';
import { compact, isCompactionDue } from './compaction.ts';
import { newestOffset, offsetAtTime, readLog } from './read.ts';
import { readAll, testLog } from './testing.ts';

test('a topic with its own codec stores all batches in it, and detects repeated batches as sent', async (t) => {
  const test = await testLog(t, { compression: codecs.lz4 });
  const producer = { producerId: 7, producerEpoch: 0, baseSequence: 0 };
  const [first, again] = [batchOf(['a', 'b'], producer), batchOf(['a', 'b'], producer)];
  await test.log.append(Buffer.concat([batchOf(['x']), batchOf(['y'])]), 3);
  assert.equal((await test.log.append(first, 3)).baseOffset, 2);
  assert.equal((await test.log.append(again, 3)).baseOffset, 2);
  assert.deepEqual(await readAll(test.log), ['0=x', '1=y', '2=a', '3=b']);
  await test.reopen();
  assert.deepEqual(await readAll(test.log), ['0=x', '1=y', '2=a', '3=b']);
  const range = { offset: 0, maxBytes: 10_000, below: 4, atLeastOne: true };
  assert.equal(batchHeaderAt(await readLog(test.log, range, 0), 0).compression, codecs.lz4);
  const broken = batchOf(['z'], { compression: codecs.zstd }); // its records are not compressed at all
  await assert.rejects(test.log.append(broken, 3), { code: errorCodes.CORRUPT_MESSAGE });
});

test('records whose time is too far from the broker’s are refused, unless the broker stamps them', async (t) => {
  const near = { timestampBeforeMs: 400, timestampAfterMs: 100 };
  const { log } = await testLog(t, near);
  for (const time of [600, 1_100, -1]) await log.append(batchOf(['x'], { time }), 0);
  for (const time of [599, 1_101])
    await assert.rejects(log.append(batchOf(['x'], { time }), 0), { code: errorCodes.INVALID_TIMESTAMP });
  const stamped = await testLog(t, { ...near, isLogAppendTime: true });
  await stamped.log.append(batchOf(['x'], { time: 5 }), 0);
});

test('flush.messages and flush.ms sync before the answer, instead of the timer', async (t) => {
  const counted = await testLog(t, { flushMessages: 2 });
  const synced = [];
  for (const text of ['a', 'b', 'c']) {
    await counted.log.append(batchOf([text]), 0);
    synced.push(counted.log.active.synced === counted.log.active.size);
  }
  assert.deepEqual(synced, [false, true, false]);
  const timed = await testLog(t, { flushMs: 5_000 });
  await timed.log.append(batchOf(['a']), 0);
  assert.equal(timed.log.active.synced, 0);
  timed.clock.advance(5_000);
  await timed.log.append(batchOf(['b']), 0);
  assert.equal(timed.log.active.synced, timed.log.active.size);
});

test('max.compaction.lag.ms closes segments in time; compaction waits until enough is new', async (t) => {
  const config = { isCompacted: true, isDeleting: false, maxCompactionLagMs: 10_000, minDirtyRatio: 0.5 };
  const { log, clock } = await testLog(t, config);
  await log.append(batchOf(['a:1', 'b:1']), 0);
  assert.ok(!isCompactionDue(log, clock.now()));
  clock.advance(10_001);
  await log.append(batchOf(['a:2']), 0);
  assert.equal(log.segments.length, 2);
  assert.ok(isCompactionDue(log, clock.now()));
  await compact(log, clock.now());
  assert.ok(!isCompactionDue(log, clock.now()));
  await log.roll();
  assert.ok(!isCompactionDue(log, clock.now()), 'less than half of it is new');
  assert.ok(isCompactionDue(log, clock.now() + 10_001), 'but it has waited too long');
});

for (const codec of ['gzip', 'snappy', 'lz4', 'zstd'] as const)
  test(`a ${codec} batch that expands too far is refused, and found by time as a whole`, async (t) => {
    const most = 100 * 1024 * 1024;
    const plain = batchOf(['k:first', `k:${'x'.repeat(9 * 1024 * 1024)}`], { time: 500 });
    const large = recompress(plain, batchHeaderAt(plain, 0), { codec: codecs[codec] }, most);
    const ownCodec = codec === 'zstd' ? codecs.gzip : codecs.zstd;
    for (const config of [{ isCompacted: true }, { compression: ownCodec }]) {
      const looking = await testLog(t, config);
      await assert.rejects(looking.log.append(Buffer.from(large), 0), { code: errorCodes.MESSAGE_TOO_LARGE });
    }
    const { log } = await testLog(t);
    await log.append(batchOf(['a'], { time: 400 }), 0);
    await log.append(large, 0);
    assert.deepEqual(await offsetAtTime(log, 450, 3), { offset: 1, timestamp: 500 });
    assert.deepEqual(await newestOffset(log, 3), { offset: 1, timestamp: 500 });
  });
