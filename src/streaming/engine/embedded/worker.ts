// The thread that runs the brokers of some clusters.
import { rm } from 'node:fs/promises';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type Clock, createClock } from '../../../base/clock.ts';
import { Fault } from '../../../base/fault.ts';
import type { Level, Log } from '../../../base/log.ts';
import { serveCalls } from '../../../core/threads/worker-calls.ts';
import { type Broker, brokerMemory, openBroker } from '../../broker/broker.ts';
import type { BrokerMemory } from '../../broker/connection/connection.ts';
import type { TopicRequest } from '../../broker/topic/topics.ts';
import { errorCodes, ProtocolError } from '../../broker/wire/errors.ts';
import type { TopicSpec } from '../engine.ts';
import type { BrokerCalls, LoggedLine, StartJob } from './engine.ts';
import { brokerFactsOf, figuresOf, topicFactsOf } from './facts.ts';
import { inspectCluster, inspectTopic } from './inspection.ts';
import { readMessages } from './messages.ts';
import { produceMessage } from './produce.ts';

const running = new Map<string, Promise<Broker>>();
const clock: Clock = createClock();
let logPort: MessagePort | undefined;
let memory: BrokerMemory | undefined; // of all clusters of this thread

parentPort?.on('message', (message: object) => {
  if (!('log' in message)) return;
  logPort = message.log as MessagePort;
  logPort.unref();
});

serveCalls<BrokerCalls>(
  {
    start,
    stop,
    remove,
    createTopic,
    deleteTopic,
    topics,
    figures,
    tidy,
    setServing,
    brokers: async (id) => brokerFactsOf(await brokerOf(id)),
    inspectCluster: async (id) => inspectCluster(await brokerOf(id)),
    inspectTopic: async ({ id, name }) => inspectTopic(await brokerOf(id), name),
    messages: async (question) => readMessages(await brokerOf(question.id), question),
    produce: async (message) => produceMessage(await brokerOf(message.id), message),
  },
  async () => {
    await Promise.all([...running.keys()].map(stop));
  },
);

async function start(job: StartJob): Promise<void> {
  followClock(job.clockOffsetMs);
  const { id } = job.spec;
  const wasRunning = running.has(id);
  const opening = running.get(id) ?? open(job);
  running.set(id, opening);
  try {
    const { addresses } = await opening;
    if (!wasRunning) logOf(id).info('broker: the cluster serves', { addresses });
  } catch (error) {
    running.delete(id);
    throw faultOf(error);
  }
}

function open({ spec, folder, flushMs, memoryBytes }: StartJob): Promise<Broker> {
  memory ??= brokerMemory(memoryBytes, clock);
  const { id, brokers: nodes, authority, certificate, storageBytes } = spec;
  return openBroker(
    {
      clusterId: id.replaceAll('-', ''),
      folder,
      listeners: nodes.map(({ id: nodeId, host, port, advertised }) => ({
        nodeId,
        host,
        port,
        advertisedHost: advertised.host,
        advertisedPort: advertised.port,
      })),
      tls: { key: certificate.key, certificate: certificate.certificate, authority },
      storageBytes,
      ...(flushMs === 0 ? { flush: 'always' } : { flush: 'interval', flushMs }),
    },
    { clock, log: logOf(id), memory },
  );
}

async function stop(id: string): Promise<void> {
  const opening = running.get(id);
  running.delete(id);
  await (await opening?.catch(() => undefined))?.close();
}

async function remove({ id, folder }: { id: string; folder: string }): Promise<void> {
  await stop(id);
  await rm(folder, { recursive: true, force: true });
}

async function brokerOf(id: string): Promise<Broker> {
  const broker = await running.get(id)?.catch(() => undefined);
  if (!broker) throw new Fault('unavailable', 'The brokers of this cluster are not running.', { retryAfterS: 1 });
  return broker;
}

async function createTopic({ id, topic }: { id: string; topic: TopicSpec }): Promise<void> {
  const { cluster } = await brokerOf(id);
  try {
    await cluster.topics.create(requestOf(topic));
  } catch (error) {
    if (error instanceof ProtocolError && error.code === errorCodes.TOPIC_ALREADY_EXISTS) return;
    throw faultOf(error);
  }
}

function requestOf({ name, partitions, replicationFactor, retentionMs, segmentBytes }: TopicSpec): TopicRequest {
  const configs: Record<string, string> = {};
  if (retentionMs !== undefined) configs['retention.ms'] = String(retentionMs);
  if (segmentBytes !== undefined) configs['segment.bytes'] = String(segmentBytes);
  return { name, partitions: partitions ?? 1, replicationFactor: replicationFactor ?? 1, configs };
}

async function deleteTopic({ id, name }: { id: string; name: string }): Promise<void> {
  const { cluster } = await brokerOf(id);
  const topic = cluster.topics.byName.get(name);
  if (!topic) return;
  try {
    await cluster.topics.delete(topic);
  } catch (error) {
    if (error instanceof ProtocolError && error.code === errorCodes.UNKNOWN_TOPIC_OR_PARTITION) return;
    throw faultOf(error);
  }
  await cluster.offsets.deleteTopic(name);
}

async function topics(id: string) {
  return topicFactsOf(await brokerOf(id));
}

async function figures(id: string) {
  return figuresOf(await brokerOf(id));
}

async function setServing({ id, brokerId, isServing }: Parameters<BrokerCalls['setServing']>[0]): Promise<void> {
  const broker = await brokerOf(id);
  await (isServing ? broker.startNode(brokerId) : broker.stopNode(brokerId));
  logOf(id)[isServing ? 'info' : 'warn'](`broker: ${isServing ? 'started again' : 'stopped by the lab'}`, {
    broker: brokerId,
  });
}

async function tidy(clockOffsetMs: number): Promise<void> {
  followClock(clockOffsetMs);
  for (const opening of running.values()) await (await opening.catch(() => undefined))?.enforceRetention();
}

function followClock(offsetMs: number): void {
  clock.advance(offsetMs - clock.offset());
}

function faultOf(error: unknown): unknown {
  if (error instanceof ProtocolError) return new Fault('refused', error.message);
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') return new Fault('refused', `The address ${address}:${port} is in use.`);
  if (code === 'EADDRNOTAVAIL') return new Fault('refused', `The address ${address} does not belong to this machine.`);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new Fault('unavailable', 'The disk is full.', { retryAfterS: 5 });
  return error;
}

function logOf(id: string): Log {
  const line =
    (level: Level) =>
    (message: string, fields: Record<string, unknown> = {}): void =>
      logPort?.postMessage({ id, level, message, fields } satisfies LoggedLine);
  return { info: line('info'), warn: line('warn'), error: line('error') };
}
