// Files of the write-ahead log that were cut short or damaged.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type LogDamage, logName, readLog, WriteAheadLog } from './write-ahead-log.ts';

const number = 7;

// A file with these records: what stands in it, where each of them begins, and how it is read when it has other bytes.
async function fileOf(t: TestContext, records: readonly (string | Buffer)[]) {
  const folder = mkdtempSync(join(tmpdir(), 'logs-ahead-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const log = new WriteAheadLog(folder, number);
  const starts: number[] = [];
  for (const record of records) {
    starts.push(log.bytes);
    await log.append([{ job: Buffer.from(record as string) }]);
  }
  log.close();
  const path = join(folder, logName(number));
  const read = (bytes: Buffer): { texts: string[]; damage: LogDamage[] } => {
    writeFileSync(path, bytes);
    const damage: LogDamage[] = [];
    const found = [...readLog(folder, number, (one) => damage.push(one))];
    return { texts: found.map((one) => ('job' in one ? Buffer.from(one.job).toString() : '')), damage };
  };
  return { bytes: readFileSync(path), starts: [...starts, log.bytes], read };
}

const flipped = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 0x11;
  return copy;
};

const five = ['first', 'second record', 'third', 'fourth one', 'fifth'];

test('[LOG-04] a file that was cut short anywhere in its last record ends before it, and is not called damaged', async (t) => {
  const { bytes, starts, read } = await fileOf(t, five);
  for (let end = starts[4] as number; end < bytes.length; end++)
    assert.deepEqual(read(bytes.subarray(0, end)), { texts: five.slice(0, 4), damage: [] }, `${end} bytes`);
  assert.deepEqual(read(Buffer.concat([bytes, Buffer.alloc(100)])), { texts: five, damage: [] });
});

test('[LOG-04] a wrong byte anywhere in a record loses that record alone', async (t) => {
  const { bytes, starts, read } = await fileOf(t, five);
  for (const index of [0, 1, 2, 3]) {
    const [start = 0, end = 0] = starts.slice(index);
    const left = five.toSpliced(index, 1);
    for (let at = start; at < end; at++)
      assert.deepEqual(read(flipped(bytes, at)), { texts: left, damage: [{ at: start, bytes: end - start }] }, `${at}`);
  }
  const twice = read(flipped(flipped(bytes, (starts[1] as number) + 16), (starts[3] as number) + 16));
  assert.deepEqual([twice.texts, twice.damage.length], [['first', 'third', 'fifth'], 2]);
});

test('[LOG-04] a wrong byte in the last record is damage, for its bytes are all there', async (t) => {
  const { bytes, starts, read } = await fileOf(t, five);
  const last = starts[4] as number;
  for (let at = last; at < bytes.length; at++)
    assert.deepEqual(
      read(flipped(bytes, at)),
      { texts: five.slice(0, 4), damage: [{ at: last, bytes: bytes.length - last }] },
      `${at}`,
    );
});

test('[LOG-04] behind damage of several records the next whole one can not be checked, those behind it can', async (t) => {
  const { bytes, starts, read } = await fileOf(t, five);
  const [, second = 0, third = 0, , fifth = 0] = starts;
  const zeroed = Buffer.from(bytes).fill(0, second, third + 3);
  assert.deepEqual(read(zeroed), { texts: ['first', 'fifth'], damage: [{ at: second, bytes: fifth - second }] });
  const more = Buffer.from(bytes)
    .fill(0, second, third)
    .subarray(0, bytes.length - 1);
  assert.deepEqual(read(more), { texts: ['first'], damage: [{ at: second, bytes: more.length - second }] });
});

test('[LOG-04] a line that looks like records is never taken for them', async (t) => {
  const forged = await fileOf(t, ['forged 1', 'forged 2', 'forged 3']);
  const line = Buffer.concat([Buffer.from('a '), forged.bytes, Buffer.from(' z')]);
  const { bytes, starts, read } = await fileOf(t, ['first', line, 'third', 'fourth']);
  const [, second = 0] = starts;
  const damaged = Buffer.from(bytes).fill(0, second, second + 16);
  assert.deepEqual(read(damaged).texts, ['first', 'fourth']);
});
