// Write-ahead logs of an earlier version, in which each checksum continues the one before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogDamage } from '../../../core/record-log/record-reader.ts';
import { earlierLog } from './testing.ts';
import { entryReader } from './write-ahead-log.ts';

const number = 7;

function read(bytes: Buffer): { texts: string[]; damage: LogDamage[] } {
  const damage: LogDamage[] = [];
  const entries = [...entryReader({ number })(bytes, (one) => damage.push(one))];
  return { texts: entries.map((one) => ('job' in one ? `${Buffer.from(one.job)}` : `without ${one.drop}`)), damage };
}

test('[LOG-04] a log of an earlier version is read up to its torn end', () => {
  const bytes = earlierLog(number, [{ job: Buffer.from('one') }, { drop: 'tenant' }, { job: Buffer.from('two') }]);
  assert.deepEqual(read(bytes), { texts: ['one', 'without tenant', 'two'], damage: [] });
  for (const end of [bytes.length - 1, bytes.length - 3, bytes.length - 5])
    assert.deepEqual(read(bytes.subarray(0, end)), { texts: ['one', 'without tenant'], damage: [] });
  assert.deepEqual(read(Buffer.concat([bytes, Buffer.alloc(100)])).damage, []);
});

test('[LOG-04] a log of an earlier version is read up to its first damage, which is reported', () => {
  const bytes = earlierLog(number, [{ job: Buffer.from('one') }, { job: Buffer.from('two') }]);
  const at = 16 + 3;
  for (const place of [at, at + 5, at + 12, at + 16]) {
    const damaged = Buffer.from(bytes);
    damaged[place] = (damaged[place] as number) ^ 0x11;
    assert.deepEqual(read(damaged), { texts: ['one'], damage: [{ at, bytes: bytes.length - at }] }, `byte ${place}`);
  }
});
