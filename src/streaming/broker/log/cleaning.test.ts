// What takes records away from a log, the search by time, and the broker's own key-value log.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { errorCodes } from '../wire/errors.ts';
import { batchHeaderAt, buildBatch } from '../wire/record-batch.ts';
import { batchOf } from '../wire/testing.ts';
import { compact } from './compaction.ts';
import { KeyValueLog } from './key-value-log.ts';
import { newestOffset, offsetAtTime } from './read.ts';
import { deleteRecords, enforceRetention, enforceStorage } from './retention.ts';
import { readAll, testFolder, testLog } from './testing.ts';

suite('retention [STREAM-07]', () => {
  test('by time takes whole segments, and the last one when all of it is too old', async (t) => {
    const test = await testLog(t, { segmentBytes: 200, retentionMs: 1_000 });
    for (const time of [1_000, 1_500, 2_600]) await test.log.append(batchOf(['x'.repeat(100)], { time }), 0);
    await enforceRetention(test.log, 2_550);
    assert.equal(test.log.startOffset, 2);
    await enforceRetention(test.log, 4_000);
    assert.equal(test.log.startOffset, 3);
    assert.equal(test.log.sizeBytes, 0);
    await test.reopen();
    assert.equal(test.log.startOffset, 3);
    assert.equal((await test.log.append(batchOf(['next']), 0)).baseOffset, 3);
  });

  test('by time counts from when a record came, where the region is ahead of its clients', async (t) => {
    const test = await testLog(t, { retentionMs: 1_000 });
    test.clock.offset = () => 5_000;
    await test.log.append(batchOf(['x'], { time: 1_000 }), 0);
    for (const log of [test.log, await test.reopen()]) {
      await enforceRetention(log, 6_900);
      assert.equal(log.startOffset, 0);
    }
    await enforceRetention(test.log, 7_100);
    assert.equal(test.log.startOffset, 1);
  });

  test('by size keeps at least as much as it says', async (t) => {
    const { log } = await testLog(t, { segmentBytes: 200, retentionBytes: 400 });
    for (let at = 0; at < 6; at++) await log.append(batchOf(['x'.repeat(100)]), 0);
    await enforceRetention(log, 1_000);
    assert.ok(log.sizeBytes >= 400 && log.sizeBytes < 600, `${log.sizeBytes}`);
  });

  test("by the cluster's storage takes the oldest segments of all logs", async (t) => {
    const [one, two] = [await testLog(t, { segmentBytes: 200 }), await testLog(t, { segmentBytes: 200 })];
    for (const [at, { log }] of [one, two, one, two, one].entries())
      await log.append(batchOf(['x'.repeat(100)], { time: at }), 0);
    await enforceStorage([one.log, two.log], 400);
    assert.equal(one.log.sizeBytes + two.log.sizeBytes, 340);
    assert.equal(one.log.startOffset, 2);
    assert.equal(two.log.startOffset, 1);
  });

  test('by time loses nothing of what is written while the last segment is closed', async (t) => {
    const { log } = await testLog(t, { retentionMs: 1_000 });
    await log.append(batchOf(['old'], { time: 1_000 }), 0);
    const cleaning = enforceRetention(log, 5_000);
    await log.append(batchOf(['new'], { time: 5_000 }), 0);
    await Promise.all([cleaning, log.roll(), log.roll()]);
    await log.append(batchOf(['next'], { time: 5_000 }), 0);
    assert.deepEqual(await readAll(log, 1), ['1=new', '2=next']);
    assert.deepEqual(
      log.segments.map(({ baseOffset }) => baseOffset),
      [1, 2],
    );
  });

  test('DeleteRecords moves the start for good', async (t) => {
    const test = await testLog(t);
    for (const text of ['a', 'b', 'c']) await test.log.append(batchOf([text]), 0);
    assert.equal(await deleteRecords(test.log, 2), 2);
    await assert.rejects(deleteRecords(test.log, 4), { code: errorCodes.OFFSET_OUT_OF_RANGE });
    await test.reopen();
    assert.deepEqual(await readAll(test.log), ['2=c']);
    assert.equal(await deleteRecords(test.log, -1), 3);
  });

  test('DeleteRecords of several clients at once takes only what each asked for', async (t) => {
    const test = await testLog(t, { segmentBytes: 100 });
    for (let at = 0; at < 10; at++) await test.log.append(batchOf(['x'.repeat(100)]), 0);
    await Promise.all([1, 2, 3, 4].map((before) => deleteRecords(test.log, before)));
    assert.equal(test.log.segments.length, 6);
    assert.equal((await readAll(test.log)).length, 6);
    await test.reopen();
    assert.equal(test.log.startOffset, 4);
    assert.equal((await readAll(test.log)).length, 6);
  });
});

