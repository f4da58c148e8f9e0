// The pushes that are written ahead: all that were synced come back, and nothing that was not written whole.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { chanceOf } from '../../../testing/seed.ts';
import { generous } from '../contract/pushes.ts';
import { type LogDamage, readLog } from './log-reader.ts';
import { type LogRecord, logName, WriteAheadLog } from './write-ahead-log.ts';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ahead-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function record(number: number, length = 100): LogRecord {
  const body = new Uint8Array(length).fill(number);
  return { tenant: number, limits: generous, push: { format: 'text', coding: 'identity', receivedMs: number, body } };
}

const seedOf = (number: number): number => 0xfffffff0 + number;
const logIn = (folder: string, number: number, spare?: string) =>
  new WriteAheadLog(folder, number, seedOf(number), spare);
const readIn = (folder: string, number: number, onDamage = (_: LogDamage): void => assert.fail('damaged')) =>
  readLog(join(folder, logName(number)), number, seedOf(number), onDamage);

const tenants = (folder: string, number: number, onDamage?: (damage: LogDamage) => void): number[] =>
  Array.from(readIn(folder, number, onDamage), ({ tenant, push }) => {
    assert.ok(push.body.every((byte) => byte === tenant % 256));
    return tenant;
  });

describe('pushes written ahead', () => {
  it('come back in their order, with all that is known of them', async (t) => {
    const folder = folderFor(t);
    const file = logIn(folder, 3);
    const records = Array.from({ length: 600 }, (_, at) => record(at, at * 3));
    await file.sync(file.append(records.slice(0, 2)));
    await file.sync(file.append(records.slice(2)));
    const read = [...readIn(folder, 3)];
    assert.deepEqual(
      read.map(({ push, ...rest }) => ({ ...rest, push: { ...push, body: new Uint8Array(push.body) } })),
      records,
    );
    file.release();
  });

  // A file with ten records, where each begins, and how it is read when it has other bytes.
  async function tenRecords(t: TestContext, spare?: (folder: string) => Promise<string>) {
    const chance = chanceOf(t);
    const folder = folderFor(t);
    const file = logIn(folder, 1, await spare?.(folder));
    const starts = [0];
    for (let number = 1; number <= 10; number++) {
      await file.sync(file.append([record(number, chance.below(300))]));
      starts.push(file.bytes);
    }
    file.release();
    const path = join(folder, logName(1));
    const read = (bytes: Uint8Array): { found: number[]; damage: LogDamage[] } => {
      writeFileSync(path, bytes);
      const damage: LogDamage[] = [];
      return { found: tenants(folder, 1, (one) => damage.push(one)), damage };
    };
    return { chance, starts, whole: readFileSync(path), read };
  }
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number + 1);
  const reused = async (folder: string): Promise<string> => {
    const old = logIn(folder, 9);
    await old.sync(old.append(upTo(40).map((number) => record(number + 100, 200))));
    return old.release();
  };

  it('a file that was cut short ends before the record that is not whole, and is not called damaged', async (t) => {
    const { starts, whole, read } = await tenRecords(t);
    for (let end = 0; end < whole.length; end += 11) {
      const complete = starts.findLastIndex((start) => start <= end);
      assert.deepEqual(read(whole.subarray(0, end)), { found: upTo(complete), damage: [] });
    }
  });

  it('[GEN-06] a wrong byte in any record loses that record alone, and is damage', async (t) => {
    for (const spare of [undefined, reused]) {
      const { chance, starts, whole, read } = await tenRecords(t, spare);
      for (let round = 0; round < 300; round++) {
        const at = chance.below(starts[10] as number);
        const index = starts.findLastIndex((start) => start <= at);
        const [start = 0, end = 0] = starts.slice(index);
        const { found, damage } = read(whole.with(at, (whole[at] as number) ^ (1 << chance.below(8))));
        if (at - start < 4) {
          assert.deepEqual({ found, damage }, { found: upTo(10), damage: [] }); // the mark is not needed
          continue;
        }
        assert.equal(damage[0]?.at, start, `${at}`);
        if (damage[0]?.bytes === end - start) assert.deepEqual(found, upTo(10).toSpliced(index, 1));
        else assert.deepEqual([index, found], [9, upTo(9)]); // the head of the last one
      }
      const zeroed = Buffer.from(whole).fill(0, (starts[3] as number) + 5, (starts[6] as number) + 5);
      assert.deepEqual(read(zeroed).found, [1, 2, 3, 8, 9, 10]);
      assert.equal(read(zeroed).damage.length, 1);
    }
  });

  it('a write that a crash cut short in a reused file is not called damaged', async (t) => {
    const { starts, whole, read } = await tenRecords(t, reused);
    const folder = folderFor(t);
    const old = readFileSync(await reused(folder));
    for (let end = (starts[9] as number) + 20; end < (starts[10] as number); end += 7) {
      const torn = Buffer.concat([whole.subarray(0, end), old.subarray(end)]);
      assert.deepEqual(read(torn), { found: upTo(9), damage: [] }, `${end}`);
    }
  });

  it('a reused file that nothing was written to yet is empty, and is not called damaged', async (t) => {
    const folder = folderFor(t);
    const file = logIn(folder, 1, await reused(folder));
    assert.deepEqual(tenants(folder, 1), []);
    file.release();
  });

  it('a file of an earlier version comes back, up to the first record that is not whole', (t) => {
    const path = join(folderFor(t), logName(4));
    let sum = 4;
    const parts = [7, 8].flatMap((number) => {
      const { push, ...rest } = record(number);
      const { body, ...facts } = push;
      const told = Buffer.from(JSON.stringify({ ...rest, ...facts }));
      sum = crc32(body, crc32(told, sum));
      const head = Buffer.alloc(16);
      for (const [at, value] of [0x44414541, told.length, body.length, sum].entries())
        head.writeUInt32LE(value, 4 * at);
      return [head, told, body];
    });
    writeFileSync(path, Buffer.concat([...parts, Buffer.from('torn')]));
    const found = [...readLog(path, 4, undefined, () => assert.fail('damaged'))];
    assert.deepEqual(
      found.map(({ tenant }) => tenant),
      [7, 8],
    );
  });

  it('what an earlier use of the file left behind is not taken for a record', async (t) => {
    const folder = folderFor(t);
    const first = logIn(folder, 1);
    await first.sync(first.append([1, 2, 3, 4].map((number) => record(number))));
    const second = logIn(folder, 2, first.release());
    await second.sync(second.append([record(9)]));
    assert.deepEqual(tenants(folder, 2), [9]);
    second.remove();
    assert.throws(() => [...readIn(folder, 2)], /ENOENT/);
  });

  it('a file of the same length with other records before does not go on with old ones', async (t) => {
    const folder = folderFor(t);
    const [one, other] = [logIn(folder, 1), logIn(folder, 2)];
    one.append([record(1), record(2)]);
    other.append([record(3)]);
    const rest = readFileSync(join(folder, logName(1))).subarray(other.bytes);
    const own = readFileSync(join(folder, logName(2))).subarray(0, other.bytes);
    writeFileSync(join(folder, logName(2)), Buffer.concat([own, rest]));
    const damage: LogDamage[] = [];
    assert.deepEqual(
      tenants(folder, 2, (one) => damage.push(one)),
      [3],
    );
    assert.equal(damage.length, 1, 'the zeros behind the last record are gone');
    one.release();
    other.release();
  });

  it('those who wait together share a sync', async (t) => {
    const folder = folderFor(t);
    const file = logIn(folder, 1);
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        await file.sync(file.append([record(number)]));
        order.push(number);
      }),
    );
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    assert.equal(tenants(folder, 1).length, 20);
    file.release();
  });

  it('after a failed write, the next one takes its place', async (t) => {
    const folder = folderFor(t);
    const file = logIn(folder, 1);
    await file.sync(file.append([record(1)]));
    const unwritable = record(2);
    Object.defineProperty(unwritable.push, 'receivedMs', {
      get: () => {
        throw new Error('no time');
      },
    });
    assert.throws(() => file.append([record(3), unwritable]), /no time/);
    await file.sync(file.append([record(4)]));
    assert.deepEqual(tenants(folder, 1), [1, 4]);
    file.release();
  });
});
