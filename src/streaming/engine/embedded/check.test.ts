// Damage to the file in which a cluster stores its topics: what is lost, what is kept, and what is reported.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClock } from '../../../base/clock.ts';
import { brokerFile, KeyValueLog } from '../../broker/log/key-value-log.ts';
import { testFolder } from '../../broker/log/testing.ts';
import { Nodes } from '../../broker/nodes.ts';
import { Topics } from '../../broker/topic/topics.ts';
import { batchOf } from '../../broker/wire/testing.ts';
import { checkClusters } from './check.ts';

test('[GEN-06] a topic with a damaged row is lost and reported, and its records are moved aside', async (t) => {
  const folder = testFolder(t);
  const cluster = join(folder, 'cluster');
  const path = join(cluster, brokerFile);
  mkdirSync(cluster);
  const open = async () => {
    const state = await KeyValueLog.open(path, 'interval');
    const nodes = new Nodes();
    nodes.all.push({ id: 1, host: 'localhost', port: 1, isServing: true });
    const files = join(cluster, 'topics');
    const topics = await Topics.open({
      folder: files,
      state,
      nodes,
      clock: createClock(),
      flush: 'interval',
      mostPartitions: 10,
    });
    const close = async (): Promise<void> => {
      await topics.close();
      await state.close();
    };
    return { topics, state, close };
  };
  const first = await open();
  const made = { partitions: 1, replicationFactor: 1, configs: {} };
  const lost = await first.topics.create({ ...made, name: 'lost' });
  await lost.partitions[0]?.log.append(batchOf(['one']), 0);
  const epoch = Number(first.state.get('leader-epoch'));
  const kept = await first.topics.create({ ...made, name: 'kept' });
  await first.close();
  assert.deepEqual(await checkClusters(folder), []);

  const bytes = readFileSync(path);
  // The row is written again when the state of its partition is saved.
  for (let at = bytes.indexOf('"lost"'); at >= 0; at = bytes.indexOf('"lost"', at + 1)) bytes[at] = 0;
  writeFileSync(path, bytes);
  assert.match(
    (await checkClusters(folder)).join(),
    /broker\.log is damaged at byte \d+: \d+ bytes of changes are lost$/,
  );
  for (const isFirst of [true, false]) {
    const { topics, state, close } = await open();
    assert.deepEqual([...topics.byName.keys()], ['kept']);
    assert.equal(state.damage !== undefined, isFirst);
    assert.ok(Number(state.get('leader-epoch')) > epoch, 'epochs do not decrease');
    await close();
    assert.deepEqual(readdirSync(join(cluster, 'topics')), [kept.id]);
    assert.deepEqual(readdirSync(join(cluster, 'topics.damaged')), [lost.id]);
    assert.match(
      (await checkClusters(folder)).join(),
      /broker\.log was damaged and .*broker\.log\.damaged-\d+ is a copy of the damaged file/,
    );
  }
  for (const name of readdirSync(cluster).filter((one) => one.includes('.damaged-'))) rmSync(join(cluster, name));
  assert.deepEqual(await checkClusters(folder), []);
});
