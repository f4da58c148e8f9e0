// kafkajs as a client of a cluster, and members of groups that collect messages.
import { type Admin, type Consumer, Kafka, logLevel, Partitioners, type Producer } from 'kafkajs';
import { limits } from './limits.ts';
import { until } from './waiting.ts';

// How Kafka clients connect to a cluster.
export interface Reached {
  addresses: string[];
  certificates: { authority: string; client: { certificate: string; key: string } };
}

export function kafkajsOf({ addresses, certificates }: Reached, clientId = 'kafkajs', retries = 20): Kafka {
  const { authority, client } = certificates;
  return new Kafka({
    clientId,
    brokers: addresses,
    ssl: { ca: [authority], key: client.key, cert: client.certificate },
    logLevel: logLevel.NOTHING,
    connectionTimeout: limits.request, // a second by default: too short for a handshake on a busy machine
    authenticationTimeout: limits.request,
    requestTimeout: limits.request,
    retry: { initialRetryTime: 20, retries, maxRetryTime: 200 },
  });
}

export async function connected<Client extends Admin | Consumer | Producer>(client: Client): Promise<Client> {
  await client.connect();
  return client;
}

export const producerOf = (kafka: Kafka, transactionalId?: string): Promise<Producer> =>
  connected(
    kafka.producer({
      idempotent: true,
      createPartitioner: Partitioners.DefaultPartitioner,
      ...(transactionalId !== undefined && { transactionalId, maxInFlightRequests: 1 }),
    }),
  );

export interface Received {
  partition: number;
  offset: number;
  key: string;
  value: string;
}

export interface Collector {
  received: Received[];
  assigned: number[]; // the partitions that it has
  until(holds: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

// A member of a group that collects its messages.
export async function collect(kafka: Kafka, groupId: string, topic: string): Promise<Collector> {
  let isStopped = false;
  const consumer = kafka.consumer({
    groupId,
    heartbeatInterval: 100,
    sessionTimeout: 6_000,
    maxWaitTimeInMs: 100,
    // kafkajs starts a consumer again that can't reach its broker, even if it was stopped in the meantime: then the
    // process would never end.
    retry: { retries: 5, restartOnFailure: async () => !isStopped },
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const received: Received[] = [];
  const collector: Collector = {
    received,
    assigned: [],
    async until(holds) {
      const look = () => ({ isSo: holds(), received: received.length, assigned: collector.assigned });
      await until('the consumer has its messages', look, ({ isSo }) => isSo, { limitMs: limits.request });
    },
    async stop() {
      isStopped = true;
      await consumer.stop();
      await consumer.disconnect();
    },
  };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    collector.assigned = payload.memberAssignment[topic] ?? [];
  });
  await consumer.run({
    partitionsConsumedConcurrently: 3,
    eachMessage: async ({ partition, message: { key, value, offset } }) => {
      received.push({ partition, offset: Number(offset), key: String(key), value: String(value) });
    },
  });
  return collector;
}
