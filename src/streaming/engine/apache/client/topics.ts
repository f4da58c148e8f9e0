// Reads and changes the topics of a cluster through the Kafka protocol.
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../../../base/fault.ts';
import { errorCodes } from '../../../broker/wire/errors.ts';
import { describeLogDirs, metadata } from '../../../broker/wire/messages/cluster.ts';
import { describeConfigs } from '../../../broker/wire/messages/config.ts';
import { createTopics, deleteTopics } from '../../../broker/wire/messages/topic.ts';
import type { TopicFacts, TopicSpec } from '../../engine.ts';
import type { KafkaClient } from './client.ts';
import type { BrokerAddress } from './connection.ts';

const changeMs = 20_000;
const pollMs = 20;
const topicResource = 2;
const chosenByBroker = -1;
// Transient errors that may disappear on a retry: no leader yet, a timeout, a broker that is not the controller any
// more.
const passing: readonly number[] = [5, 7, 15, 16, 41, 89, -1];

export async function createTopic(client: KafkaClient, topic: TopicSpec): Promise<void> {
  const { name, partitions = chosenByBroker, replicationFactor = chosenByBroker, retentionMs, segmentBytes } = topic;
  const configs = [
    ...(retentionMs === undefined ? [] : [{ name: 'retention.ms', value: String(retentionMs) }]),
    ...(segmentBytes === undefined ? [] : [{ name: 'segment.bytes', value: String(segmentBytes) }]),
  ];
  const wanted = { name, numPartitions: partitions, replicationFactor, assignments: [], configs };
  const { topics } = await client.askAny(
    createTopics,
    { topics: [wanted], timeoutMs: changeMs, validateOnly: false },
    changeMs,
  );
  const { errorCode = 0, errorMessage = null } = topics[0] ?? {};
  if (errorCode !== errorCodes.TOPIC_ALREADY_EXISTS) check(errorCode, errorMessage, `topic ${name}`);
  await untilSeen(client, name, true);
}

export async function deleteTopic(client: KafkaClient, name: string): Promise<void> {
  const topic = { name, topicId: '0'.repeat(32) };
  const request = { topics: [topic], topicNames: [name], timeoutMs: changeMs };
  const { responses } = await client.askAny(deleteTopics, request, changeMs);
  const { errorCode = 0, errorMessage = null } = responses[0] ?? {};
  if (errorCode !== errorCodes.UNKNOWN_TOPIC_OR_PARTITION) check(errorCode, errorMessage, `topic ${name}`);
  await untilSeen(client, name, false);
}

// The controller has decided; each broker learns of it a moment later. A broker that does not answer is not waited for.
async function untilSeen(client: KafkaClient, name: string, isThere: boolean): Promise<void> {
  const { brokers } = await client.metadata([]);
  const topics = [{ topicId: '0'.repeat(32), name }];
  const sees = (broker: BrokerAddress): Promise<boolean> =>
    client.ask(broker, metadata, { topics, allowAutoTopicCreation: false }).then(
      (answer) =>
        answer.topics.every(({ errorCode, partitions }) => isThere === (errorCode === 0 && hasLeaders(partitions))),
      () => true,
    );
  const limit = performance.now() + changeMs;
  for (const broker of brokers) while (!(await sees(broker)) && performance.now() < limit) await wait(pollMs);
}

const hasLeaders = (partitions: { leaderId: number }[]): boolean => partitions.every(({ leaderId }) => leaderId >= 0);

// Omits internal topics.
export async function topicFacts(client: KafkaClient): Promise<TopicFacts[]> {
  const { topics } = await client.metadata();
  const own = topics.filter(({ isInternal, errorCode, name }) => !isInternal && errorCode === 0 && name !== null);
  const [configs, bytes] = await Promise.all([configsOf(client, own.map(nameOf)), bytesOf(client)]);
  return own.map((topic) => {
    const name = nameOf(topic);
    const config = (key: string): number => Number(configs.get(name)?.get(key) ?? 0);
    return {
      name,
      partitions: topic.partitions.length,
      replicationFactor: topic.partitions[0]?.replicaNodes.length ?? 0,
      retentionMs: config('retention.ms'),
      segmentBytes: config('segment.bytes'),
      bytes: bytes.get(name) ?? 0,
    };
  });
}

async function configsOf(client: KafkaClient, names: string[]): Promise<Map<string, Map<string, string>>> {
  if (names.length === 0) return new Map();
  const { results } = await client.askAny(describeConfigs, {
    resources: names.map((resourceName) => ({
      resourceType: topicResource,
      resourceName,
      configurationKeys: ['retention.ms', 'segment.bytes'],
    })),
  });
  return new Map(
    results.map(({ resourceName, configs }) => [
      resourceName,
      new Map(configs.map(({ name, value }) => [name, value ?? ''])),
    ]),
  );
}

// Returns the bytes of each topic on the disks of its partition leaders, so each record counts once.
async function bytesOf(client: KafkaClient): Promise<Map<string, number>> {
  const { brokers, topics } = await client.metadata();
  const leaders = new Map(
    topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, leaderId }) => [`${name}/${partitionIndex}`, leaderId] as const),
    ),
  );
  const bytes = new Map<string, number>();
  for (const broker of brokers) {
    const { results } = await client.ask(broker, describeLogDirs, { topics: null });
    for (const { name, partitions } of results.flatMap((folder) => folder.topics)) {
      const led = partitions.filter(({ partitionIndex: at }) => leaders.get(`${name}/${at}`) === broker.nodeId);
      const size = led.reduce((total, { partitionSize }) => total + partitionSize, 0);
      bytes.set(name, (bytes.get(name) ?? 0) + size);
    }
  }
  return bytes;
}

const nameOf = ({ name }: { name: string | null }): string => name ?? '';

export function check(code: number, message: string | null, what: string): void {
  if (code === 0) return;
  const name = Object.entries(errorCodes).find(([, one]) => one === code)?.[0] ?? `error ${code}`;
  throw new Fault(passing.includes(code) ? 'unavailable' : 'refused', `${what}: ${message ?? name}`);
}
