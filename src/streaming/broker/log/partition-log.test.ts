// The log of one partition: order, recovery, retries and transactions.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { errorCodes } from '../wire/errors.ts';
import { batchOf } from '../wire/testing.ts';
import { readLog } from './read.ts';
import { deleteRecords } from './retention.ts';
import { readAll, testLog } from './testing.ts';

const isError = (name: keyof typeof errorCodes) => ({ code: errorCodes[name] });

suite('a log', () => {
  test('assigns offsets in the order of appends and reads batches unchanged', async (t) => {
    const { log } = await testLog(t);
    const appended = await Promise.all(['a', 'b', 'c'].map((text) => log.append(batchOf([text, `${text}${text}`]), 4)));
    assert.deepEqual(
      appended.map(({ baseOffset }) => baseOffset),
      [0, 2, 4],
    );
    assert.deepEqual(await readAll(log), ['0=a', '1=aa', '2=b', '3=bb', '4=c', '5=cc']);
    const sent = batchOf(['a', 'aa']);
    const read = await readLog(log, { offset: 0, maxBytes: 10, below: 6, atLeastOne: true }, 0);
    assert.deepEqual(read.subarray(16), sent.subarray(16), 'only offset and epoch differ');
    assert.equal(read.readInt32BE(12), 4);
  });

  test('rolls segments, finds every offset in them, and is unchanged after a crash', async (t) => {
    const test = await testLog(t, { segmentBytes: 2_000 });
    for (let at = 0; at < 100; at++) await test.log.append(batchOf([`value ${at}`]), 0);
    const files = readdirSync(test.folder).filter((name) => name.endsWith('.log'));
    assert.ok(files.length > 3, `${files.length} segments`);
    const expected = Array.from({ length: 100 }, (_, at) => `${at}=value ${at}`);
    assert.deepEqual(await readAll(test.log), expected);
    await test.reopen();
    assert.equal(test.log.endOffset, 100);
    for (const offset of [0, 1, 37, 99]) assert.deepEqual(await readAll(test.log, offset), expected.slice(offset));
  });

  test('truncates a torn end by its CRC, keeps everything before it, and continues there', async (t) => {
    const test = await testLog(t);
    for (const text of ['a', 'b', 'c']) await test.log.append(batchOf([text]), 0);
    const path = test.log.active.path;
    const whole = readFileSync(path);
    const damaged = Buffer.from(whole);
    damaged[whole.length - 3] = 99;
    for (const tail of [damaged, Buffer.concat([whole, whole.subarray(0, 40)]), whole.subarray(0, whole.length - 1)]) {
      writeFileSync(path, tail);
      await test.reopen();
      assert.equal(test.log.endOffset, tail.length > whole.length ? 3 : 2);
      assert.equal(statSync(path).size, tail.length > whole.length ? whole.length : (whole.length / 3) * 2);
    }
    await test.log.append(batchOf(['d']), 0);
    assert.deepEqual(await readAll(test.log), ['0=a', '1=b', '2=d']);
  });

  test('a clean close needs no scan, and a wrong index is not trusted', async (t) => {
    const test = await testLog(t);
    for (let at = 0; at < 50; at++) await test.log.append(batchOf(['x'.repeat(2_000)]), 0);
    await test.log.close();
    await test.reopen();
    assert.equal(test.log.endOffset, 50);
    assert.ok(test.log.active.index.entries.length >= 3);
    await test.log.close();
    const index = readdirSync(test.folder).find((name) => name.endsWith('.index')) as string;
    appendFileSync(join(test.folder, index), Buffer.alloc(24, 1));
    await test.reopen();
    assert.equal(test.log.endOffset, 50);
    assert.equal((await readAll(test.log)).length, 50);
  });

  test('does not start over if its state cannot be read', async (t) => {
    const test = await testLog(t);
    for (const text of ['a', 'b']) await test.log.append(batchOf([text]), 0);
    await deleteRecords(test.log, 1);
    const state = join(test.folder, 'state.json');
    renameSync(state, `${state}.kept`);
    mkdirSync(state);
    await assert.rejects(test.reopen(), { code: 'EISDIR' });
    rmdirSync(state);
    renameSync(`${state}.kept`, state);
    await test.reopen();
    assert.equal(test.log.startOffset, 1);
  });

  test('is readable as soon as its files can be opened again', async (t) => {
    const { log, folder } = await testLog(t);
    await log.append(batchOf(['a']), 0);
    await log.active.close();
    renameSync(folder, `${folder}.away`);
    await assert.rejects(readAll(log), { code: 'ENOENT' });
    renameSync(`${folder}.away`, folder);
    assert.deepEqual(await readAll(log), ['0=a']);
  });

  test('with flush always, acknowledged records are synced', async (t) => {
    const { log } = await testLog(t, {}, 'always');
    await log.append(batchOf(['a']), 0);
    assert.equal(log.active.synced, log.active.size);
    assert.ok(log.active.size > 0);
  });

  test('refuses damaged and oversized batches, and records without keys in a compacted topic', async (t) => {
    const { log } = await testLog(t, { maxMessageBytes: 500, isCompacted: true });
    const damaged = batchOf(['k:a']);
    damaged[damaged.length - 1] = 7;
    await assert.rejects(log.append(damaged, 0), isError('CORRUPT_MESSAGE'));
    await assert.rejects(log.append(batchOf([`k:${'x'.repeat(500)}`]), 0), isError('MESSAGE_TOO_LARGE'));
    await assert.rejects(log.append(batchOf(['a']), 0), isError('INVALID_RECORD'));
    await assert.rejects(log.append(Buffer.alloc(0), 0), isError('INVALID_RECORD'));
    assert.equal(log.endOffset, 0);
  });
});

