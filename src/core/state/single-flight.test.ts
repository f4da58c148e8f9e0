// Which calls share a query.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SingleFlight } from './single-flight.ts';

function flights() {
  const calls: PromiseWithResolvers<number>[] = [];
  const flight = new SingleFlight(() => {
    calls.push(Promise.withResolvers<number>());
    return (calls.at(-1) as PromiseWithResolvers<number>).promise;
  });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
  return { calls, flight, settled };
}

it('all callers of one turn share a flight; callers during the flight share the next one', async () => {
  const { calls, flight, settled } = flights();
  const first = Array.from({ length: 10 }, () => flight.get());
  assert.equal(calls.length, 0);
  await settled();
  assert.equal(calls.length, 1);
  const later = Array.from({ length: 50 }, () => flight.get());
  await settled();
  assert.equal(calls.length, 1, 'one at a time');
  calls[0]?.resolve(1);
  await settled();
  assert.equal(calls.length, 2);
  const last = flight.get();
  calls[1]?.resolve(2);
  assert.deepEqual(new Set(await Promise.all(first)), new Set([1]));
  assert.deepEqual(new Set(await Promise.all(later)), new Set([2]));
  await settled();
  calls[2]?.resolve(3);
  assert.equal(await last, 3);
  assert.equal(calls.length, 3);
});

it('a flight that fails fails for all its callers, and the next caller starts another', async () => {
  const { calls, flight, settled } = flights();
  const first = flight.get();
  await settled();
  const second = flight.get();
  calls[0]?.reject(new Error('gone'));
  await assert.rejects(first, /gone/);
  await settled();
  calls[1]?.resolve(2);
  assert.equal(await second, 2);
  const third = flight.get();
  await settled();
  calls[2]?.resolve(3);
  assert.equal(await third, 3);
});

it('a flight waits for callers that come turn by turn, but not endlessly', async () => {
  const { calls, flight } = flights();
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  let came = 0;
  while (calls.length === 0 && came < 100) {
    void flight.get();
    came += 1;
    await turn();
  }
  assert.ok(came > 1 && came < 6, `${came} share it`);
});
