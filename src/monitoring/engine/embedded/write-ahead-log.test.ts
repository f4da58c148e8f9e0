// The pushes that are written ahead: all that were synced come back, and nothing that was not written whole.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { chanceOf } from '../../../testing/seed.ts';
import { generous } from '../contract/pushes.ts';
import { type LogRecord, logName, readLog, WriteAheadLog } from './write-ahead-log.ts';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ahead-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function record(number: number, length = 100): LogRecord {
  const body = new Uint8Array(length).fill(number);
  return { tenant: number, limits: generous, push: { format: 'text', coding: 'identity', receivedMs: number, body } };
}

const tenants = (folder: string, number: number): number[] =>
  Array.from(readLog(folder, number), ({ tenant, push }) => {
    assert.ok(push.body.every((byte) => byte === tenant % 256));
    return tenant;
  });

describe('pushes written ahead', () => {
  it('come back in their order, with all that is known of them', async (t) => {
    const folder = folderFor(t);
    const file = new WriteAheadLog(folder, 3);
    const records = Array.from({ length: 600 }, (_, at) => record(at, at * 3));
    await file.sync(file.append(records.slice(0, 2)));
    await file.sync(file.append(records.slice(2)));
    const read = [...readLog(folder, 3)];
    assert.deepEqual(
      read.map(({ push, ...rest }) => ({ ...rest, push: { ...push, body: new Uint8Array(push.body) } })),
      records,
    );
    file.release();
  });

  it('a record that is not whole ends them, wherever it was cut or changed', async (t) => {
    const chance = chanceOf(t);
    const folder = folderFor(t);
    const file = new WriteAheadLog(folder, 1);
    const ends = [0];
    for (let number = 1; number <= 10; number++) {
      await file.sync(file.append([record(number, chance.below(300))]));
      ends.push(file.bytes);
    }
    file.release();
    const path = join(folder, logName(1));
    const whole = readFileSync(path);
    for (let round = 0; round < 200; round++) {
      const at = chance.below(whole.length);
      const complete = ends.findLastIndex((end) => end <= at);
      const expected = Array.from({ length: complete }, (_, number) => number + 1);
      writeFileSync(path, whole);
      if (chance.often(50)) truncateSync(path, at);
      else writeFileSync(path, whole.with(at, (whole[at] as number) ^ (1 << chance.below(8))));
      assert.deepEqual(tenants(folder, 1), expected);
    }
  });

  it('what an earlier use of the file left behind is not taken for a record', async (t) => {
    const folder = folderFor(t);
    const first = new WriteAheadLog(folder, 1);
    await first.sync(first.append([1, 2, 3, 4].map((number) => record(number))));
    const second = new WriteAheadLog(folder, 2, first.release());
    assert.deepEqual(tenants(folder, 2), []);
    await second.sync(second.append([record(9)]));
    assert.deepEqual(tenants(folder, 2), [9]);
    second.remove();
    assert.throws(() => [...readLog(folder, 2)], /ENOENT/);
  });

  it('a file of the same length with other records before does not go on with old ones', async (t) => {
    const folder = folderFor(t);
    const [one, other] = [new WriteAheadLog(folder, 1), new WriteAheadLog(folder, 2)];
    one.append([record(1), record(2)]);
    other.append([record(3)]);
    const rest = readFileSync(join(folder, logName(1))).subarray(other.bytes);
    appendFileSync(join(folder, logName(2)), rest);
    assert.deepEqual(tenants(folder, 2), [3]);
    one.release();
    other.release();
  });

  it('those who wait together share a sync', async (t) => {
    const folder = folderFor(t);
    const file = new WriteAheadLog(folder, 1);
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
    const file = new WriteAheadLog(folder, 1);
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