suite('compaction', () => {
  test('keeps the newest record of each key at its offset, then drops tombstones, and survives a crash', async (t) => {
    const test = await testLog(t, { segmentBytes: 150, isCompacted: true, isDeleting: false });
    for (const batch of [['a:1', 'b:1'], ['a:2', 'c:1'], ['b:', 'd:1'], ['a:3']])
      await test.log.append(batchOf(batch), 0);
    await test.log.roll();
    await compact(test.log, 2_000);
    assert.deepEqual(await readAll(test.log), ['3=1', '4=', '5=1', '6=3']);
    await compact(test.log, 2_000 + 86_400_000);
    assert.deepEqual(await readAll(test.log), ['3=1', '5=1', '6=3']);
    await test.reopen();
    assert.deepEqual(await readAll(test.log, 1), ['3=1', '5=1', '6=3']);
    assert.equal(test.log.endOffset, 7);
  });

  test('keeps a batch that can not be read, and compacts the others', async (t) => {
    const test = await testLog(t, { isCompacted: false });
    const header = { ...batchHeaderAt(batchOf(['k:1', 'k:2']), 0), baseOffset: 0 };
    await test.log.append(batchOf(['k:old']), 0);
    await test.log.append(buildBatch(header, Buffer.from('no records')), 0);
    await test.log.append(batchOf(['k:new']), 0);
    test.log.config = { ...test.log.config, isCompacted: true };
    await test.log.roll();
    const before = test.log.sizeBytes;
    await compact(test.log, 2_000);
    assert.equal(test.log.sizeBytes, before - batchOf(['k:old']).length);
    assert.deepEqual(await readAll(test.log, 3), ['3=new']);
  });

  test('drops what was aborted', async (t) => {
    const test = await testLog(t, { isCompacted: true });
    const options = { producerId: 1, producerEpoch: 0, baseSequence: 0, isTransactional: true };
    await test.log.append(batchOf(['k:good']), 0);
    await test.log.append(batchOf(['k:bad'], options), 0);
    await test.log.appendMarker({ id: 1, epoch: 0 }, false, 0);
    await test.log.roll();
    await compact(test.log, 2_000);
    assert.deepEqual(await readAll(test.log), ['0=good']);
  });
});

test('compaction does not forget how far a producer was, also where all of its last batch went', async (t) => {
  const test = await testLog(t, { segmentBytes: 100, isCompacted: true });
  const produce = (text: string, baseSequence: number) =>
    test.log.append(batchOf([text], { producerId: 9, producerEpoch: 0, baseSequence }), 0);
  await produce('a:1', 0);
  await produce('b:1', 1);
  await test.log.append(batchOf(['b:2']), 0);
  await test.log.roll();
  await compact(test.log, 2_000);
  assert.deepEqual(await readAll(test.log), ['0=1', '2=2']);
  await test.reopen();
  assert.equal((await produce('b:1', 1)).baseOffset, 1, 'a repetition');
  assert.equal((await produce('c:1', 2)).baseOffset, 3);
});

test('a time is found to the record, and the newest record need not be the last', async (t) => {
  const { log } = await testLog(t, { segmentBytes: 300 });
  for (const time of [100, 300, 200, 900, 400]) await log.append(batchOf(['a', 'b'], { time }), 0);
  const offsets = await Promise.all([0, 100, 101, 301, 901].map((time) => offsetAtTime(log, time, 10)));
  assert.deepEqual(
    offsets.map((found) => found?.offset),
    [0, 0, 2, 6, undefined],
  );
  assert.deepEqual(await newestOffset(log, 10), { offset: 6, timestamp: 900 });
});

