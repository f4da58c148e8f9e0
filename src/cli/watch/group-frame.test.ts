// The text that the terminal shows for a group.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curve, frameOf, lineOf } from './group-frame.ts';
import { linesOf, Seen } from './group-lines.ts';

const group = {
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
  load: { cpuPercent: 300, networkInBytesPerSecond: 20 },
  servers: [{ name: 'web-1', server: 'S', state: 'AVAILABLE' }],
  actions: [{ began: '2027-01-15T07:59:00.000Z', type: 'SCALE_OUT', status: 'FAILED', message: 'no machine today' }],
};

test('a curve shows each number by its height, and omits unknown ones', () => {
  assert.equal(curve([0, 1, null, 4, 8], 8, 10), '▁▁ ▄█');
  assert.equal(curve([1, 2, 3, 4], 4, 2), '▆█', 'the newest, as far as they fit');
  assert.equal(curve([0, 0], 0, 10), '▁▁');
});

test('a line shows count, metric, thresholds and the last action; a frame also shows waiting, replicas and actions', () => {
  assert.equal(
    lineOf(group),
    '2027-01-15T08:00:00.000Z  2 replicas (1 … 4)  1234.57 per minute (100 … 2000)  SCALE_OUT FAILED: no machine today',
  );
  const frame = frameOf(group, [{ replicas: 1, value: null }], 80);
  for (const text of [
    '2 of 1 to 4',
    'over PT2M; in below 100, out above 2000',
    'cooldown until',
    '300% CPU, 20 bytes/s in in all, spread over 2 replicas',
    'web-1',
    'no machine today',
  ])
    assert.ok(frame.includes(text), text);
});

test('every action is shown, including those that began and ended between two polls', () => {
  const seen = new Seen();
  const action = (id: string, status: string, from: number, to: number) => ({
    ...{ id, status, from, to, value: 2500, type: 'SCALE_OUT', began: `2027-01-15T08:0${id}:00.000Z` },
  });
  const one = action('1', 'SUCCESSFUL', 1, 2);
  assert.equal(linesOf({ ...group, actions: [one] }, seen, false), lineOf({ ...group, actions: [one] }));
  assert.equal(linesOf({ ...group, now: 'later', value: 1, actions: [one] }, seen, false), '', 'nothing has changed');
  const actions = [action('3', 'IN_PROGRESS', 3, 4), action('2', 'SUCCESSFUL', 2, 3), one];
  assert.deepEqual(linesOf({ ...group, replicas: 3, actions }, seen, false).split('\n'), [
    '2027-01-15T08:02:00.000Z  2 → 3 replicas (1 … 4)  2500 per minute (100 … 2000)  SCALE_OUT SUCCESSFUL',
    '2027-01-15T08:03:00.000Z  3 → 4 replicas (1 … 4)  2500 per minute (100 … 2000)  SCALE_OUT IN_PROGRESS',
  ]);
  const ended = [action('3', 'SUCCESSFUL', 3, 4), ...actions.slice(1)];
  assert.match(linesOf({ ...group, replicas: 4, actions: ended }, seen, false), /^\S+08:03\S+ {2}3 → 4 .*SUCCESSFUL$/);
  assert.deepEqual(
    seen.samples.map(({ replicas }) => replicas),
    [2, 2, 3, 4, 3, 4, 4],
    'the curve also has a point for each of them',
  );
  assert.equal(JSON.parse(linesOf({ ...group, actions: ended }, new Seen(), true)).actions.length, 3);
});
