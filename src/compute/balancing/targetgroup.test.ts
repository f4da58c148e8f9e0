// Target groups: an operation that breaks is undone.
import { test } from 'node:test';
import { openWorkbench, unwindsFromEveryStep } from '../../core/testing.ts';
import { computeResources } from '../index.ts';
import type { ComputeTools } from '../tools.ts';
import { targetGroup } from './targetgroup.ts';

test('an interrupted creation or removal of a target group leaves nothing behind', async () => {
  await using bench = await openWorkbench(computeResources, () => ({}) as ComputeTools);
  await unwindsFromEveryStep(bench, bench.model.get(targetGroup.name), {
    name: 'pool',
    algorithm: 'RANDOM',
    protocol: 'HTTP',
  });
});
