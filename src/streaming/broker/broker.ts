// The embedded broker of one cluster: three (or any number of) listeners that are one broker group over one copy of
// the data on disk. `openBroker` needs nothing of the rest of the platform, so that it can run in a worker or process.
// What is acknowledged is written: the death of the process loses none of it. A power failure loses at most
// `flushMs` of it, or nothing with `flush: 'always'`.
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { makeFolder } from '../../base/sync-folder.ts';
import type { BrokerMemory, ConnectionLimits } from './connection/connection.ts';
import { Listener, type ListenerTls } from './connection/listener.ts';
import { MemoryBudget } from './connection/memory-budget.ts';
import { Quotas } from './connection/quotas.ts';
import { Groups } from './group/groups.ts';
import { Offsets } from './group/offsets.ts';
import { realTimers } from './group/timers.ts';
import type { Cluster } from './handlers/handler.ts';
import { brokerFile, KeyValueLog } from './log/key-value-log.ts';
import { jobsOf, startJobs } from './maintenance.ts';
import { Nodes } from './nodes.ts';
import { Topics } from './topic/topics.ts';
import { Transactions } from './transaction/transactions.ts';

export interface BrokerListener {
  nodeId: number;
  host: string;
  port: number; // 0: a free one
  advertisedHost?: string; // where clients reach it from outside
  advertisedPort?: number;
}

export interface BrokerOptions {
  clusterId: string;
  folder: string;
  listeners: BrokerListener[];
  tls: ListenerTls;
  storageBytes: number;
  flush?: 'always' | 'interval';
  flushMs?: number;
  mostConnections?: number; // of one listener
  mostPartitions?: number;
  initialRebalanceDelayMs?: number;
  limits?: Partial<ConnectionLimits>;
}

export interface BrokerServices {
  clock: Clock;
  log: Log;
  memory: BrokerMemory; // may be shared by several clusters
}

export interface Broker {
  cluster: Cluster; // topics, groups and figures for the management API
  listeners: Listener[];
  addresses: string[]; // host:port, as clients are told
  stopNode(id: number): Promise<void>;
  startNode(id: number): Promise<void>;
  enforceRetention(): Promise<void>; // now, besides its timer
  close(): Promise<void>;
}

const megabyte = 1024 * 1024;
const patienceMs = 30_000; // after it, Kafka's clients give up a request themselves
const dayMs = 86_400_000;

const defaultLimits: ConnectionLimits = {
  requestBytes: 100 * megabyte,
  inFlightRequests: 64,
  inFlightBytes: 32 * megabyte,
  unsentBytes: 4 * megabyte,
  handshakeMs: 10_000,
};

// `bytes`: of requests, and the same again of answers.
export function brokerMemory(bytes: number, { real: now }: Clock): BrokerMemory {
  const options = { limitBytes: bytes, patienceMs, now };
  return { requests: new MemoryBudget(options), answers: new MemoryBudget(options) };
}

export async function openBroker(options: BrokerOptions, services: BrokerServices): Promise<Broker> {
  const cluster = await openCluster(options, services);
  const listeners = new Map<number, Listener>();

  const startNode = async (id: number): Promise<void> => {
    const given = options.listeners.find(({ nodeId }) => nodeId === id);
    const node = cluster.nodes.find(id);
    if (!given || !node || node.isServing) return;
    const listener = listeners.get(id) ?? listenerOf(given, options, services.memory, cluster);
    const port = await listener.open(); // one that comes back is where it was
    listeners.set(id, listener);
    node.port = given.advertisedPort ?? port;
    cluster.nodes.setServing(id, true);
  };
  // Its leaders go to others before its connections end.
  const stopNode = async (id: number): Promise<void> => {
    cluster.nodes.setServing(id, false);
    await listeners.get(id)?.close();
  };

  const jobs = startJobs(jobsOf(cluster, options.flushMs ?? 1_000), services.log);
  const close = async (): Promise<void> => {
    for (const listener of listeners.values()) await listener.close();
    await jobs.stop();
    cluster.groups.close();
    await cluster.topics.close();
    await cluster.state.close();
  };
  try {
    for (const { nodeId } of options.listeners) await startNode(nodeId);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    cluster,
    get listeners() {
      return [...listeners.values()];
    },
    get addresses() {
      return cluster.nodes.all.map(({ host, port }) => `${host}:${port}`);
    },
    startNode,
    stopNode,
    enforceRetention: () => jobs.run('retention'),
    close,
  };
}

function listenerOf(given: BrokerListener, options: BrokerOptions, memory: BrokerMemory, cluster: Cluster): Listener {
  const { nodeId, host, port } = given;
  const limits = { ...defaultLimits, ...options.limits };
  const { tls, mostConnections = 1_000 } = options;
  return new Listener({ nodeId, host, port, tls, limits, memory, mostConnections }, cluster);
}

async function openCluster(options: BrokerOptions, { clock, log }: BrokerServices): Promise<Cluster> {
  const { folder, clusterId, storageBytes, flush = 'interval', mostPartitions = 4_000 } = options;
  await makeFolder(folder);
  const state = await KeyValueLog.open(join(folder, brokerFile), flush);
  if (state.damage)
    log.error('broker: the file of topics and offsets is damaged, changes are lost', { ...state.damage });
  const nodes = new Nodes();
  for (const { nodeId, host, advertisedHost, port } of options.listeners)
    nodes.all.push({ id: nodeId, host: advertisedHost ?? host, port, isServing: false });
  const topics = await Topics.open({ folder: join(folder, 'topics'), state, nodes, clock, flush, mostPartitions });
  const offsets = new Offsets(state);
  const nowMs = (): number => clock.now();
  const transactions = await Transactions.open({ state, topics, offsets, nowMs });
  const groups = new Groups({
    classic: { timers: realTimers, nowMs, initialDelayMs: options.initialRebalanceDelayMs ?? 100, mostMembers: 1_000 },
    consumer: {
      timers: realTimers,
      nowMs,
      heartbeatMs: 1_000,
      sessionMs: 45_000,
      mostMembers: 1_000,
      topicNames: () =>
        new Map(topics.all.map(({ name, id, partitions }) => [name, { id, partitions: partitions.length }])),
    },
    offsets,
    nowMs,
    offsetsRetentionMs: 7 * dayMs,
  });
  const quotas = new Quotas(state, () => clock.real());
  return { id: clusterId, nodes, topics, groups, offsets, transactions, quotas, state, storageBytes, clock, log };
}
