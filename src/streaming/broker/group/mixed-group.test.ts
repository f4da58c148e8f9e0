// A group changes its protocol while it runs, in both directions, and a restart of the broker keeps its members.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { KeyValueLog } from '../log/key-value-log.ts';
import { testFolder } from '../log/testing.ts';
import { errorCodes, ProtocolError } from '../wire/errors.ts';
import { type PartitionSet, toSet, toTopics } from './assignment.ts';
import { ClassicGroup, MemberIdRequired } from './classic-group.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { type NamedPartitions, readAssignment, writeAssignment, writeSubscription } from './consumer-protocol.ts';
import { Groups } from './groups.ts';
import { heartbeatGroup, joinGroup, leaveGroup, syncGroup } from './mixed-group.ts';
import { Offsets } from './offsets.ts';
import { testTimers } from './testing.ts';

const topicId = 'a'.repeat(32);
const partitionCount = 6;

async function setUp(t: TestContext) {
  const folder = testFolder(t, () => state.close());
  const path = join(folder, 'broker.log');
  const timers = testTimers();
  const topicNames = () => new Map([['t', { id: topicId, partitions: partitionCount }]]);
  const limits = { timers, nowMs: () => 0, mostMembers: 10 };
  const open = (): Groups =>
    new Groups({
      classic: { ...limits, initialDelayMs: 0 },
      consumer: { ...limits, times: () => ({ heartbeatMs: 1_000, sessionMs: 45_000 }), topicNames },
      state,
      offsets: new Offsets(state),
      nowMs: () => 0,
      offsetsRetentionMs: 1_000,
    });
  let state = await KeyValueLog.open(path, 'always');
  const given = { groups: open(), timers };
  const restart = async (): Promise<void> => {
    await given.groups.written('g');
    given.groups.close();
    await state.close();
    state = await KeyValueLog.open(path, 'always');
    given.groups = open();
  };
  return { given, timers, restart };
}

type Given = Awaited<ReturnType<typeof setUp>>['given'];

// Consumers of the classic protocol. `isEager`: it returns all partitions before it rejoins.
class ClassicConsumer {
  memberId = '';
  generationId = -1;
  owned: NamedPartitions[] = [];
  #isJoining = true;
  readonly #given: Given;
  readonly #isEager: boolean;

  constructor(given: Given, isEager: boolean) {
    this.#given = given;
    this.#isEager = isEager;
  }

  get identity() {
    const { memberId, generationId } = this;
    return { memberId, generationId, groupInstanceId: null };
  }

  get set(): PartitionSet {
    return toSet(this.owned.map(({ partitions }) => ({ topicId, partitions })));
  }

