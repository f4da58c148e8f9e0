// Reconcilers run on their timer and when they are nudged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../base/clock.ts';
import { silent } from '../base/log.ts';
import type { Node } from './nodes/node.ts';
import { Reconcilers } from './reconciler.ts';

const node = { alone: (_name: string, work: () => Promise<void>) => work() } as Node;

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
  assert.equal(runs, 2, 'both nudges that came meanwhile share one run');
  release();
  await Promise.all(others);
  await assert.rejects(reconcilers.nudge('none'), /there is no reconciler none/);
});
