// Removal of records from a log, the search by time, and the broker's own key-value log.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { crc32c } from '../../../base/crc32c.ts';
import { RecordLog } from '../../../core/record-log/record-log.ts';
import { errorCodes } from '../wire/errors.ts';
import { batchHeaderAt, buildBatch } from '../wire/record-batch.ts';
import { batchOf } from '../wire/testing.ts';
import { compact } from './compaction.ts';
import { KeyValueLog } from './key-value-log.ts';
import { newestOffset, offsetAtTime } from './read.ts';
import { deleteRecords, enforceRetention, enforceStorage } from './retention.ts';
import { readAll, testFolder, testLog } from './testing.ts';

const zeroBytes = 20; // after the last change

suite('retention [STREAM-07]', () => {
  test('by time removes whole segments, and the last one when all its records are too old', async (t) => {
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

  test('by time counts from the arrival of a record if the region is ahead of its clients', async (t) => {
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

  test('by size keeps at least the configured size', async (t) => {
    const { log } = await testLog(t, { segmentBytes: 200, retentionBytes: 400 });
    for (let at = 0; at < 6; at++) await log.append(batchOf(['x'.repeat(100)]), 0);
    await enforceRetention(log, 1_000);
    assert.ok(log.sizeBytes >= 400 && log.sizeBytes < 600, `${log.sizeBytes}`);
  });

  test("by the cluster's storage removes the oldest segments of all logs", async (t) => {
    const [one, two] = [await testLog(t, { segmentBytes: 200 }), await testLog(t, { segmentBytes: 200 })];
    for (const [at, { log }] of [one, two, one, two, one].entries())
      await log.append(batchOf(['x'.repeat(100)], { time: at }), 0);
    await enforceStorage([one.log, two.log], 400);
    assert.equal(one.log.sizeBytes + two.log.sizeBytes, 340);
    assert.equal(one.log.startOffset, 2);
    assert.equal(two.log.startOffset, 1);
  });

  test('by time loses no record written while the last segment is closed', async (t) => {
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

  test('DeleteRecords moves the start permanently', async (t) => {
    const test = await testLog(t);
    for (const text of ['a', 'b', 'c']) await test.log.append(batchOf([text]), 0);
    assert.equal(await deleteRecords(test.log, 2), 2);
    await assert.rejects(deleteRecords(test.log, 4), { code: errorCodes.OFFSET_OUT_OF_RANGE });
    await test.reopen();
    assert.deepEqual(await readAll(test.log), ['2=c']);
    assert.equal(await deleteRecords(test.log, -1), 3);
  });

  test('DeleteRecords of several clients at once removes only what each requested', async (t) => {
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

  test('keeps a batch that cannot be read, and compacts the others', async (t) => {
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

  test('drops aborted records', async (t) => {
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

test('compaction keeps the sequence of a producer, even if it removes all of its last batch', async (t) => {
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

test('the search by time is exact to the record, and the newest record need not be the last', async (t) => {
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

test('the key-value log continues after damage, keeps the damaged file and reports it once', async (t) => {
  const folder = testFolder(t);
  const path = join(folder, 'broker.log');
  const first = await KeyValueLog.open(path, 'always');
  const ends: number[] = [];
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    await first.put([[key, `value of ${key}`]]);
    ends.push(statSync(path).size - zeroBytes);
  }
  await first.close();
  const whole = readFileSync(path);
  const [endOfA = 0, endOfB = 0, endOfC = 0, endOfD = 0, endOfE = 0] = ends;
  const reopened = async (bytes: Buffer) => {
    writeFileSync(path, bytes);
    const log = await KeyValueLog.open(path, 'interval');
    const keys = [...log.entries('')].map(([key]) => key).join('');
    await log.close();
    return { keys, damage: log.damage, wasDamaged: log.wasDamaged };
  };
  for (let end = endOfD; end < endOfE; end++)
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

test('a key-value log of an earlier version is rewritten; one that is damaged is read up to the damage', async (t) => {
  const path = join(testFolder(t), 'broker.log');
  const bytes = Buffer.concat(
    ['changes', 'a', 'b'].flatMap((key, value) => {
      const line = Buffer.from(JSON.stringify([key, value + 7]));
      const prefix = Buffer.alloc(8);
      prefix.writeUInt32BE(line.length);
      prefix.writeUInt32BE(crc32c(line), 4);
      return [prefix, line];
    }),
  );
  const torn = bytes.subarray(0, bytes.length - 3);
  const damaged = Buffer.from(bytes).fill('x', bytes.length - 3, bytes.length - 1);
  for (const [found, keys, count] of [
    [bytes, 'ab', 9],
    [torn, 'a', 8],
    [damaged, 'a', 8],
  ] as const) {
    writeFileSync(path, found);
    for (const start of [1, 2]) {
      const log = await KeyValueLog.open(path, 'interval');
      assert.equal([...log.entries('')].map(([key]) => key).join(''), keys);
      assert.equal(log.changeCount, count);
      assert.equal(log.damage !== undefined, found === damaged && start === 1);
      await log.close();
      assert.equal(readFileSync(path).includes('AHD2'), true, 'it uses the common format');
    }
  }
});

test('the key-value log loses no change while its file is rewritten', async (t) => {
  const path = join(testFolder(t), 'broker.log');
  const log = await KeyValueLog.open(path, 'interval');
  const large = 'x'.repeat(500_000);
  await Promise.all(
    Array.from({ length: 60 }, async (_, number) => {
      await log.put([['large', large]]);
      await log.put([
        [`key/${number}`, number],
        ['last', number],
      ]);
    }),
  );
  const last = log.get('last');
  await log.close();
  assert.ok(statSync(path).size < 16_000_000, 'it was rewritten');
  const again = await KeyValueLog.open(path, 'interval');
  assert.equal([...again.entries('key/')].length, 60);
  assert.equal(again.get('last'), last);
  assert.equal(again.changeCount, log.changeCount);
  await again.close();
});

test('an unreadable key-value log is not treated as empty: that would delete all topics', async (t) => {
  const path = join(testFolder(t), 'broker.log');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 32); // more than can be read at once
  await assert.rejects(KeyValueLog.open(path, 'interval'), { code: 'ERR_FS_FILE_TOO_LARGE' });
});

test('the key-value log continues when a full disk has room again', async (t) => {
  const folder = testFolder(t);
  const path = join(folder, 'broker.log');
  const log = await KeyValueLog.open(path, 'always');
  await log.put([['a', 1]]);
  const refuse = (): Promise<never> => Promise.reject(new Error('the disk is full'));
  const full = t.mock.method(RecordLog.prototype, 'append', refuse);
  await assert.rejects(log.put([['a', 2]]), /the disk is full/);
  await assert.rejects(Promise.all([log.put([['b', 1]]), log.put([['b', 2]])]), /full/);
  full.mock.restore();
  await log.sync();
  await log.put([['c', 3]]);
  await log.close();
  const again = await KeyValueLog.open(path, 'always');
  assert.equal(again.get('c'), 3);
  await again.close();
});
