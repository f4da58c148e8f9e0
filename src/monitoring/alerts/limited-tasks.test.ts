// Background tasks of a reconciler: one per key, a limited number at a time, with a limited wait.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LimitedTasks } from './limited-tasks.ts';

test('each task runs once at a time, up to the limit', async () => {
  const tasks = new LimitedTasks(2);
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  assert.ok(tasks.start('a', () => ends[0].promise));
  assert.ok(!tasks.start('a', () => assert.fail('it runs already')));
  assert.ok(tasks.start('b', () => ends[1].promise));
  assert.ok(!tasks.start('c', () => assert.fail('the limit is reached')));
  ends[0].resolve();
  ends[1].resolve();
  await tasks.settled(10_000);
  assert.equal(tasks.size, 0);
  assert.ok(tasks.start('c', async () => undefined));
});

test('a group has its own limit, so that it does not block others', async () => {
  const tasks = new LimitedTasks(3, 1);
  const end = Promise.withResolvers<void>();
  assert.ok(tasks.start('a', () => end.promise, 'one'));
  assert.ok(!tasks.start('b', () => assert.fail('its group is busy'), 'one'));
  assert.ok(tasks.start('c', () => end.promise, 'two'));
  end.resolve();
  await tasks.settled(10_000);
  assert.ok(tasks.start('b', async () => undefined, 'one'));
});

test('callers wait for a limited time', async () => {
  const tasks = new LimitedTasks(2);
  const end = Promise.withResolvers<void>();
  tasks.start('slow', () => end.promise);
  await tasks.settled(1);
  assert.equal(tasks.size, 1);
  end.resolve();
  await tasks.settled(10_000);
  assert.equal(tasks.size, 0);
});
