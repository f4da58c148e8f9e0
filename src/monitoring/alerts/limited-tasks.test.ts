// Work beside the reconciler: once at a time, few at once, and waited for a while only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InFlight } from './limited-tasks.ts';

test('each piece runs once at a time, and no more than there is room for', async () => {
  const flights = new InFlight(2);
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  assert.ok(flights.start('a', () => ends[0].promise));
  assert.ok(!flights.start('a', () => assert.fail('it runs already')));
  assert.ok(flights.start('b', () => ends[1].promise));
  assert.ok(!flights.start('c', () => assert.fail('there is no room')));
  ends[0].resolve();
  ends[1].resolve();
  await flights.settled(10_000);
  assert.equal(flights.size, 0);
  assert.ok(flights.start('c', async () => undefined));
});

test('who waits for it waits a while only', async () => {
  const flights = new InFlight(2);
  const end = Promise.withResolvers<void>();
  flights.start('slow', () => end.promise);
  await flights.settled(1);
  assert.equal(flights.size, 1);
  end.resolve();
  await flights.settled(10_000);
  assert.equal(flights.size, 0);
});
