// The worker pool: calls, faults, deadlines, threads that die, and its end.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import type { TestCalls } from './testing-worker.ts';
import { LostCall, WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

function openPool(options: Partial<WorkerPoolOptions> = {}): WorkerPool<TestCalls> & AsyncDisposable {
  const pool = new WorkerPool<TestCalls>({
    name: 'The test',
    module: new URL('./testing-worker.ts', import.meta.url),
    ...options,
  });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.close() });
}

const isFault = (kind: string, message: RegExp) => (error: unknown) =>
  error instanceof Fault && error.kind === kind && message.test(error.message);

test('a thread starts with the first call and answers many', async () => {
  await using pool = openPool();
  assert.deepEqual(pool.figures(), { threads: 0, pending: 0, waiting: 0, losses: 0 });
  const calls = Array.from({ length: 50 }, (_, at) => pool.call('double', at));
  assert.deepEqual(pool.figures(), { threads: 1, pending: 50, waiting: 0, losses: 0 });
  assert.deepEqual(
    await Promise.all(calls),
    calls.map((_, at) => at * 2),
  );
  const { bytes } = await pool.call('bytes', 1000);
  assert.deepEqual([bytes.length, bytes[999]], [1000, 7]);
});

test('a signal that outlives its calls keeps nothing of them', async () => {
  await using pool = openPool();
  const { signal } = new AbortController();
  for (let at = 0; at < 3; at++) await pool.call('double', at, { signal });
  await assert.rejects(pool.call('refuse', 'taken', { signal }));
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('faults keep their kind, message and problems, and nothing of their cause', async () => {
  await using pool = openPool();
  await assert.rejects(pool.call('refuse', 'taken'), (error) => {
    assert.ok(error instanceof Fault);
    assert.deepEqual([error.kind, error.message, error.problems], ['conflict', 'taken', [{ message: 'taken' }]]);
    assert.equal(error.cause, undefined);
    return true;
  });
  assert.equal(pool.figures().losses, 0);
});

test('a bug ends its thread, is logged once, and the next call has another thread', async () => {
  const errors: unknown[] = [];
  await using pool = openPool({ onError: (error) => errors.push(error) });
  const first = await pool.call('thread', undefined);
  const beside = pool.call('crash', 'a bug');
  await assert.rejects(beside, isFault('unavailable', /^The test had to be restarted/));
  assert.match(String(errors), /a bug/);
  assert.notEqual(await pool.call('thread', undefined), first);
  assert.equal(pool.figures().losses, 1);
});

test('a call that misses its deadline costs its thread; those in line have the next', async () => {
  await using pool = openPool({ callsPerThread: 1 });
  await pool.call('double', 1);
  const late = pool.call('spin', undefined, { deadlineMs: 50 });
  const next = pool.call('double', 4);
  assert.deepEqual(pool.figures(), { threads: 1, pending: 1, waiting: 1, losses: 0 });
  await assert.rejects(late, isFault('unavailable', /did not answer in 0.05 s/));
  assert.equal(await next, 8);
});

test('calls go to the thread that has the fewest', async () => {
  await using pool = openPool({ threads: 2, callsPerThread: 1 });
  const [first, second] = await Promise.all([pool.call('thread', undefined), pool.call('thread', undefined)]);
  assert.notEqual(first, second);
});

test('the many calls of one group do not delay the call of another, and are bounded', async () => {
  await using pool = openPool({ threads: 2, sharedThreads: 1, callsPerThread: 1, waitingPerGroup: 3 });
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const held = [1, 2, 3, 4].map(() => pool.call('hold', gate, { group: 'mine' }));
  await assert.rejects(pool.call('double', 5, { group: 'mine' }), isFault('throttled', /already has 3 waiting calls/));
  assert.equal(await pool.call('double', 1, { group: 'other' }), 2);
  assert.deepEqual(pool.figures(), { threads: 2, pending: 1, waiting: 3, losses: 0 });
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  assert.deepEqual(await Promise.all(held), [1, 1, 1, 1]);
});

test('the time in line does not count as time that a call runs', async () => {
  await using pool = openPool({ callsPerThread: 1 });
  const late = [1, 2, 3].map(() => pool.call('spin', undefined, { deadlineMs: 100 }));
  const ended = Promise.allSettled(late);
  assert.equal(await pool.call('double', 4, { deadlineMs: 10_000 }), 8);
  for (const each of await ended)
    assert.ok(each.status === 'rejected' && each.reason instanceof LostCall && each.reason.reason === 'deadline');
  assert.equal(pool.figures().losses, 3, 'each had its own time');
});

test('a call whose caller has disconnected is removed from the queue', async () => {
  await using pool = openPool({ callsPerThread: 1 });
  const first = pool.call('double', 1);
  const gone = new AbortController();
  const left = pool.call('double', 2, { signal: gone.signal });
  gone.abort();
  await assert.rejects(left, isFault('unavailable', /was left/));
  assert.deepEqual([await first, await pool.call('double', 3)], [2, 6]);
});

test('a thread without memory fails its own call alone', async () => {
  await using pool = openPool({ threads: 2, callsPerThread: 1, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  const hungry = pool.call('hoard', undefined);
  const beside = pool.call('double', 1);
  await assert.rejects(hungry, (error) => error instanceof LostCall && error.reason === 'memory');
  assert.equal(await beside, 2);
});

test('an idle thread ends, and the next call starts one', async () => {
  await using pool = openPool({ idleMs: 1 });
  await pool.call('double', 1);
  for (const [, worker] of pool.workers()) await new Promise((resolve) => worker.once('exit', resolve));
  assert.deepEqual(pool.figures(), { threads: 0, pending: 0, waiting: 0, losses: 0 });
  assert.equal(await pool.call('double', 2), 4);
});

test('a closed pool refuses calls, and refuses only the call whose argument can not be cloned', async () => {
  const pool = openPool();
  await assert.rejects(pool.call('double', (() => 1) as never), /could not be cloned/);
  assert.equal(await pool.call('double', 1), 2);
  await pool.close();
  await assert.rejects(pool.call('double', 1), isFault('unavailable', /stopping/));
  assert.equal(pool.isRunning, false);
});
