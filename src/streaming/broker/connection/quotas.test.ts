// Client quotas: which quota applies, and how long a client has to wait.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { KeyValueLog } from '../log/key-value-log.ts';
import { testFolder } from '../log/testing.ts';
import { Quotas } from './quotas.ts';

test('the most specific quota applies, a burst is free, and quotas survive a restart', async (t) => {
  const path = join(testFolder(t), 'broker.log');
  const state = await KeyValueLog.open(path, 'interval');
  let now = 0;
  const quotas = new Quotas(state, () => now);
  const anna = { user: 'anna', clientId: 'app' };
  assert.equal(quotas.produced(anna, 1e9), 0);
  await quotas.change({ user: null }, { producer_byte_rate: 1_000 });
  await quotas.change({ user: 'anna' }, { producer_byte_rate: 100_000 });
  assert.equal(quotas.produced({ user: 'otto', clientId: 'app' }, 5_000), 3_000);
  assert.equal(quotas.produced(anna, 200_000), 0);
  assert.equal(quotas.produced(anna, 100_000), 1_000);
  assert.equal(quotas.consumed(anna, 1e9), 0);
  now = 10_000;
  assert.equal(quotas.produced(anna, 200_000), 0);
  await quotas.change({ user: null }, { producer_byte_rate: null });
  await state.close();
  const again = await KeyValueLog.open(path, 'interval');
  assert.deepEqual(new Quotas(again, () => now).entries, [
    { entity: { user: 'anna' }, values: { producer_byte_rate: 100_000 } },
  ]);
  await again.close();
});
