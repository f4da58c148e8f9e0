// Concurrent changes of topics: each change sees the result of the one before it.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createClock } from '../../../base/clock.ts';
import { KeyValueLog } from '../log/key-value-log.ts';
import { testFolder } from '../log/testing.ts';
import { Nodes } from '../nodes.ts';
import { errorCodes } from '../wire/errors.ts';
import { Topics } from './topics.ts';

const one = { name: 't', partitions: 1, replicationFactor: 1, configs: {} };

async function setUp(t: TestContext) {
  const folder = testFolder(t, async () => {
    await topics.close();
    await state.close();
  });
  const state = await KeyValueLog.open(join(folder, 'broker.log'), 'interval');
  const nodes = new Nodes();
  nodes.all.push({ id: 1, host: 'localhost', port: 1, isServing: true });
  const files = join(folder, 'topics');
  const options = { folder: files, state, nodes, clock: createClock(), flush: 'interval', mostPartitions: 10 } as const;
  const topics = await Topics.open(options);
  return { topics, state, files, options };
}

test('partitions that two clients add at once are added once', async (t) => {
  const { topics } = await setUp(t);
  const topic = await topics.create(one);
  const added = await Promise.allSettled([topics.addPartitions(topic, 3), topics.addPartitions(topic, 3)]);
  assert.deepEqual(
    added.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  assert.deepEqual(
    topic.partitions.map(({ index }) => index),
    [0, 1, 2],
  );
});

test('topics that are created concurrently share the limit of partitions', async (t) => {
  const { topics } = await setUp(t);
  const made = await Promise.allSettled(['a', 'b', 'c'].map((name) => topics.create({ ...one, name, partitions: 4 })));
  assert.deepEqual(
    made.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
  assert.equal(topics.partitions.length, 8);
});

test('a topic that is deleted while others change it does not come back', async (t) => {
  const { topics, state, files } = await setUp(t);
  const topic = await topics.create(one);
  const outcomes = await Promise.allSettled([
    topics.addPartitions(topic, 2),
    topics.delete(topic),
    topics.addPartitions(topic, 3),
    topics.delete(topic),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  await assert.rejects(topics.setConfigs(topic, {}, false), { code: errorCodes.UNKNOWN_TOPIC_OR_PARTITION });
  assert.deepEqual([...state.entries('topic/')], []);
  await topics.close();
  assert.deepEqual(readdirSync(files), []);
});

test('a state saved by an earlier version is registered when the topic is opened', async (t) => {
  const { topics, state, options } = await setUp(t);
  const topic = await topics.create({ ...one, partitions: 2 });
  await topic.partitions[1]?.log.saveState();
  await topic.partitions[1]?.log.abandon();
  const stored = (): [string, { withState?: number[] }] => [...state.entries('topic/')][0] as never;
  const [key, { withState: _, ...earlier }] = stored();
  await state.put([[`topic/${key}`, earlier]]);
  assert.equal(stored()[1].withState, undefined);
  const again = await Topics.open(options);
  await again.close(); // saves the state of the other partition
  assert.deepEqual(stored()[1].withState?.toSorted(), [0, 1]);
});
