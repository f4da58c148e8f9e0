// Reconcilers run on their timer and when they are nudged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../base/clock.ts';
import { silent } from '../base/log.ts';
import type { Node } from './nodes/node.ts';
import { Reconcilers } from './reconciler.ts';

const node = { alone: (_name: string, work: () => Promise<void>) => work() } as Node;

test('jobs on data of one node run there, as often as requested, and other nodes finish their own', async () => {
  const followers: (() => void)[] = [];
  const home = {
    isShared: false,
    isHere: false,
    isOnOtherNode: false,
    follow: (one: () => void) => followers.push(one),
  };
  const others = { alone: () => assert.fail('no lease is needed') } as Partial<Node> as Node;
  const reconcilers = new Reconcilers(createClock(), silent, others);
  const done: string[] = [];
  reconcilers.add({
    name: 'kept',
    everyMs: 3_600_000,
    home,
    run: async () => void done.push('run'),
    leave: async () => void done.push('leave'),
  });
  await reconcilers.nudge('kept');
  assert.deepEqual(done, [], 'this node does not know yet');
  home.isHere = true;
  await reconcilers.nudge('kept');
  Object.assign(home, { isHere: false, isOnOtherNode: true });
  for (const follower of followers) follower();
  await reconcilers.stop();
  assert.deepEqual(done, ['run', 'leave'], 'without waiting for its time');
});

test('work on shared data is done by one node at a time, unless it belongs to every node', async () => {
  const home = { isShared: true, isHere: true, isOnOtherNode: false, follow() {} };
  const events: string[] = [];
  const busy = { alone: async (name: string) => void events.push(name) } as Partial<Node> as Node;
  const reconcilers = new Reconcilers(createClock(), silent, busy);
  const run = async (): Promise<void> => void events.push('ran');
  reconcilers.add({ name: 'one', everyMs: 3_600_000, home, run });
  reconcilers.add({ name: 'each', everyMs: 3_600_000, home, everywhere: true, run });
  await reconcilers.nudge('one');
  await reconcilers.nudge('each');
  assert.deepEqual(events, ['reconciler one', 'ran']);
});

test('a nudged reconciler runs at once, and once more where it was nudged while it ran', async () => {
  const reconcilers = new Reconcilers(createClock(), silent, node);
  let runs = 0;
  let release = (): void => {};
  reconcilers.add({
    name: 'slow',
    everyMs: 3_600_000,
    run: () => {
      runs += 1;
      return new Promise((done) => {
        release = done;
      });
    },
  });
  const first = reconcilers.nudge('slow');
  const others = [reconcilers.nudge('slow'), reconcilers.nudge('slow')];
  assert.equal(runs, 1);
  release();
  await first;
  await new Promise(setImmediate);
  assert.equal(runs, 2, 'both nudges that came during the run share the next one');
  release();
  await Promise.all(others);
  await assert.rejects(reconcilers.nudge('none'), /there is no reconciler none/);
});
