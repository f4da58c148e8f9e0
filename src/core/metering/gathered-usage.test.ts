// Usage is written once, also when the state can't be written to for a while.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import type { WriteSet } from '../state/engine.ts';
import { unknownOutcome } from '../state/unknown-outcome.ts';
import { GatheredUsage } from './gathered-usage.ts';

function setUp() {
  const written: unknown[] = [];
  const failures: Error[] = [];
  const must = async (writes: WriteSet): Promise<string[]> => {
    const failure = failures.shift();
    if (failure) throw failure;
    for (const write of writes) if (write.op === 'append') written.push(JSON.parse(write.row.body).amounts);
    return [];
  };
  return { written, failures, usage: new GatheredUsage({ must }, () => 0) };
}

const used = (requests: number) => ({ path: 'p', kind: 'k', amounts: { requests } });

test('a failed write is repeated with the next minute', async () => {
  const { written, failures, usage } = setUp();
  usage.add(1, used(2));
  failures.push(new Fault('unavailable', 'later'));
  await assert.rejects(usage.flush(), /later/);
  usage.add(1, used(3));
  await usage.flush();
  await usage.flush();
  assert.deepEqual(written, [{ requests: 5 }]);
});

test('a write with an unknown outcome is not repeated', async () => {
  const { written, failures, usage } = setUp();
  usage.add(1, used(2));
  failures.push(unknownOutcome(undefined));
  await assert.rejects(usage.flush());
  await usage.flush();
  assert.deepEqual(written, []);
});
