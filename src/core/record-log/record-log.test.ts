// Record logs: all that was confirmed comes back, nothing that was not written whole, and damage is reported.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chanceOf } from '../../testing/seed.ts';
import { type LogRecord, recordFraming } from './record.ts';
import { RecordLog } from './record-log.ts';
import { damageOfLog, type LogDamage, type OnDamage, readRecords, replayLog } from './record-reader.ts';

const seed = 0xfffffff0; // the sum with a place needs more than 32 bits
const prefixBytes = 20;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'record-log-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const record = (text: string): LogRecord => ({ header: Buffer.from(`about ${text}`), body: Buffer.from(text) });
const logAt = (path: string, more: { reuse?: string; continueAt?: number; seed?: number } = {}): RecordLog<LogRecord> =>
  new RecordLog({ path, framing: recordFraming(more.seed ?? seed), ...more });
const reader = (bytes: Buffer, onDamage: OnDamage) => readRecords(bytes, seed, onDamage);

function read(bytes: Buffer): { texts: string[]; damage: LogDamage[] } {
  const damage: LogDamage[] = [];
  const texts = Array.from(
    reader(bytes, (one) => damage.push(one)),
    ({ header, body }) => {
      assert.equal(`${header}`, `about ${body}`);
      return `${body}`;
    },
  );
  return { texts, damage };
}

const intact = (...texts: string[]) => ({ texts, damage: [] });

// A file with these records, and where each of them begins.
async function fileOf(t: TestContext, texts: readonly string[], reuse?: string) {
  const log = logAt(join(folderFor(t), 'log'), reuse === undefined ? {} : { reuse });
  const starts: number[] = [];
  for (const text of texts) starts.push(...(await log.append([record(text)])));
  starts.push(log.bytes);
  return { bytes: readFileSync(log.release()), starts };
}

async function usedFile(t: TestContext): Promise<string> {
  const log = logAt(join(folderFor(t), 'old'), { seed: 7 });
  await log.append(Array.from({ length: 40 }, (_, at) => record(`old record ${at}`)));
  return log.release();
}

const flipped = (bytes: Buffer, at: number, bit = 4): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
};

const five = ['first', 'second record', 'third', 'fourth one', 'fifth'];

test('records come back in their order, however many are appended at once', async (t) => {
  const path = join(folderFor(t), 'log');
  const log = logAt(path);
  const texts = Array.from({ length: 1800 }, (_, at) => `${at}`.repeat(at % 40));
  const places = await Promise.all([
    log.append(texts.slice(0, 2).map(record)),
    log.append(texts.slice(2, 1300).map(record)),
    ...texts.slice(1300).map((text) => log.append([record(text)])),
  ]);
  assert.deepEqual(read(readFileSync(path)), intact(...texts));
  assert.deepEqual(
    places.flat(),
    places.flat().toSorted((a, b) => a - b),
  );
  assert.ok(log.commits <= 5, `${log.commits} commits: appends of one turn share them`);
  log.release();
});

test('[GEN-06] a truncated file ends before the incomplete record, and is not reported as damaged', async (t) => {
  for (const reuse of [undefined, await usedFile(t)]) {
    const { bytes, starts } = await fileOf(t, five, reuse);
    for (let end = 0; end < bytes.length; end++) {
      const complete = starts.findLastIndex((start) => start <= end);
      assert.deepEqual(read(bytes.subarray(0, end)), intact(...five.slice(0, complete)), `${end} bytes`);
    }
    if (!reuse) assert.deepEqual(read(Buffer.concat([bytes, Buffer.alloc(100)])), intact(...five));
  }
});

test('[GEN-06] an incomplete write in a reused file is not reported as damaged', async (t) => {
  const { bytes, starts } = await fileOf(t, five, await usedFile(t));
  const old = readFileSync(await usedFile(t));
  for (let end = (starts[4] as number) + prefixBytes; end < (starts[5] as number); end++)
    assert.deepEqual(read(Buffer.concat([bytes.subarray(0, end), old.subarray(end)])), intact(...five.slice(0, 4)));
});

test('[GEN-06] a wrong byte anywhere in a record loses that record alone, and is damage', async (t) => {
  for (const reuse of [undefined, await usedFile(t)]) {
    const { bytes, starts } = await fileOf(t, five, reuse);
    for (let at = 0; at < (starts[5] as number); at++) {
      const index = starts.findLastIndex((start) => start <= at);
      const [start = 0, end = 0] = starts.slice(index);
      const { texts, damage } = read(flipped(bytes, at, at % 8));
      assert.deepEqual(texts, five.toSpliced(index, 1), `byte ${at}`);
      assert.deepEqual([damage.length, damage[0]?.at], [1, start], `byte ${at}`);
      const isLastPrefix = index === 4 && at - start < 16; // where it ends is not known
      assert.equal(damage[0]?.bytes, (isLastPrefix ? bytes.length : end) - start, `byte ${at}`);
    }
    const twice = read(flipped(flipped(bytes, starts[1] as number), starts[3] as number));
    assert.deepEqual([twice.texts, twice.damage.length], [['first', 'third', 'fifth'], 2]);
  }
});

