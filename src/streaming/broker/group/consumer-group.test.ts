// The consumer group protocol: every partition has at most one owner, whatever members join and leave.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { errorCodes } from '../wire/errors.ts';
import { type PartitionSet, toSet, toTopics } from './assignment.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { testTimers } from './testing.ts';

const isError = (name: keyof typeof errorCodes) => ({ code: errorCodes[name] });
const idOf = (name: string): string => Buffer.from(name).toString('hex').padEnd(32, '0');

// A client that follows the assignments it receives.
class Consumer {
  readonly id: string;
  epoch = 0;
  owned: PartitionSet = new Set();
  readonly #group: ConsumerGroup;
  readonly #topics: string[];
  readonly #assignor: string | null;

  constructor(group: ConsumerGroup, id: string, topics: string[], assignor: string | null = null) {
    this.#group = group;
    this.id = id;
    this.#topics = topics;
    this.#assignor = assignor;
  }

  beat(memberEpoch = this.epoch): void {
    const isFirst = memberEpoch === 0;
    const answer = this.#group.heartbeat({
      memberId: this.id,
      memberEpoch,
      instanceId: null,
      rackId: null,
      rebalanceTimeoutMs: isFirst ? 30_000 : -1,
      subscribedTopicNames: isFirst ? this.#topics : null,
      subscribedTopicRegex: null,
      serverAssignor: this.#assignor,
      topicPartitions: toTopics(this.owned),
      clientId: 'client',
      clientHost: '/127.0.0.1',
    });
    this.epoch = answer.memberEpoch;
    if (answer.assignment) this.owned = toSet(answer.assignment.topicPartitions);
  }
}

function setUp(sizes: Record<string, number> = { t: 6 }) {
  const timers = testTimers();
  const topics = new Map(Object.entries(sizes).map(([name, partitions]) => [name, { id: idOf(name), partitions }]));
  const limits = { times: () => ({ heartbeatMs: 1_000, sessionMs: 10_000 }), mostMembers: 10 };
  const settings = { timers, nowMs: () => 0, ...limits, topicNames: () => topics };
  return { group: new ConsumerGroup('g', settings), timers, topics };
}

// All members send heartbeats in turn, and no partition ever has two owners.
function beatAll(consumers: Consumer[], rounds = 4): void {
  for (let round = 0; round < rounds; round++) {
    for (const consumer of consumers) {
      consumer.beat();
      const owned = consumers.flatMap((one) => [...one.owned]);
      assert.equal(new Set(owned).size, owned.length, 'a partition has two owners');
    }
  }
}

suite('a consumer group [STREAM-06]', () => {
  test('shares partitions evenly while members join and leave', () => {
    const { group } = setUp();
    const consumers = ['a', 'b', 'c'].map((id) => new Consumer(group, id, ['t']));
    for (let count = 1; count <= 3; count++) {
      beatAll(consumers.slice(0, count));
      assert.deepEqual(
        consumers.slice(0, count).map(({ owned }) => owned.size),
        Array.from({ length: count }, () => 6 / count),
      );
    }
    assert.equal(group.state, 'Stable');
    consumers[0]?.beat(-1);
    beatAll(consumers.slice(1));
    assert.deepEqual(
      consumers.slice(1).map(({ owned }) => owned.size),
      [3, 3],
    );
  });

  test('moves as few partitions as it can', () => {
    const { group } = setUp();
    const [a, b] = [new Consumer(group, 'a', ['t']), new Consumer(group, 'b', ['t'])] as const;
    beatAll([a]);
    const before = new Set(a.owned);
    beatAll([a, b]);
    assert.ok(a.owned.isSubsetOf(before));
    assert.equal(a.owned.size, 3);
  });

  test('gives the partitions of a silent member to the others, and fences it', () => {
    const { group, timers } = setUp();
    const [a, b] = [new Consumer(group, 'a', ['t']), new Consumer(group, 'b', ['t'])] as const;
    beatAll([a, b]);
    for (let round = 0; round < 3; round++) {
      timers.advance(5_000);
      b.beat();
    }
    assert.throws(() => a.beat(), isError('UNKNOWN_MEMBER_ID'));
    beatAll([b]);
    assert.equal(b.owned.size, 6);
  });

  test('a member that does not return partitions in time is fenced', () => {
    const { group, timers } = setUp();
    const [a, b] = [new Consumer(group, 'a', ['t']), new Consumer(group, 'b', ['t'])] as const;
    beatAll([a]);
    const kept = a.owned;
    b.beat();
    for (let second = 0; second < 30; second += 5) {
      a.owned = kept; // it reports the partitions that it had to return
      a.beat();
      b.beat();
      timers.advance(5_000);
    }
    assert.throws(() => a.beat(), isError('UNKNOWN_MEMBER_ID'));
    beatAll([b]);
    assert.equal(b.owned.size, 6);
  });

  test('follows topics that grow, and the range assignor gives adjacent partitions of each topic', () => {
    const { group, topics } = setUp({ t: 4, u: 4 });
    const consumers = ['a', 'b'].map((id) => new Consumer(group, id, ['t', 'u'], 'range'));
    beatAll(consumers);
    assert.deepEqual(toTopics((consumers[0] as Consumer).owned), [
      { topicId: idOf('t'), partitions: [0, 1] },
      { topicId: idOf('u'), partitions: [0, 1] },
    ]);
    topics.set('t', { id: idOf('t'), partitions: 6 });
    beatAll(consumers);
    assert.equal((consumers[0] as Consumer).owned.size, 5);
  });

  test('a member that did not get an answer may repeat its epoch, even if others joined in the meantime', () => {
    const { group } = setUp();
    const [a, b, c] = ['a', 'b', 'c'].map((id) => new Consumer(group, id, ['t'])) as [Consumer, Consumer, Consumer];
    beatAll([a]);
    const { epoch } = a;
    for (const one of [b, c, a, a]) one.beat(); // it returns the partitions that it had to
    assert.equal(a.epoch, epoch + 2);
    a.beat(epoch);
    assert.equal(a.epoch, epoch + 2);
    assert.throws(() => a.beat(epoch + 1), isError('FENCED_MEMBER_EPOCH'));
  });

  test('refuses unknown assignors, wrong epochs and unknown members', () => {
    const { group } = setUp();
    assert.throws(() => new Consumer(group, 'a', ['t'], 'best').beat(), isError('UNSUPPORTED_ASSIGNOR'));
    const b = new Consumer(group, 'b', ['t']);
    b.beat();
    assert.throws(() => b.beat(99), isError('FENCED_MEMBER_EPOCH'));
    assert.throws(() => new Consumer(group, 'c', ['t']).beat(3), isError('UNKNOWN_MEMBER_ID'));
    assert.throws(
      () => group.check({ memberId: 'b', generationId: 99, groupInstanceId: null }),
      isError('STALE_MEMBER_EPOCH'),
    );
  });
});
