// Turns of contracts, a bounded queue, and clients that disconnect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { until } from '../testing/waiting.ts';
import { readAhead } from './read-ahead.ts';
import { Schedule } from './schedule.ts';

const open = new AbortController().signal;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// Work that ends on command.
function gatedWork(schedule: Schedule, engine: { parallel: number }) {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const start = (name: string, contract: number, signal = open): Promise<void> =>
    schedule.run(engine, contract, signal, () => {
      begun.push(name);
      return new Promise((resolve) => gates.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    gates.get(name)?.();
    await settled();
  };
  return { begun, start, end };
}

test('contracts take turns, however many orders one of them has', async () => {
  const schedule = new Schedule();
  const { begun, start, end } = gatedWork(schedule, { parallel: 1 });
  const all = [start('a1', 1), start('a2', 1), start('a3', 1), start('b1', 2)];
  await settled();
  await end('a1');
  await end('a2');
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('b1');
  await end('a3');
  await Promise.all(all);
  assert.deepEqual(schedule.figures(), { running: 0, waiting: 0, refused: 0 });
});

test("the engine's number of orders run at once, and an order that leaves the queue never runs", async () => {
  const schedule = new Schedule();
  const { begun, start, end } = gatedWork(schedule, { parallel: 2 });
  const leaving = new AbortController();
  const all = [start('a', 1), start('b', 1)];
  const gone = start('c', 1, leaving.signal);
  all.push(start('d', 1));
  await settled();
  assert.deepEqual([begun.length, schedule.figures().waiting], [2, 2]);
  leaving.abort(new Error('left'));
  await assert.rejects(gone, /left/);
  await end('a');
  assert.deepEqual(begun, ['a', 'b', 'd']);
  for (const name of ['b', 'd']) await end(name);
  await Promise.all(all);
  await assert.rejects(start('e', 1, leaving.signal), /left/);
});

test('a full queue is 429 with Retry-After, and failed work frees its turn', async () => {
  const schedule = new Schedule();
  const engine = { parallel: 1 };
  const leaving = new AbortController();
  const { start, end } = gatedWork(schedule, engine);
  const first = start('first', 1);
  const waiting: Promise<unknown>[] = [];
  let refused: unknown;
  while (refused === undefined) {
    const one = start('more', 1, leaving.signal);
    waiting.push(one.catch(() => undefined));
    if (schedule.figures().refused === 1) refused = await one.catch((error: unknown) => error);
    assert.ok(waiting.length < 1000);
  }
  assert.ok(refused instanceof Fault && refused.kind === 'throttled' && (refused.detail.retryAfterS ?? 0) > 0);
  const other = start('other', 2);
  await settled();
  leaving.abort(new Error('left'));
  await Promise.all(waiting);
  await end('first');
  await end('other');
  await Promise.all([first, other]);
  await assert.rejects(
    schedule.run(engine, 1, open, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await schedule.run(engine, 1, open, async () => 'next'), 'next');
});

test('a stream that is not read to its end frees its turn', async () => {
  const schedule = new Schedule();
  const engine = { parallel: 1 };
  const endless = async function* () {
    for (;;) yield 1;
  };
  for (let round = 0; round < 3; round++)
    for await (const one of schedule.stream(engine, 1, open, endless)) {
      assert.equal(one, 1);
      break;
    }
  await until('no work runs', () => schedule.figures().running === 0);
});

test('a client that reads slowly, or not at all, holds no turn of the engine', async () => {
  const schedule = new Schedule();
  const engine = { parallel: 1 };
  const numbers = async function* (): AsyncGenerator<number> {
    for (let number = 0; number < 100; number++) yield number;
  };
  const slow = schedule.stream(engine, 1, open, numbers);
  assert.deepEqual(await slow.next(), { value: 0, done: false });
  const others: number[] = [];
  for await (const number of schedule.stream(engine, 2, open, numbers)) others.push(number);
  assert.equal(others.length, 100);
  assert.deepEqual((await Array.fromAsync(slow)).slice(-2), [98, 99]);
  assert.equal(schedule.figures().running, 0);
});

test('reading ahead is bounded, and a client that reads nothing for long is disconnected', async () => {
  let made = 0;
  let isEnded = false;
  const endless = async function* (): AsyncGenerator<number> {
    for (;;) yield ++made;
  };
  const ahead = readAhead(endless(), () => (isEnded = true), 20, 5);
  assert.equal((await ahead.next()).value, 1);
  await until('the reader is disconnected', () => isEnded);
  assert.ok(made <= 7, `${made} were created`);
  await assert.rejects(Array.fromAsync(ahead), /read too slowly/);
  let left = false;
  const leaving = readAhead(endless(), () => (left = true));
  await leaving.next();
  await leaving.return(undefined);
  await until('the source is closed', () => left);
});
