// The transaction coordinator over real logs: transactions left by a crash are ended at the next start, and those that
// take too long are aborted.
import assert from 'node:assert/strict';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { createClock } from '../../../base/clock.ts';
import { Offsets } from '../group/offsets.ts';
import { KeyValueLog } from '../log/key-value-log.ts';
import { readAll, testFolder } from '../log/testing.ts';
import { Nodes } from '../nodes.ts';
import { type Partition, Topics } from '../topic/topics.ts';
import { errorCodes } from '../wire/errors.ts';
import { batchOf } from '../wire/testing.ts';
import type { ProducerIdentity } from './transaction.ts';
import { Transactions } from './transactions.ts';

const isError = (name: keyof typeof errorCodes) => ({ code: errorCodes[name] });
const nobody = { id: -1, epoch: -1 };

async function setUp(t: TestContext) {
  let time = 1_000;
  const clock = createClock(0, () => time);
  const open = async () => {
    const state = await KeyValueLog.open(join(folder, 'broker.log'), 'interval');
    const nodes = new Nodes();
    nodes.all.push({ id: 1, host: 'localhost', port: 1, isServing: true });
    const options = {
      folder: join(folder, 'topics'),
      state,
      nodes,
      clock,
      flush: 'interval',
      mostPartitions: 10,
    } as const;
    const topics = await Topics.open(options);
    const offsets = new Offsets(state);
    const transactions = await Transactions.open({ state, topics, offsets, nowMs: () => time });
    return { state, topics, offsets, transactions };
  };
  const close = async (): Promise<void> => {
    for (const { log } of parts.topics.partitions) await log.abandon();
    await parts.state.close();
  };
  const folder = testFolder(t, () => close());
  let parts = await open();
  await parts.topics.create({ name: 't', partitions: 2, replicationFactor: 1, configs: {} });
  return {
    parts: () => parts,
    partition: (index: number): Partition => parts.topics.find('t', index),
    advance: (ms: number) => {
      time += ms;
    },
    async crash() {
      await close();
      parts = await open();
    },
  };
}

const write = (partition: Partition, producer: ProducerIdentity, text: string, baseSequence = 0) =>
  partition.log.append(
    batchOf([text], { producerId: producer.id, producerEpoch: producer.epoch, baseSequence, isTransactional: true }),
    0,
  );

const committed = ({ log }: Partition): Promise<string[]> => readAll(log, 0, log.lastStableOffset);
const commit = { topic: 't', partition: 0, offset: 4, leaderEpoch: -1, metadata: '', commitMs: 0 };

