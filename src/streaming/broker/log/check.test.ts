// The check of a partition's files finds a wrong byte anywhere in the records, the state or the indexes, and missing
// files.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { batchOf } from '../wire/testing.ts';
import { partitionDamage } from './check.ts';
import { compact } from './compaction.ts';
import { deleteRecords } from './retention.ts';
import { Segment } from './segment.ts';
import { type TestLog, testLog } from './testing.ts';

const facts = { hasState: true, isCompacted: false, lastEpoch: 3 };

test('[GEN-06] a wrong byte in any file of a partition, or a missing file, is found', async (t) => {
  const { log, folder } = await testLog(t, { segmentBytes: 300 });
  for (let at = 0; at < 9; at++) await log.append(batchOf([`record ${at}`]), at < 4 ? 1 : 3);
  await deleteRecords(log, 1);
  await log.close();
  const names = readdirSync(folder).sort();
  assert.ok(names.filter((name) => name.endsWith('.log')).length >= 3, names.join());
  assert.deepEqual(await partitionDamage({ folder, ...facts }), []);
  for (const name of names) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at++) {
      writeFileSync(path, bytes.with(at, (bytes[at] as number) ^ 0x15));
      const found = (await partitionDamage({ folder, ...facts })).join('\n');
      assert.ok(found.includes(name), `${name}, byte ${at}: ${found}`);
    }
    rmSync(path);
    const found = (await partitionDamage({ folder, ...facts })).join('\n');
    if (name.endsWith('.index')) assert.equal(found, '', 'an index is rebuilt');
    else assert.ok(found.includes(name), `${name} is missing: ${found}`);
    writeFileSync(path, bytes);
  }
});

test('[GEN-06] a compacted log with gaps is intact, even after its topic stops compaction', async (t) => {
  const test = await testLog(t, { segmentBytes: 300, isCompacted: true, isDeleting: false });
  const { log, folder } = test;
  for (let at = 0; at < 9; at++) await log.append(batchOf([`key ${at % 2}:${at}`]), 0);
  await compact(log, Number.MAX_SAFE_INTEGER);
  await log.close();
  assert.deepEqual(await partitionDamage({ folder, ...facts, isCompacted: true }), []);
  assert.deepEqual(await partitionDamage({ folder, ...facts }), []);
});

test('[GEN-06] segments that are still being sealed are compacted and deleted without damage', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { seal } = Segment.prototype;
  t.mock.method(Segment.prototype, 'seal', async function (this: Segment, nextOffset: number) {
    await gate.promise;
    return seal.call(this, nextOffset);
  });
  const logs = await Promise.all(
    [0, 1].map(() => testLog(t, { segmentBytes: 300, isCompacted: true, isDeleting: false })),
  );
  for (const { log } of logs) for (let at = 0; at < 9; at++) await log.append(batchOf([`key ${at % 2}:${at}`]), 0);
  const [compacted, deleted] = logs as [TestLog, TestLog];
  const work = Promise.all([compact(compacted.log, Number.MAX_SAFE_INTEGER), deleteRecords(deleted.log, 6)]);
  for (let turn = 0; turn < 100; turn++) await setImmediate(); // more than both need if they don't wait
  gate.resolve();
  await work;
  for (const { log, folder } of logs) {
    await log.close();
    assert.deepEqual(await partitionDamage({ folder, ...facts, isCompacted: true }), []);
  }
});

test('[GEN-06] a log with a last batch truncated by a crash is intact', async (t) => {
  const { log, folder } = await testLog(t);
  for (let at = 0; at < 3; at++) await log.append(batchOf([`record ${at}`]), 0);
  await log.abandon();
  const path = join(folder, `${'0'.repeat(20)}.log`);
  const bytes = readFileSync(path);
  for (let cut = 1; cut < 60; cut += 7) {
    writeFileSync(path, bytes.subarray(0, bytes.length - cut));
    assert.deepEqual(await partitionDamage({ folder, ...facts, hasState: false }), [], `${cut} bytes`);
  }
});
