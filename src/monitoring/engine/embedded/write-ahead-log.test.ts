// Logged pushes are restored with all their properties, also from files of an earlier version.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { generous } from '../contract/pushes.ts';
import { type LoggedPush, logName, openLog, pushReader, recordOf } from './write-ahead-log.ts';

function pushOf(number: number, length = 100): LoggedPush {
  const body = new Uint8Array(length).fill(number);
  return { tenant: number, limits: generous, push: { format: 'text', coding: 'identity', receivedMs: number, body } };
}

const undamaged = (): void => assert.fail('damaged');

test('pushes are restored in their order, with all their properties', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ahead-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const log = openLog(folder, 3, 42);
  const pushes = Array.from({ length: 600 }, (_, at) => pushOf(at, at * 3));
  await log.append(pushes.map(recordOf));
  log.release();
  const found = [...pushReader(3, 42)(readFileSync(join(folder, logName(3))), undamaged)];
  assert.deepEqual(
    found.map(({ push, ...rest }) => ({ ...rest, push: { ...push, body: new Uint8Array(push.body) } })),
    pushes,
  );
});

test('a file of an earlier version is read up to the first incomplete record', () => {
  let sum = 4;
  const parts = [7, 8].flatMap((number) => {
    const { header, body } = recordOf(pushOf(number));
    sum = crc32(body, crc32(header, sum));
    const prefix = Buffer.alloc(16);
    for (const [at, value] of [0x44414541, header.length, body.length, sum].entries())
      prefix.writeUInt32LE(value, 4 * at);
    return [prefix, header, body];
  });
  const found = pushReader(4, undefined)(Buffer.concat([...parts, Buffer.from('torn')]), undamaged);
  assert.deepEqual(
    Array.from(found, ({ tenant }) => tenant),
    [7, 8],
  );
});
