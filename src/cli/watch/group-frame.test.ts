// What the terminal shows of a group, as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curve, frameOf, lineOf } from './group-frame.ts';

const told = {
  id: 'ID',
  name: 'web',
  now: '2027-01-15T08:00:00.000Z',
  replicas: 2,
  minReplicaCount: 1,
  maxReplicaCount: 4,
  metric: 'INSTANCE_NETWORK_IN_BYTES',
  unit: 'PER_MINUTE',
  range: 'PT2M',
  value: 1234.567,
  scaleInThreshold: 100,
  scaleOutThreshold: 2000,
  cooldownUntil: '2027-01-15T08:04:00.000Z',
  retryAt: null,
  servers: [{ name: 'web-1', server: 'S', state: 'AVAILABLE' }],
  actions: [{ began: '2027-01-15T07:59:00.000Z', type: 'SCALE_OUT', status: 'FAILED', message: 'no machine today' }],
};

test('a curve shows each number by its height, and leaves out what is not known', () => {
  assert.equal(curve([0, 1, null, 4, 8], 8, 10), '▁▁ ▄█');
  assert.equal(curve([1, 2, 3, 4], 4, 2), '▆█', 'the newest, as far as there is room');
  assert.equal(curve([0, 0], 0, 10), '▁▁');
});

test('a line tells count, metric, thresholds and the last action; a frame besides what waits, replicas and actions', () => {
  assert.equal(
    lineOf(told),
    '2027-01-15T08:00:00.000Z  2 replicas (1 … 4)  1234.57 per minute (100 … 2000)  SCALE_OUT FAILED',
  );
  const frame = frameOf(told, [{ replicas: 1, value: null }], 80);
  for (const text of [
    '2 of 1 to 4',
    'over PT2M; in below 100, out above 2000',
    'cooldown until',
    'web-1',
    'no machine today',
  ])
    assert.ok(frame.includes(text), text);
});