  async beat(): Promise<void> {
    if (this.#isJoining) return this.#join();
    try {
      heartbeatGroup(this.#given.groups.classic('g'), this.identity);
    } catch (error) {
      if ((error as ProtocolError).code !== errorCodes.REBALANCE_IN_PROGRESS) throw error;
      if (this.#isEager) this.owned = [];
      this.#isJoining = true;
    }
  }

  async #join(): Promise<void> {
    const { groups, timers } = this.#given;
    const metadata = writeSubscription({ topics: ['t'], ownedPartitions: this.owned }, 3);
    const request = {
      memberId: this.memberId,
      groupInstanceId: null,
      clientId: 'client',
      clientHost: '/127.0.0.1',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 30_000,
      protocolType: 'consumer',
      protocols: [{ name: 'cooperative-sticky', metadata }],
      needsMemberId: true,
    };
    try {
      const joining = joinGroup(groups.classicForJoin('g'), request);
      timers.advance(1);
      const { memberId, generationId, leader, members } = await joining;
      Object.assign(this, { memberId, generationId });
      const all = Array.from({ length: partitionCount }, (_, at) => at);
      const shareOf = (at: number): Buffer => {
        const partitions = all.filter((one) => one % members.length === at);
        return writeAssignment([{ topic: 't', partitions }], 3);
      };
      const shares =
        leader === memberId ? members.map((one, at) => ({ memberId: one.memberId, assignment: shareOf(at) })) : [];
      const sync = { ...this.identity, protocolType: 'consumer', protocolName: 'cooperative-sticky' };
      const { assignment } = await syncGroup(groups.classic('g'), sync, shares);
      const before = this.set;
      this.owned = readAssignment(assignment).partitions.filter(({ partitions }) => partitions.length > 0);
      this.#isJoining = !this.#isEager && !before.isSubsetOf(this.set); // it has returned partitions
    } catch (error) {
      if (error instanceof MemberIdRequired) {
        this.memberId = error.memberId;
        return this.#join();
      }
      if (!(error instanceof ProtocolError && error.code === errorCodes.REBALANCE_IN_PROGRESS)) throw error;
    }
  }

  leave(): void {
    leaveGroup(this.#given.groups.classic('g'), this.identity);
  }
}

class NewConsumer {
  epoch = 0;
  owned: PartitionSet = new Set();
  readonly #given: Given;
  readonly #id: string;

  constructor(given: Given, id: string) {
    this.#given = given;
    this.#id = id;
  }

  get set(): PartitionSet {
    return this.owned;
  }

  beat(memberEpoch = this.epoch, serverAssignor: string | null = null): void {
    const answer = this.#given.groups.consumer('g', memberEpoch === 0).heartbeat({
      memberId: this.#id,
      memberEpoch,
      instanceId: null,
      rackId: null,
      rebalanceTimeoutMs: 30_000,
      subscribedTopicNames: memberEpoch === 0 ? ['t'] : null,
      subscribedTopicRegex: null,
      serverAssignor,
      topicPartitions: toTopics(this.owned),
      clientId: 'client',
      clientHost: '/127.0.0.1',
    });
    this.epoch = answer.memberEpoch;
    if (answer.assignment) this.owned = toSet(answer.assignment.topicPartitions);
  }
}

// All members send heartbeats in turn, and no partition ever has two owners.
async function beatAll(consumers: (ClassicConsumer | NewConsumer)[], rounds = 8): Promise<number[]> {
  for (let round = 0; round < rounds; round++) {
    for (const consumer of consumers) {
      await consumer.beat();
      const owned = consumers.flatMap(({ set }) => [...set]);
      assert.equal(new Set(owned).size, owned.length, 'a partition has two owners');
    }
  }
  return consumers.map(({ set }) => set.size);
}

suite('a group that changes its protocol [STREAM-06]', () => {
  for (const isEager of [true, false]) {
    const kind = isEager ? 'eager' : 'cooperative';
    test(`becomes a consumer group and a classic one again, with ${kind} classic members`, async (t) => {
      const { given } = await setUp(t);
      const classic = new ClassicConsumer(given, isEager);
      assert.deepEqual(await beatAll([classic]), [6]);
      const generation = classic.generationId;
      const consumer = new NewConsumer(given, 'new');
      assert.deepEqual(await beatAll([classic, consumer]), [3, 3]);
      assert.ok(given.groups.find('g') instanceof ConsumerGroup);
      assert.ok(classic.generationId > generation, 'generations never decrease');
      given.groups.checkCommit('g', classic.identity);
      assert.throws(() => given.groups.checkCommit('g', { ...classic.identity, generationId: generation }), {
        code: errorCodes.ILLEGAL_GENERATION,
      });
      const second = new ClassicConsumer(given, isEager);
      assert.deepEqual(await beatAll([classic, consumer, second]), [2, 2, 2]);
      second.leave();
      assert.deepEqual(await beatAll([classic, consumer]), [3, 3]);
      consumer.beat(-1);
      assert.ok(given.groups.find('g') instanceof ClassicGroup);
      assert.deepEqual(await beatAll([classic]), [6]);
      const last = new NewConsumer(given, 'last');
      assert.deepEqual(await beatAll([classic, last]), [3, 3]);
      classic.leave();
      assert.deepEqual(await beatAll([last]), [6]);
    });
  }

  test('becomes classic again when the last member of the new protocol is silent, or is refused', async (t) => {
    const { given, timers } = await setUp(t);
    const classic = new ClassicConsumer(given, true);
    await beatAll([classic]);
    assert.throws(() => new NewConsumer(given, 'bad').beat(0, 'best'), { code: errorCodes.UNSUPPORTED_ASSIGNOR });
    given.groups.settle('g');
    assert.ok(given.groups.find('g') instanceof ClassicGroup);
    assert.deepEqual(await beatAll([classic]), [6]);
    assert.deepEqual(await beatAll([classic, new NewConsumer(given, 'silent')]), [3, 3]);
    for (let second = 0; second < 50; second += 5) {
      await classic.beat();
      timers.advance(5_000);
    }
    assert.ok(given.groups.find('g') instanceof ClassicGroup);
    assert.deepEqual(await beatAll([classic]), [6]);
  });

  test('stays classic if its members are not consumers, or use a custom assignor', async (t) => {
    const { given, timers } = await setUp(t);
    const join = async (metadata: Buffer, assignment: Buffer, protocolType = 'consumer') => {
      const joining = joinGroup(given.groups.classicForJoin('g'), {
        memberId: '',
        groupInstanceId: null,
        clientId: 'client',
        clientHost: '/127.0.0.1',
        sessionTimeoutMs: 10_000,
        rebalanceTimeoutMs: 30_000,
        protocolType,
        protocols: [{ name: 'own', metadata }],
        needsMemberId: false,
      });
      timers.advance(1);
      const { memberId, generationId } = await joining;
      const identity = { memberId, generationId, groupInstanceId: null };
      const sync = { ...identity, protocolType: null, protocolName: null };
      await syncGroup(given.groups.classic('g'), sync, [{ memberId, assignment }]);
      return identity;
    };
    const subscription = writeSubscription({ topics: ['t'] }, 1);
    const withUserData = Buffer.concat([writeAssignment([], 0).subarray(0, -4), Buffer.from([0, 0, 0, 1, 7])]);
    const cases: [Buffer, Buffer, string, RegExp][] = [
      [Buffer.from('?'), Buffer.alloc(0), 'consumer', /embedded consumer protocol is malformed/],
      [subscription, withUserData, 'consumer', /custom assignor/],
      [subscription, Buffer.alloc(0), 'connect', /does not use the consumer embedded protocol/],
    ];
    for (const [metadata, assignment, type, message] of cases) {
      const identity = await join(metadata, assignment, type);
      const refused = { code: errorCodes.GROUP_ID_NOT_FOUND, message };
      assert.throws(() => new NewConsumer(given, 'new').beat(), refused);
      heartbeatGroup(given.groups.classic('g'), identity);
      leaveGroup(given.groups.classic('g'), identity);
    }
  });

  test('keeps its members, generations and epochs across a restart, in each protocol', async (t) => {
    const { given, restart } = await setUp(t);
    const classic = new ClassicConsumer(given, true);
    await beatAll([classic]);
    await restart();
    given.groups.checkCommit('g', classic.identity);
    const generation = classic.generationId;
    assert.deepEqual(await beatAll([classic]), [6]);
    assert.equal(classic.generationId, generation, 'no member has to rejoin');
    const consumer = new NewConsumer(given, 'new');
    assert.deepEqual(await beatAll([classic, consumer]), [3, 3]);
    await restart();
    const { epoch } = consumer;
    assert.deepEqual(await beatAll([classic, consumer]), [3, 3]);
    assert.equal(consumer.epoch, epoch);
    given.groups.checkCommit('g', classic.identity);
    given.groups.checkCommit('g', { memberId: 'new', generationId: epoch, groupInstanceId: null });
    consumer.beat(-1);
    await restart();
    assert.ok(given.groups.find('g') instanceof ClassicGroup);
    assert.deepEqual(await beatAll([classic]), [6]);
    classic.leave();
    await restart();
    assert.equal(given.groups.find('g')?.state, 'Empty');
    await given.groups.delete('g');
    await restart();
    assert.equal(given.groups.find('g'), undefined);
  });
});
