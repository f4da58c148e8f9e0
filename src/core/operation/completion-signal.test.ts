// A waiter is notified of the end of an operation, but not of ends before it read the rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompletionSignal } from './completion-signal.ts';

const never = 60_000;

test('the waiting ends with the next end of the contract', async () => {
  const ends = new CompletionSignal();
  const ended: string[] = [];
  const first = ends.wait(1, ends.of(1), never).then(() => ended.push('first'));
  const second = ends.wait(1, ends.of(1), never).then(() => ended.push('second'));
  const other = ends.wait(2, ends.of(2), never).then(() => ended.push('other'));
  ends.add(1);
  await Promise.all([first, second]);
  assert.deepEqual(ended, ['first', 'second']);
  ends.add(2);
  await other;
});

test('an end between the look and the waiting is not missed', async () => {
  const ends = new CompletionSignal();
  const seen = ends.of(1);
  ends.add(1);
  await ends.wait(1, seen, never);
  await ends.wait(1, ends.of(1), 1);
});