suite('an idempotent producer', () => {
  const produce = (sequence: number, epoch = 0): Buffer =>
    batchOf(['v'], { producerId: 9, producerEpoch: epoch, baseSequence: sequence });

  test('gets the old offset for a repeated batch, even after a crash', async (t) => {
    const test = await testLog(t);
    for (let sequence = 0; sequence < 8; sequence++) await test.log.append(produce(sequence), 0);
    assert.equal((await test.log.append(produce(5), 0)).baseOffset, 5);
    await test.reopen();
    assert.equal((await test.log.append(produce(7), 0)).baseOffset, 7);
    assert.equal(test.log.endOffset, 8);
  });

  test('gets no offset of a record that a power failure lost, even if a saved state has it', async (t) => {
    const test = await testLog(t);
    await test.log.append(produce(0), 0);
    const { size, path } = test.log.active;
    await test.log.append(produce(1), 0);
    await test.log.saveState();
    truncateSync(path, size);
    await test.reopen();
    for (const text of ['of', 'others']) await test.log.append(batchOf([text]), 0);
    await test.reopen();
    assert.equal((await test.log.append(produce(1), 0)).baseOffset, 3);
  });

  test('may not skip a sequence or return with an older epoch', async (t) => {
    const { log } = await testLog(t);
    await log.append(produce(0), 0);
    await assert.rejects(log.append(produce(2), 0), isError('OUT_OF_ORDER_SEQUENCE_NUMBER'));
    await log.append(produce(0, 1), 0);
    await assert.rejects(log.append(produce(1, 0), 0), isError('INVALID_PRODUCER_EPOCH'));
    await assert.rejects(log.append(produce(3, 2), 0), isError('OUT_OF_ORDER_SEQUENCE_NUMBER'));
    assert.equal(log.endOffset, 2);
  });
});

suite('transactions in a log', () => {
  const produce = (producerId: number, baseSequence: number, text: string): Buffer =>
    batchOf([text], { producerId, producerEpoch: 0, baseSequence, isTransactional: true });

  test('hold the last stable offset until they end, and aborted ones are listed, even after a crash', async (t) => {
    const test = await testLog(t);
    await test.log.append(batchOf(['plain']), 0);
    await test.log.append(produce(1, 0, 'kept'), 0);
    await test.log.append(produce(2, 0, 'dropped'), 0);
    assert.equal(test.log.lastStableOffset, 1);
    await test.log.appendMarker({ id: 1, epoch: 0 }, true, 0);
    assert.equal(test.log.lastStableOffset, 2);
    assert.deepEqual(await readAll(test.log, 0, test.log.lastStableOffset), ['0=plain', '1=kept']);
    await test.reopen();
    assert.equal(test.log.lastStableOffset, 2);
    await test.log.appendMarker({ id: 2, epoch: 0 }, false, 0);
    for (const log of [test.log, await test.reopen()]) {
      assert.equal(log.lastStableOffset, 5);
      assert.deepEqual(log.producers.abortedBetween(0, 5), [{ producerId: 2, firstOffset: 2, lastOffset: 4 }]);
      assert.deepEqual(log.producers.abortedBetween(0, 2), []);
    }
  });

  test('never hold the last stable offset before the start of the log', async (t) => {
    const { log } = await testLog(t);
    await log.append(produce(1, 0, 'deleted'), 0);
    await log.append(batchOf(['plain']), 0);
    await deleteRecords(log, 1);
    assert.equal(log.lastStableOffset, 1);
    await log.appendMarker({ id: 1, epoch: 0 }, true, 0);
    assert.equal(log.lastStableOffset, 3);
  });
});
