// All groups of a cluster: how long offsets are kept, and what keeps members alive.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { KeyValueLog } from '../log/key-value-log.ts';
import { testFolder } from '../log/testing.ts';
import { errorCodes } from '../wire/errors.ts';
import { Groups } from './groups.ts';
import { heartbeatGroup, joinGroup, leaveGroup, syncGroup } from './mixed-group.ts';
import { Offsets } from './offsets.ts';
import { testTimers } from './testing.ts';

const retentionMs = 1_000_000;

async function setUp(t: TestContext) {
  const folder = testFolder(t, () => state.close());
  const state = await KeyValueLog.open(join(folder, 'broker.log'), 'interval');
  const timers = testTimers();
  let now = 0;
  const nowMs = (): number => now;
  const offsets = new Offsets(state);
  const topicNames = () => new Map<string, { id: string; partitions: number }>();
  const limits = { timers, nowMs, mostMembers: 10 };
  const open = (): Groups =>
    new Groups({
      classic: { ...limits, initialDelayMs: 0 },
      consumer: { ...limits, times: () => ({ heartbeatMs: 1_000, sessionMs: 45_000 }), topicNames },
      state,
      offsets,
      nowMs,
      offsetsRetentionMs: retentionMs,
    });
  const groups = open();
  const commit = () =>
    offsets.commit('g', [{ topic: 't', partition: 0, offset: 7, leaderEpoch: 0, metadata: '', commitMs: now }]);
  const advance = (ms: number): void => {
    now += ms;
    timers.advance(ms);
  };
  return { groups, open, offsets, timers, commit, advance };
}

async function joinClassic({ groups, timers }: { groups: Groups; timers: ReturnType<typeof testTimers> }) {
  const joining = joinGroup(groups.classicForJoin('g'), {
    memberId: '',
    groupInstanceId: null,
    clientId: 'client',
    clientHost: '/127.0.0.1',
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 30_000,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
    needsMemberId: false,
  });
  timers.advance(1);
  const { memberId, generationId } = await joining;
  const identity = { memberId, generationId, groupInstanceId: null };
  await syncGroup(groups.classic('g'), { ...identity, protocolType: null, protocolName: null }, []);
  return identity;
}

test('offsets are kept for the retention time after the last member left, however old they are', async (t) => {
  const { groups, offsets, timers, commit, advance } = await setUp(t);
  const identity = await joinClassic({ groups, timers });
  await commit();
  for (let at = 0; at < 2 * retentionMs; at += 5_000) {
    heartbeatGroup(groups.classic('g'), identity);
    advance(5_000);
  }
  leaveGroup(groups.classic('g'), identity);
  await groups.expire();
  assert.equal(offsets.find('g', 't', 0)?.offset, 7);
  advance(retentionMs + 1);
  await groups.expire();
  assert.equal(offsets.find('g', 't', 0), undefined);
  assert.ok(!groups.has('g'));
});

test('offsets of a group without members since the start are kept for their retention after the start', async (t) => {
  const { open, offsets, commit, advance } = await setUp(t);
  await commit();
  advance(2 * retentionMs);
  const groups = open();
  advance(1_000);
  await groups.expire();
  assert.equal(offsets.find('g', 't', 0)?.offset, 7);
  advance(retentionMs);
  await groups.expire();
  assert.equal(offsets.find('g', 't', 0), undefined);
});

test('a member that only commits stays, because its commits count as heartbeats', async (t) => {
  const { groups, timers, advance } = await setUp(t);
  const identity = await joinClassic({ groups, timers });
  for (let at = 0; at < 30_000; at += 5_000) {
    groups.checkCommit('g', identity);
    advance(5_000);
  }
  heartbeatGroup(groups.classic('g'), identity);
  advance(10_001);
  assert.throws(() => groups.checkCommit('g', identity), { code: errorCodes.UNKNOWN_MEMBER_ID });
});
