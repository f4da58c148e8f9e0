// The interface of a streaming engine: it runs clusters of brokers that speak the Kafka protocol over mutual TLS.
// Names, bounds, users and certificates are decided above it. A specification and a handle are plain data that the
// caller keeps in the row of the cluster, so a restarted process or another engine goes on with them.
import type { CertificatePair } from '../../base/certificate.ts';
import type { Clock } from '../../base/clock.ts';
import type { Values } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { BrokerFacts, Inspections } from './inspection.ts';

export type ClusterHandle = Values; // whatever the engine needs to find the cluster again: folders, process ids, ports

export interface ClusterSpec {
  id: string; // of the cluster, a UUID
  brokers: readonly BrokerSpec[]; // three
  authority: string; // PEM: who has a certificate of it gets in, and nobody else
  // Of the brokers, and of the engine itself as a client. Its common name is `brokerName`, which may do everything.
  certificate: CertificatePair;
  storageBytes: number; // of all topics together, one copy of each record
}

export interface BrokerSpec {
  id: number; // 1 to 3
  host: string; // to listen on: a loopback address of its own, or all addresses of the machine
  port: number;
  advertised: { host: string; port: number }; // as clients reach it
}

export const brokerName = 'cumulet-broker';

// What is left out is up to the broker: its defaults are those of Apache Kafka.
export interface TopicSpec {
  name: string;
  partitions?: number | undefined;
  replicationFactor?: number | undefined;
  retentionMs?: number | undefined; // -1: no limit
  segmentBytes?: number | undefined;
}

export interface TopicFacts extends Required<TopicSpec> {
  partitions: number;
  replicationFactor: number;
  retentionMs: number;
  segmentBytes: number;
  bytes: number; // on disk, one copy
}

export interface GroupFacts {
  id: string;
  members: number;
  // Offsets from the committed one to the end, over all partitions of each topic of which the group has committed at
  // least one. A partition without a commit counts from the beginning of its log.
  lag: { topic: string; records: number }[];
}

// Counters grow from the start of the cluster's brokers.
export interface ClusterFigures {
  bytesIn: number;
  bytesOut: number;
  requests: number;
  refusedHandshakes: number;
  connections: number; // now, and so on
  partitions: number;
  storedBytes: number; // one copy
  // records: offsets from the beginning of the logs to their ends. Aborted records, the markers that end transactions
  // and what compaction took out count too, as in Kafka's own tools: nobody counts what is inside.
  topics: { name: string; bytes: number; records: number }[];
  groups: GroupFacts[];
}

// Brokers that are not ours to start: where they are, and whose certificates they accept.
export interface Elsewhere {
  addresses: readonly { host: string; port: number }[];
  authority: CertificatePair; // of all clusters; the engine refuses to start a second one
}

// One by one, for tests of clients.
export interface SingleBrokers {
  list(id: string): Promise<BrokerFacts[]>;
  // A broker that does not serve can not be reached, and others lead its partitions; a start of the cluster ends that.
  setServing(id: string, brokerId: number, isServing: boolean): Promise<void>;
}

export interface StreamingEngine {
  readonly elsewhere?: Elsewhere; // absent: each cluster gets addresses and an authority of its own
  // Resolves when clients can connect. A cluster that runs is left as it is, also one that an earlier process started
  // and whose handle is given; one whose data is there is continued. 'refused': it can't ever be started like this,
  // because an address is taken or the engine's program is missing; anything else may work later.
  start(spec: ClusterSpec, handle?: ClusterHandle): Promise<ClusterHandle>;
  // The data stays. A cluster that does not run is no error, here and in `remove`.
  stop(id: string, handle?: ClusterHandle): Promise<void>;
  // The data goes too.
  remove(id: string, handle?: ClusterHandle): Promise<void>;
  // Those below are for clusters that were started; 'unavailable' where one does not run or answer now.
  // A topic of that name is left as it is, since the call may be repeated. 'refused' with the reason where the broker
  // does not accept it.
  createTopic(id: string, topic: TopicSpec): Promise<void>;
  deleteTopic(id: string, name: string): Promise<void>; // one that is not there is no error
  topics(id: string): Promise<TopicFacts[]>; // by whomever they were made, without the broker's own
  figures(id: string): Promise<ClusterFigures>;
  readonly inspections?: Inspections; // absent: clients of Kafka have to be used
  readonly brokers?: SingleBrokers; // absent: they are processes, which whoever tests may kill
  // Does what is due by the clock now, such as retention, where it does not follow the clock by itself.
  tidy(): Promise<void>;
  // The region stops. What runs in processes of its own goes on and is adopted by the next `start`.
  close(): Promise<void>;
}

export interface EngineOptions {
  address: string; // embedded, kafka+jvm:FOLDER or kafka://…
  folder: string; // for the data of all clusters
  flushMs: number; // how often what was acknowledged is synced to disk; 0: before it is acknowledged
  clock: Clock;
  log: Log;
  clusterLog(id: string): Log; // what a broker logs: the owner of the cluster reads it
}
