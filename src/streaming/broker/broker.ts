// The embedded broker of one cluster: usually three listeners that act as one broker group over one copy of the data on
// disk. `openBroker` depends on nothing else of the platform, so it can run in a worker or process. Acknowledged
// records are written: a crash of the process loses none of them. A power failure loses at most the last `flushMs` of
// them, or none with `flush: 'always'`.
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
import { mostFetchBytes } from './handlers/fetch.ts';
import type { Cluster } from './handlers/handler.ts';
import { brokerFile, KeyValueLog } from './log/key-value-log.ts';
import { jobsOf, startJobs } from './maintenance.ts';
import { Nodes } from './nodes.ts';
import { BrokerSettings } from './settings/broker-settings.ts';
import { timesOfGroup } from './settings/group-settings.ts';
import { type OwnFacts, ownSettings } from './settings/own-settings.ts';
import { SettingStore } from './settings/setting-store.ts';
import type { Configs } from './topic/topic-config.ts';
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
  addresses: string[]; // host:port, as reported to clients
  stopNode(id: number): Promise<void>;
  startNode(id: number): Promise<void>;
  enforceRetention(): Promise<void>; // runs it now, in addition to its timer
  close(): Promise<void>;
}

const megabyte = 1024 * 1024;
const stallTimeoutMs = 30_000; // Kafka clients give up a request after this time
const dayMs = 86_400_000;
const mostMembers = 1_000; // of a group
const defaultConnections = 1_000;
const defaultFlushMs = 1_000;

const defaultLimits: ConnectionLimits = {
  requestBytes: 100 * megabyte,
  inFlightRequests: 64,
  inFlightBytes: 32 * megabyte,
  unsentBytes: 4 * megabyte,
  handshakeMs: 10_000,
};

// `bytes`: the budget for requests; answers get a second budget of the same size.
export function brokerMemory(bytes: number, { real: now }: Clock): BrokerMemory {
  const options = { limitBytes: bytes, stallTimeoutMs, now };
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
    listener.limitConnections(cluster.settings.number('max.connections', id));
    const port = await listener.open(); // a broker that is started again keeps its port
    listeners.set(id, listener);
    node.port = given.advertisedPort ?? port;
    cluster.nodes.setServing(id, true);
  };
  // Moves its leaders to other brokers before its connections end.
  const stopNode = async (id: number): Promise<void> => {
    cluster.nodes.setServing(id, false);
    await listeners.get(id)?.close();
  };

  cluster.settingStore.onChange(() => {
    for (const [id, listener] of listeners) listener.limitConnections(cluster.settings.number('max.connections', id));
  });
  const jobs = startJobs(jobsOf(cluster, options.flushMs ?? defaultFlushMs), services.log);
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
  const { tls, mostConnections = defaultConnections } = options;
  return new Listener({ nodeId, host, port, tls, limits, memory, mostConnections }, cluster);
}

async function openCluster(options: BrokerOptions, { clock, log }: BrokerServices): Promise<Cluster> {
  const { folder, clusterId, storageBytes, flush = 'interval', mostPartitions = 4_000 } = options;
  await makeFolder(folder);
  const state = await KeyValueLog.open(join(folder, brokerFile), flush);
  if (state.damage)
    log.error('broker: the file of topics and offsets is damaged, some changes are lost', { ...state.damage });
  const nodes = new Nodes();
  for (const { nodeId, host, advertisedHost, port } of options.listeners)
    nodes.all.push({ id: nodeId, host: advertisedHost ?? host, port, isServing: false });
  const settingStore = new SettingStore(state);
  const settings = new BrokerSettings(settingStore, (id) => ownSettings(ownFactsOf(id, options, nodes)));
  const defaults = (leader: number): Configs => settings.topicConfigs(leader);
  const files = join(folder, 'topics');
  const topics = await Topics.open({ folder: files, state, nodes, clock, flush, mostPartitions, defaults });
  settingStore.onChange(() => topics.configureAll());
  const offsets = new Offsets(state);
  const nowMs = (): number => clock.now();
  const transactions = await Transactions.open({ state, topics, offsets, nowMs });
  const groups = new Groups({
    classic: { timers: realTimers, nowMs, initialDelayMs: rebalanceDelayOf(options), mostMembers },
    consumer: {
      timers: realTimers,
      nowMs,
      times: (id) => timesOfGroup(settingStore, id),
      mostMembers,
      topicNames: () =>
        new Map(topics.all.map(({ name, id, partitions }) => [name, { id, partitions: partitions.length }])),
    },
    state,
    offsets,
    nowMs,
    offsetsRetentionMs: 7 * dayMs,
  });
  const quotas = new Quotas(state, () => clock.real());
  const parts = { nodes, topics, groups, offsets, transactions, quotas, settings, settingStore };
  return { id: clusterId, ...parts, state, storageBytes, clock, log };
}

const rebalanceDelayOf = ({ initialRebalanceDelayMs = 100 }: BrokerOptions): number => initialRebalanceDelayMs;

function ownFactsOf(nodeId: number, options: BrokerOptions, nodes: Nodes): OwnFacts {
  const { host = '', port = 0 } = nodes.find(nodeId) ?? {};
  const bound = options.listeners.find((one) => one.nodeId === nodeId);
  return {
    nodeId,
    host: bound?.host ?? host,
    port: bound?.port || port,
    advertised: { host, port },
    flushMs: options.flush === 'always' ? 0 : (options.flushMs ?? defaultFlushMs),
    mostConnections: options.mostConnections ?? defaultConnections,
    mostMembers,
    initialRebalanceDelayMs: rebalanceDelayOf(options),
    mostFetchBytes,
  };
}