suite('transactions', () => {
  test('end in all partitions and in the groups, and the producer continues with the next epoch', async (t) => {
    const { parts, partition } = await setUp(t);
    const { transactions, offsets } = parts();
    const producer = await transactions.begin('x', 60_000, nobody);
    for (const index of [0, 1]) {
      await transactions.joinByProduce('x', producer, partition(index), 12);
      await write(partition(index), producer, `value ${index}`);
    }
    await transactions.addOffsets('x', producer, 'g', [commit]);
    assert.equal(offsets.find('g', 't', 0), undefined);
    assert.ok(offsets.isUnstable('g', 't', 0));
    assert.deepEqual(await committed(partition(0)), []);
    const next = await transactions.end('x', producer, true, 5);
    assert.deepEqual(next, { id: producer.id, epoch: producer.epoch + 1 });
    assert.deepEqual(await transactions.end('x', producer, true, 5), next, 'a repetition gets the same answer');
    assert.equal(offsets.find('g', 't', 0)?.offset, 4);
    assert.deepEqual(await committed(partition(1)), ['0=value 1']);
    await assert.rejects(write(partition(0), producer, 'late', 1), isError('INVALID_PRODUCER_EPOCH'));
  });

  test('that were decided before a crash are ended after it, and open ones continue', async (t) => {
    const { parts, partition, crash } = await setUp(t);
    const decided = await parts().transactions.begin('decided', 60_000, nobody);
    const open = await parts().transactions.begin('open', 60_000, nobody);
    await parts().transactions.addPartitions('decided', decided, [partition(0)]);
    await parts().transactions.addPartitions('open', open, [partition(1)]);
    await parts().transactions.addOffsets('decided', decided, 'g', [commit]);
    await write(partition(0), decided, 'decided');
    await write(partition(1), open, 'open');
    const row = parts().transactions.byId.get('decided');
    await parts().state.put([['transaction/decided', { ...row, state: 'PrepareCommit' }]]);
    await crash();
    assert.deepEqual(await committed(partition(0)), ['0=decided']);
    assert.equal(parts().offsets.find('g', 't', 0)?.offset, 4);
    assert.equal(parts().transactions.byId.get('decided')?.state, 'CompleteCommit');
    assert.deepEqual(await committed(partition(1)), []);
    await parts().transactions.end('open', open, true, 1);
    assert.deepEqual(await committed(partition(1)), ['0=open']);
  });

  test('of which only the first batch was written before a crash continue', async (t) => {
    const { parts, partition, crash } = await setUp(t);
    const producer = await parts().transactions.begin('x', 60_000, nobody);
    await write(partition(0), producer, 'first');
    await crash();
    await parts().transactions.joinByProduce('x', producer, partition(0), 12);
    assert.equal((await write(partition(0), producer, 'first')).baseOffset, 0, 'a repetition');
    await parts().transactions.end('x', producer, true, 5);
    assert.deepEqual(partition(0).log.producers.aborted, []);
    assert.deepEqual(await committed(partition(0)), ['0=first']);
  });

  test('that were decided with the last epoch of a producer keep their offsets after a crash', async (t) => {
    const { parts, crash } = await setUp(t);
    const last = { id: (await parts().transactions.begin('x', 60_000, nobody)).id, epoch: 32_766 };
    const next = await parts().transactions.newProducer();
    const row = { ...parts().transactions.byId.get('x'), producer: next, ending: last, state: 'PrepareCommit' };
    await parts().state.put([['transaction/x', { ...row, offsets: { g: [commit] } }]]);
    await crash();
    assert.equal(parts().offsets.find('g', 't', 0)?.offset, 4);
    assert.ok(!parts().offsets.isUnstable('g', 't', 0));
  });

  test('that were decided are ended when a failed disk works again', async (t) => {
    const { parts, partition, advance } = await setUp(t);
    const { transactions, topics } = parts();
    const producer = await transactions.begin('x', 60_000, nobody);
    const other = await transactions.begin('y', 1_000, nobody);
    await transactions.addPartitions('x', producer, [partition(0)]);
    await transactions.addPartitions('y', other, [partition(1)]);
    await write(partition(0), producer, 'kept');
    await write(partition(1), other, 'slow');
    const handle = await partition(0).log.active.handle();
    const refuse = (): Promise<never> => Promise.reject(new Error('the disk is full'));
    const full = t.mock.method(Object.getPrototypeOf(handle) as FileHandle, 'writev', refuse);
    const next = await transactions.end('x', producer, true, 5);
    full.mock.restore();
    await assert.rejects(transactions.end('x', producer, true, 5), isError('CONCURRENT_TRANSACTIONS'));
    advance(1_001);
    await assert.rejects(transactions.expire(), isError('KAFKA_STORAGE_ERROR'));
    assert.equal(partition(1).log.lastStableOffset, 2, 'the others are ended');
    await topics.reopenFailed(assert.ifError);
    assert.equal(partition(0).log.lastStableOffset, 0);
    await transactions.expire();
    assert.deepEqual(await committed(partition(0)), ['0=kept']);
    assert.deepEqual(await transactions.end('x', producer, true, 5), next);
  });

  test('that are aborted do not change the committed offset of a group', async (t) => {
    const { parts, crash } = await setUp(t);
    const { transactions, offsets } = parts();
    await offsets.commit('g', [{ ...commit, offset: 2 }]);
    const producer = await transactions.begin('x', 60_000, nobody);
    await transactions.addOffsets('x', producer, 'g', [commit]);
    await transactions.end('x', producer, false, 5);
    assert.equal(offsets.find('g', 't', 0)?.offset, 2);
    assert.ok(!offsets.isUnstable('g', 't', 0));
    await crash();
    assert.equal(parts().offsets.find('g', 't', 0)?.offset, 2);
  });

  test('that only a log contains after a crash are aborted', async (t) => {
    const { partition, crash } = await setUp(t);
    await write(partition(0), { id: 77, epoch: 0 }, 'lost');
    assert.equal(partition(0).log.lastStableOffset, 0);
    await crash();
    assert.equal(partition(0).log.lastStableOffset, 2);
    assert.equal(partition(0).log.producers.abortedBetween(0, 2).length, 1);
  });

  test('that take too long are aborted, and their producer is fenced', async (t) => {
    const { parts, partition, advance } = await setUp(t);
    const { transactions } = parts();
    const producer = await transactions.begin('slow', 5_000, nobody);
    await transactions.addPartitions('slow', producer, [partition(0)]);
    await write(partition(0), producer, 'slow');
    advance(5_001);
    await transactions.expire();
    assert.equal(partition(0).log.lastStableOffset, 2);
    await assert.rejects(transactions.end('slow', producer, true, 1), isError('PRODUCER_FENCED'));
    assert.throws(
      () => transactions.joinByProduce('slow', producer, partition(0), 11),
      isError('INVALID_PRODUCER_EPOCH'),
    );
  });

  test('forget an id that was unused for a week, and no id that is in use', async (t) => {
    const { parts, partition, advance, crash } = await setUp(t);
    const idle = await parts().transactions.begin('idle', 60_000, nobody);
    advance(7 * 86_400_000 + 1);
    const used = await parts().transactions.begin('used', 60_000, nobody);
    await parts().transactions.addPartitions('used', used, [partition(0)]);
    await parts().transactions.expire();
    await crash();
    assert.deepEqual([...parts().transactions.byId.keys()], ['used']);
    await assert.rejects(parts().transactions.addPartitions('idle', idle, []), isError('INVALID_PRODUCER_ID_MAPPING'));
  });

  test('let a producer repeat its request for the next epoch until it has used that epoch', async (t) => {
    const { parts, partition, crash } = await setUp(t);
    const first = await parts().transactions.begin('x', 60_000, nobody);
    const second = await parts().transactions.begin('x', 60_000, first);
    await crash();
    assert.deepEqual(await parts().transactions.begin('x', 60_000, first), second);
    await parts().transactions.addPartitions('x', second, [partition(0)]);
    await assert.rejects(parts().transactions.begin('x', 60_000, first), isError('PRODUCER_FENCED'));
    const young = await parts().transactions.begin('x', 60_000, nobody);
    await assert.rejects(parts().transactions.begin('x', 60_000, second), isError('PRODUCER_FENCED'));
    assert.ok(young.epoch > second.epoch);
  });

  test('need a partition to be added first in older versions, and a known producer in all', async (t) => {
    const { parts, partition } = await setUp(t);
    const { transactions } = parts();
    const producer = await transactions.begin('x', 60_000, nobody);
    assert.throws(() => transactions.joinByProduce('x', producer, partition(0), 11), isError('INVALID_TXN_STATE'));
    const stranger = { id: 99, epoch: 0 };
    await assert.rejects(transactions.addPartitions('x', stranger, []), isError('INVALID_PRODUCER_ID_MAPPING'));
    await assert.rejects(transactions.begin('y', 0, nobody), isError('INVALID_TRANSACTION_TIMEOUT'));
    const younger = await transactions.begin('x', 60_000, nobody);
    assert.equal(younger.epoch, producer.epoch + 1);
    await assert.rejects(transactions.addPartitions('x', producer, [partition(0)]), isError('PRODUCER_FENCED'));
  });
});