test('[GEN-06] all records behind damage of several records are read', async (t) => {
  const { bytes, starts } = await fileOf(t, five);
  const [, second = 0, third = 0, fourth = 0] = starts;
  const zeroed = Buffer.from(bytes).fill(0, second, third + 3);
  assert.deepEqual(read(zeroed), {
    texts: ['first', 'fourth one', 'fifth'],
    damage: [{ at: second, bytes: fourth - second }],
  });
});

test('[GEN-06] random damage never shows a record that was not written', async (t) => {
  const chance = chanceOf(t);
  const { bytes } = await fileOf(t, five);
  for (let round = 0; round < 500; round++) {
    let damaged: Buffer = bytes;
    for (let count = chance.below(6); count >= 0; count--)
      damaged = flipped(damaged, chance.below(bytes.length), chance.below(8));
    const { texts } = read(damaged.subarray(0, chance.below(bytes.length)));
    assert.deepEqual(
      texts,
      five.filter((text) => texts.includes(text)),
    );
  }
});

test('records of another log, and a body that looks like records, are never taken for records', async (t) => {
  const other = logAt(join(folderFor(t), 'other'), { seed: 8 });
  await other.append([record('forged 1'), record('forged 2')]);
  const forged = readFileSync(other.release());
  const log = logAt(join(folderFor(t), 'log'));
  const [, second = 0] = await log.append([record('first'), { header: Buffer.alloc(0), body: forged }]);
  const bytes = readFileSync(log.release());
  assert.deepEqual(read(flipped(bytes, second)).texts, ['first']);
  assert.deepEqual(read(Buffer.concat([bytes.subarray(0, second), forged])).texts, ['first']);
  assert.deepEqual(read(forged).texts, []);
});

test('a reused file without a write is empty, and is not reported as damaged', async (t) => {
  const log = logAt(join(folderFor(t), 'log'), { reuse: await usedFile(t) });
  assert.deepEqual(read(readFileSync(log.release())), intact());
});

test('a log continues behind its last record, and truncates the rest', async (t) => {
  const path = join(folderFor(t), 'log');
  const first = logAt(path);
  await first.append([record('one'), record('two')]);
  const end = first.bytes;
  writeFileSync(first.release(), Buffer.from('rest of a write'), { flag: 'a' });
  const second = logAt(path, { continueAt: end });
  await second.append([record('three')]);
  second.release();
  assert.deepEqual(read(readFileSync(path)), intact('one', 'two', 'three'));
});

test('after a write that failed, the next one takes its place', async (t) => {
  const path = join(folderFor(t), 'log');
  const framing = recordFraming(seed);
  const frame = (entry: LogRecord, at: number): Uint8Array[] => {
    if (entry.body.length > 10) throw new Error('too large');
    return framing.frame(entry, at);
  };
  const log = new RecordLog<LogRecord>({ path, framing: { ...framing, frame } });
  await log.append([record('one')]);
  await assert.rejects(log.append([record('lost'), record('larger than allowed')]), /too large/);
  await log.append([record('two')]);
  assert.deepEqual(read(readFileSync(path)), intact('one', 'two'));
  log.release();
});

test('[GEN-06] a damaged log is kept aside when it is read, and is reported without a change when it is checked', async (t) => {
  const folder = folderFor(t);
  const path = join(folder, 'log');
  const { bytes, starts } = await fileOf(t, five);
  const [, second = 0, third = 0] = starts;
  writeFileSync(path, flipped(bytes, second + prefixBytes));
  assert.deepEqual(damageOfLog(path, reader), [{ at: second, bytes: third - second }]);
  assert.deepEqual(readdirSync(folder), ['log']);
  const messages: string[] = [];
  const found = [...replayLog(path, reader, (message) => messages.push(message))];
  assert.equal(found.length, 4);
  assert.deepEqual(messages, [
    `${path} is damaged at byte ${second}: ${third - second} bytes are lost (see log.damaged-${second})`,
  ]);
  assert.deepEqual(readFileSync(`${path}.damaged-${second}`), readFileSync(path));
  assert.equal(damageOfLog(join(folder, 'missing'), reader), undefined);
});
