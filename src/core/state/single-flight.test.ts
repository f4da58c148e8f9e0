// Which calls share a query.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SingleFlight } from './single-flight.ts';

function flights() {
  const asked: PromiseWithResolvers<number>[] = [];
  const flight = new SingleFlight(() => {
    asked.push(Promise.withResolvers<number>());
    return (asked.at(-1) as PromiseWithResolvers<number>).promise;
  });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
  return { asked, flight, settled };
}

it('all callers of one turn share a flight; callers during the flight share the next one', async () => {
  const { asked, flight, settled } = flights();
  const first = Array.from({ length: 10 }, () => flight.get());
  assert.equal(asked.length, 0);
  await settled();
  assert.equal(asked.length, 1);
  const later = Array.from({ length: 50 }, () => flight.get());
  await settled();
  assert.equal(asked.length, 1, 'one at a time');
  asked[0]?.resolve(1);
  await settled();
  assert.equal(asked.length, 2);
  const last = flight.get();
  asked[1]?.resolve(2);
  assert.deepEqual(new Set(await Promise.all(first)), new Set([1]));
  assert.deepEqual(new Set(await Promise.all(later)), new Set([2]));
  await settled();
  asked[2]?.resolve(3);
  assert.equal(await last, 3);
  assert.equal(asked.length, 3);
});

it('a flight that fails fails for all its callers, and the next caller starts another', async () => {
  const { asked, flight, settled } = flights();
  const first = flight.get();
  await settled();
  const second = flight.get();
  asked[0]?.reject(new Error('gone'));
  await assert.rejects(first, /gone/);
  await settled();
  asked[1]?.resolve(2);
  assert.equal(await second, 2);
  const third = flight.get();
  await settled();
  asked[2]?.resolve(3);
  assert.equal(await third, 3);
});

it('a flight waits for callers that come turn by turn, but not endlessly', async () => {
  const { asked, flight } = flights();
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  let came = 0;
  while (asked.length === 0 && came < 100) {
    void flight.get();
    came += 1;
    await turn();
  }
  assert.ok(came > 1 && came < 6, `${came} share it`);
});
