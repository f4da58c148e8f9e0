// The classic group protocol with timers that the test controls.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { errorCodes } from '../wire/errors.ts';
import { ClassicGroup, MemberIdRequired } from './classic-group.ts';
import type { JoinRequest, JoinResponse } from './classic-member.ts';
import { testTimers } from './testing.ts';

const isError = (name: keyof typeof errorCodes) => ({ code: errorCodes[name] });

function setUp() {
  const timers = testTimers();
  const group = new ClassicGroup('g', { timers, nowMs: () => 0, initialDelayMs: 50, mostMembers: 10 });
  const request = (memberId: string, more: Partial<JoinRequest> = {}): JoinRequest => ({
    memberId,
    groupInstanceId: null,
    clientId: 'client',
    clientHost: '/127.0.0.1',
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 30_000,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.from('topics') }],
    needsMemberId: true,
    ...more,
  });
  // Joins as clients do: the first request returns a member id, and the client repeats the request with it.
  const join = (more: Partial<JoinRequest> = {}): Promise<JoinResponse> => {
    try {
      return group.join(request('', more));
    } catch (error) {
      if (!(error instanceof MemberIdRequired)) throw error;
      return group.join(request(error.memberId, more));
    }
  };
  const identity = ({ memberId, generationId }: JoinResponse) => ({ memberId, generationId, groupInstanceId: null });
  const share = (leader: JoinResponse) =>
    leader.members.map(({ memberId }) => ({ memberId, assignment: Buffer.from(`for ${memberId}`) }));
  return { timers, group, request, join, identity, share };
}

async function stableGroup() {
  const given = setUp();
  const joining = [given.join(), given.join()];
  given.timers.advance(50);
  const members = await Promise.all(joining);
  const leader = members.find(({ memberId, leader: id }) => memberId === id) as JoinResponse;
  const follower = members.find(({ memberId, leader: id }) => memberId !== id) as JoinResponse;
  const following = given.group.sync(given.identity(follower), []);
  await given.group.sync(given.identity(leader), given.share(leader));
  assert.equal((await following).assignment.toString(), `for ${follower.memberId}`);
  assert.equal(given.group.state, 'Stable');
  return { ...given, leader, follower };
}

