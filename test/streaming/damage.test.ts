// A wrong byte in the file in which a cluster stores its topics, as a disk fault leaves it.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connected, kafkajsOf, producerOf } from '../../src/testing/kafkajs.ts';
import { cumulet } from '../harness/process.ts';
import { startRegion } from '../harness/region.ts';
import { addCluster, addTopic, clusters, reach, untilState } from './clusters.ts';

test('[STREAM-06] [GEN-06] state check reports a wrong byte, and the cluster keeps all later rows', async () => {
  await using region = await startRegion();
  const cluster = await addCluster(region);
  for (const name of ['lost', 'kept']) await addTopic(region, cluster.id, { name, numberOfPartitions: 1 });
  const kafka = kafkajsOf(await reach(region, cluster));
  const producer = await producerOf(kafka);
  await producer.send({ topic: 'kept', messages: [{ value: 'one' }, { value: 'two' }] });
  await producer.disconnect();
  const check = async (says: RegExp): Promise<void> => {
    const { code, stdout } = await cumulet(['state', 'check', '--data', region.data]);
    assert.equal(code, 1, stdout);
    assert.match(stdout, says);
  };
  await region.halt('SIGTERM');
  const path = join(region.data, 'streaming', cluster.id, 'broker.log');
  const bytes = readFileSync(path);
  // The row is written again when the state of its partition is saved.
  for (let at = bytes.indexOf('"lost"'); at >= 0; at = bytes.indexOf('"lost"', at + 1)) bytes[at + 1] = 0x58;
  writeFileSync(path, bytes);
  await check(/broker\.log is damaged at byte \d+: \d+ bytes of changes are lost$/m);

  await region.start();
  await region.logged('the file of topics and offsets is damaged');
  await untilState(region, `${clusters}/${cluster.id}`, 'AVAILABLE');
  const admin = await connected(kafka.admin());
  assert.deepEqual(await admin.listTopics(), ['kept']);
  assert.partialDeepStrictEqual(await admin.fetchTopicOffsets('kept'), [{ partition: 0, low: '0', high: '2' }]);
  await admin.disconnect();
  await check(/broker\.log was damaged and .* broker\.log\.damaged-\d+ is a copy of the damaged file/);
});
