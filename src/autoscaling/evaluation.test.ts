// The average that a policy is judged by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerUsage } from '../surface/ports.ts';
import { averageOf } from './evaluation.ts';
import type { Policy } from './policy-properties.ts';

const range = 600_000;
const usage = (runningMs: number, cpuPercent: number, networkInBytes: number): ServerUsage => ({
  runningMs,
  cpuPercent, // over the whole range
  networkInBytes,
  networkOutBytes: 0,
  networkInPackets: 0,
  networkOutPackets: 0,
});
const policy = (more: object): Policy => more as Policy;

test('[SCALE-03] the average is over the time that replicas ran, and stopped replicas do not count', () => {
  const usages = [usage(range, 80, 6000), usage(range / 2, 20, 3000), usage(0, 0, 0)];
  assert.equal(
    averageOf(policy({ metric: 'INSTANCE_CPU_UTILIZATION_AVERAGE', unit: 'TOTAL' }), usages, range),
    200 / 3,
  );
  const network = (unit: string): number | undefined =>
    averageOf(policy({ metric: 'INSTANCE_NETWORK_IN_BYTES', unit }), usages, range);
  assert.equal(network('TOTAL'), 4500, 'of the two that ran');
  assert.equal(network('PER_MINUTE'), 600);
  assert.equal(network('PER_SECOND'), 10);
  assert.equal(network('PER_HOUR'), 36_000);
  assert.equal(
    averageOf(policy({ metric: 'INSTANCE_NETWORK_IN_BYTES', unit: 'TOTAL' }), [usage(0, 0, 0)], range),
    undefined,
  );
});
