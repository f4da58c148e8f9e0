// Lanes of event streaming: records directly at the brokers, as clients send them, and topics by the API.
import assert from 'node:assert/strict';
import { collect, connected, kafkajsOf, producerOf, type Reached } from '../../../src/testing/kafkajs.ts';
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import type { Region } from '../../harness/region.ts';
import { addCluster, addTopic, clusters, reach } from '../../streaming/clusters.ts';
import type { LaneWork } from './lane.ts';
import { allOf } from './resource-lanes.ts';

const topic = 'outside';

export async function streamLanes(
  region: Region,
  recorded: () => Promise<string[]>,
): Promise<{ lanes: LaneWork[]; close(): Promise<void> }> {
  const cluster = await addCluster(region);
  await addTopic(region, cluster.id, { name: topic, numberOfPartitions: 3, replicationFactor: 3 });
  const reached = await reach(region, cluster);
  const producer = await producerOf(kafkajsOf(reached, 'outside', 100));
  const place = `${clusters}/${cluster.id}/topics`;
  const properties = { numberOfPartitions: 1, replicationFactor: 3 };
  const lanes: LaneWork[] = [
    {
      name: 'records',
      needs: ['broker'],
      isHttp: false,
      everyMs: 250,
      async write(id) {
        await producer.send({ topic, acks: -1, messages: [{ key: id, value: id }] });
        return undefined;
      },
      stored: () => recordsOf(reached),
    },
    {
      name: 'topics',
      needs: ['broker'],
      everyMs: 4000,
      write: (id) => region.call('POST', place, { properties: { ...properties, name: id } }),
      async stored(node = region) {
        const all = await until(
          'no topic is pending',
          () => allOf(node, place),
          (found) => found.every(({ metadata }) => metadata.state === 'AVAILABLE' || metadata.state === 'FAILED'),
          { limitMs: limits.brokers, everyMs: 1000 },
        );
        const ready = all.filter(({ metadata }) => metadata.state === 'AVAILABLE');
        return ready.map(({ properties: { name } }) => String(name));
      },
      recorded,
    },
  ];
  return { lanes, close: () => producer.disconnect() };
}

async function recordsOf(reached: Reached): Promise<string[]> {
  const kafka = kafkajsOf(reached, 'reader', 100);
  const admin = await connected(kafka.admin());
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const total = ends.reduce((sum, { high }) => sum + Number(high), 0);
  assert.ok(total > 0, 'the topic is empty');
  const reader = await collect(kafka, `reader-${Date.now()}`, topic);
  await reader.until(() => reader.received.length >= total);
  await reader.stop();
  return reader.received.map(({ key }) => key);
}
