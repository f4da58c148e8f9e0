// Committed offsets are visible only after they are written: a crash must not undo what a client has read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { KeyValueLog } from '../log/key-value-log.ts';
import { testFolder } from '../log/testing.ts';
import { Offsets } from './offsets.ts';

test('[STREAM-06] an offset is visible after it is written, in the order of the commits and deletions', async (t) => {
  const path = join(testFolder(t), 'broker.log');
  const state = await KeyValueLog.open(path, 'always');
  const offsets = new Offsets(state);
  const at = (offset: number) => ({ topic: 'orders', partition: 0, offset, leaderEpoch: 0, metadata: '', commitMs: 1 });
  const seen = (of = offsets): number[] => of.of('readers').map(({ offset }) => offset);
  const first = offsets.commit('readers', [at(1)]);
  assert.deepEqual(seen(), []);
  await first;
  assert.deepEqual(seen(), [1]);
  const both = Promise.all([offsets.commit('readers', [at(2)]), offsets.commit('readers', [at(3)])]);
  assert.deepEqual(seen(), [1]);
  await both;
  assert.deepEqual(seen(), [3]);
  await Promise.all([offsets.commit('readers', [at(4)]), offsets.deleteGroup('readers')]);
  assert.deepEqual(seen(), []);
  await state.close();
  const again = await KeyValueLog.open(path, 'always');
  assert.deepEqual(seen(new Offsets(again)), []);
  await again.close();
});