suite('a classic group [STREAM-06]', () => {
  test('gives the leader all members, and each member the assignment of the leader', async () => {
    const { leader, follower } = await stableGroup();
    assert.equal(leader.members.length, 2);
    assert.equal(follower.members.length, 0);
    assert.equal(leader.generationId, 1);
    assert.equal(leader.protocolName, 'range');
  });

  test('rebalances when a member joins, and waits for all others', async () => {
    const { group, join, request, identity, leader, follower } = await stableGroup();
    const third = join();
    assert.throws(() => group.heartbeat(identity(leader)), isError('REBALANCE_IN_PROGRESS'));
    const others = [group.join(request(leader.memberId)), group.join(request(follower.memberId))];
    const joined = await Promise.all([third, ...others]);
    assert.deepEqual(
      joined.map(({ generationId }) => generationId),
      [2, 2, 2],
    );
    assert.throws(() => group.heartbeat(identity(leader)), isError('ILLEGAL_GENERATION'));
  });

  test('removes members that do not rejoin in time or send no heartbeat for a session', async () => {
    const { group, join, request, timers, leader, follower, identity } = await stableGroup();
    const third = join();
    const first = group.join(request(leader.memberId));
    for (let second = 0; second < 30; second += 5) {
      if (second < 30) assert.throws(() => group.heartbeat(identity(follower)), isError('REBALANCE_IN_PROGRESS'));
      timers.advance(5_000);
    }
    await Promise.all([first, third]);
    assert.equal(group.members.size, 2);
    assert.ok(!group.members.has(follower.memberId));
    timers.advance(10_000);
    assert.equal(group.members.size, 0);
    assert.equal(group.state, 'Empty');
  });

  test('a leaving member makes the others rebalance at once', async () => {
    const { group, request, leader, follower } = await stableGroup();
    group.leave({ memberId: leader.memberId, groupInstanceId: null });
    const { members, leader: next } = await group.join(request(follower.memberId));
    assert.equal(next, follower.memberId);
    assert.equal(members.length, 1);
    assert.throws(() => group.leave({ memberId: 'nobody', groupInstanceId: null }), isError('UNKNOWN_MEMBER_ID'));
  });

  test('a member that joined and does not sync is dropped after the rebalance timeout', async () => {
    const { group, join, timers, identity } = setUp();
    const joining = join();
    timers.advance(50);
    const member = await joining;
    for (let at = 0; at < 30_000; at += 5_000) {
      group.heartbeat(identity(member));
      timers.advance(5_000);
    }
    assert.throws(() => group.heartbeat(identity(member)), isError('UNKNOWN_MEMBER_ID'));
  });

  test('promises no more member ids than it has places, and frees those that no client uses', () => {
    const { group, request, timers } = setUp();
    const ask = () => void group.join(request(''));
    for (let count = 0; count < 10; count++) assert.throws(ask, isError('MEMBER_ID_REQUIRED'));
    assert.throws(ask, isError('GROUP_MAX_SIZE_REACHED'));
    timers.advance(10_000);
    assert.throws(ask, isError('MEMBER_ID_REQUIRED'));
    group.close();
  });

  test('refuses a member without a common protocol, and chooses one that all members support', async () => {
    const { group, join, timers } = setUp();
    const protocols = (...names: string[]) => names.map((name) => ({ name, metadata: Buffer.alloc(0) }));
    const joining = [join({ protocols: protocols('a', 'b') }), join({ protocols: protocols('b', 'c') })];
    assert.throws(() => void join({ protocols: protocols('c') }), isError('INCONSISTENT_GROUP_PROTOCOL'));
    assert.throws(() => void join({ protocolType: 'connect' }), isError('INCONSISTENT_GROUP_PROTOCOL'));
    timers.advance(50);
    assert.equal((await Promise.all(joining))[0]?.protocolName, 'b');
    group.close();
  });

  test('a static member rejoins without a rebalance, and its old member id is fenced', async () => {
    const { group, join, timers, identity, share } = setUp();
    const joining = [join(), join({ groupInstanceId: 'i' })];
    timers.advance(50);
    const [leader, member] = (await Promise.all(joining)) as [JoinResponse, JoinResponse];
    await group.sync(identity(leader), share(leader));
    const back = await join({ groupInstanceId: 'i' });
    assert.equal(back.generationId, 1);
    assert.equal(group.state, 'Stable');
    assert.throws(() => group.heartbeat({ ...identity(member), groupInstanceId: 'i' }), isError('FENCED_INSTANCE_ID'));
    const { assignment } = await group.sync({ ...identity(back), groupInstanceId: 'i' }, []);
    assert.equal(assignment.toString(), `for ${member.memberId}`);
    group.close();
  });

  test('a static member that rejoins while the leader computes assignments gets its share', async () => {
    const { group, join, request, timers, identity, share } = setUp();
    const joining = [join(), join({ groupInstanceId: 'i' })];
    timers.advance(50);
    const [leader] = (await Promise.all(joining)) as [JoinResponse, JoinResponse];
    const coming = join({ groupInstanceId: 'i' });
    assert.throws(() => void group.sync(identity(leader), share(leader)), isError('REBALANCE_IN_PROGRESS'));
    const again = await group.join(request(leader.memberId));
    const back = await coming;
    await group.sync(identity(again), share(again));
    const { assignment } = await group.sync({ ...identity(back), groupInstanceId: 'i' }, []);
    assert.equal(assignment.toString(), `for ${back.memberId}`);
    group.close();
  });

  test('a member that does not fetch its share is dropped, even if the others have theirs', async () => {
    const { group, join, timers, identity, share } = setUp();
    const joining = [join(), join()];
    timers.advance(50);
    const [leader, silent] = (await Promise.all(joining)) as [JoinResponse, JoinResponse];
    await group.sync(identity(leader), share(leader));
    for (let at = 0; at < 30_000; at += 5_000) {
      for (const member of [leader, silent]) group.heartbeat(identity(member));
      timers.advance(5_000);
    }
    assert.throws(() => group.heartbeat(identity(silent)), isError('UNKNOWN_MEMBER_ID'));
    assert.throws(() => group.heartbeat(identity(leader)), isError('REBALANCE_IN_PROGRESS'));
    group.close();
  });

  test('finds the common protocol of very many without delay', async () => {
    const { group, join, timers } = setUp();
    const protocols = (prefix: string) =>
      [...Array(20_000).keys(), 'common'].map((at) => ({ name: `${prefix}${at}`, metadata: Buffer.alloc(0) }));
    const begin = process.cpuUsage();
    const many = protocols('');
    const joining = [join({ protocols: many }), join({ protocols: [...protocols('other '), ...many.slice(-1)] })];
    timers.advance(50);
    assert.equal((await Promise.all(joining))[0]?.protocolName, 'common');
    assert.ok(process.cpuUsage(begin).user < 3_000_000, 'it blocks all clusters of its thread');
    group.close();
  });
});