test('the key-value log keeps the last value of each key and ignores a torn end', async (t) => {
  const path = join(testFolder(t), 'broker.log');
  const first = await KeyValueLog.open(path, 'always');
  await Promise.all([
    first.put([
      ['a/1', 1],
      ['a/2', { x: 2 }],
    ]),
    first.put([
      ['a/1', null],
      ['b', 'β'],
    ]),
  ]);
  await first.close();
  appendFileSync(path, Buffer.from([0, 0, 0, 9, 1, 2]));
  const second = await KeyValueLog.open(path, 'interval');
  assert.deepEqual([...second.entries('a/')], [['2', { x: 2 }]]);
  const text = 'x'.repeat(1_000_000);
  for (let round = 0; round < 12; round++) await second.put([['large', `${round}${text}`]]);
  await second.close();
  const third = await KeyValueLog.open(path, 'interval');
  assert.equal(third.get('large'), `11${text}`);
  assert.equal(third.get('b'), 'β');
  await third.close();
});

test('the key-value log goes on behind damage, keeps the damaged file and says so once', async (t) => {
  const folder = testFolder(t);
  const path = join(folder, 'broker.log');
  const first = await KeyValueLog.open(path, 'always');
  const ends: number[] = [];
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    await first.put([[key, `value of ${key}`]]);
    ends.push(statSync(path).size);
  }
  await first.close();
  const whole = readFileSync(path);
  const [endOfA = 0, endOfB = 0, endOfC = 0, endOfD = 0] = ends;
  const reopened = async (bytes: Buffer) => {
    writeFileSync(path, bytes);
    const log = await KeyValueLog.open(path, 'interval');
    const keys = [...log.entries('')].map(([key]) => key).join('');
    await log.close();
    return { keys, damage: log.damage, wasDamaged: log.wasDamaged };
  };
  for (let end = endOfD; end < whole.length; end++)
    assert.deepEqual(await reopened(whole.subarray(0, end)), { keys: 'abcd', damage: undefined, wasDamaged: false });
  const flipped = (...places: number[]): Buffer => {
    const bytes = Buffer.from(whole);
    for (const at of places) bytes[at] = (bytes[at] as number) ^ 0x10;
    return bytes;
  };
  for (let at = endOfA; at < endOfB; at++) {
    const { keys, damage } = await reopened(flipped(at));
    assert.deepEqual([keys, damage?.at, damage?.bytes], ['acde', endOfA, endOfB - endOfA], `byte ${at}`);
  }
  const two = flipped(endOfA + 9, endOfC + 9);
  const { keys, damage } = await reopened(Buffer.concat([two, whole.subarray(0, 7)]));
  assert.deepEqual([keys, damage?.bytes], ['ace', endOfB - endOfA + endOfD - endOfC]);
  assert.deepEqual(readFileSync(damage?.copy ?? '').subarray(0, two.length), two);
  const again = await KeyValueLog.open(path, 'interval');
  assert.deepEqual([again.get('e'), again.damage, again.wasDamaged], ['value of e', undefined, true]);
  await again.close();
});

test('the key-value log is not taken for empty where it can not be read: that would delete all topics', async (t) => {
  const path = join(testFolder(t), 'broker.log');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 32); // more than can be read at once
  await assert.rejects(KeyValueLog.open(path, 'interval'), { code: 'ERR_FS_FILE_TOO_LARGE' });
});

test('the key-value log goes on when a full disk has room again', async (t) => {
  const folder = testFolder(t);
  const path = join(folder, 'broker.log');
  const log = await KeyValueLog.open(path, 'always');
  await log.put([['a', 1]]);
  const handle = await open(path, 'r');
  const methods = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const refuse = (): Promise<never> => Promise.reject(new Error('the disk is full'));
  const full = (['appendFile', 'writeFile'] as const).map((name) => t.mock.method(methods, name, refuse));
  await assert.rejects(log.put([['a', 2]]), /the disk is full/);
  await assert.rejects(Promise.all([log.put([['b', 1]]), log.put([['b', 2]])]), /full/);
  for (const { mock } of full) mock.restore();
  await log.sync();
  await log.put([['c', 3]]);
  await log.close();
  const again = await KeyValueLog.open(path, 'always');
  assert.equal(again.get('c'), 3);
  await again.close();
});
