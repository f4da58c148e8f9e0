// The interface of a streaming engine: it runs clusters of brokers that speak the Kafka protocol over mutual TLS. The
// layer above decides about names, bounds, users and certificates. A specification and a handle are plain data that the
// caller stores in the row of the cluster, so a restarted process or another engine continues with them.
import type { CertificatePair } from '../../base/certificate.ts';
import type { Clock } from '../../base/clock.ts';
import type { Values } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { BrokerFacts, Inspections } from './inspection.ts';

export type ClusterHandle = Values; // the engine's data for finding the cluster again: folders, process ids, ports

export interface ClusterSpec {
  id: string; // of the cluster, a UUID
  brokers: readonly BrokerSpec[]; // three
  authority: string; // PEM: only clients with a certificate of it are accepted
  // The certificate of the brokers, and of the engine itself as a client. Its common name is `brokerName`, which has
  // all rights.
  certificate: CertificatePair;
  storageBytes: number; // of all topics together, one copy of each record
}

export interface BrokerSpec {
  id: number; // 1 to 3
  host: string; // to listen on: a dedicated loopback address, or all addresses of the machine
  port: number;
  advertised: { host: string; port: number }; // as clients reach it
}

export const brokerName = 'cumulet-broker';

// The broker decides about missing values: its defaults are those of Apache Kafka.
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
  // Records from the committed offset to the end, over all partitions of each topic of which the group has committed at
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
  // records: offsets from the beginning of the logs to their ends. Aborted records, transaction markers and compacted
  // records count too, as in Kafka's own tools, because counting the real records is expensive.
  topics: { name: string; bytes: number; records: number }[];
  groups: GroupFacts[];
}

// Brokers that the operator runs. Each set is one cluster and has its own authority.
export interface BrokerSet {
  id: string; // the fingerprint of the authority's key
  where: string; // its line in the list, for the operator
  addresses: readonly { host: string; port: number }[];
  authority: CertificatePair;
}

export interface Leftovers {
  topics: number;
  groups: number;
}

export interface OutsideBrokers {
  sets(): readonly BrokerSet[]; // as the list is now
  leftovers(set: BrokerSet): Promise<Leftovers>; // fails with 'unavailable' if no broker answers
}

// Control of single brokers, for tests of clients.
export interface SingleBrokers {
  list(id: string): Promise<BrokerFacts[]>;
  // A broker that is not serving is unreachable, and others lead its partitions; a start of the cluster ends that.
  setServing(id: string, brokerId: number, isServing: boolean): Promise<void>;
}

export interface StreamingEngine {
  readonly outside?: OutsideBrokers; // absent: the engine runs the brokers itself
  // Resolves when clients can connect. A running cluster is left unchanged, even one that an earlier process started
  // and whose handle is passed; a cluster with existing data continues. 'refused': it can never start like this,
  // because an address is in use or the engine's program is missing; any other failure may be temporary.
  start(spec: ClusterSpec, handle?: ClusterHandle): Promise<ClusterHandle>;
  // The data stays. Stopping or removing a cluster that is not running succeeds.
  stop(id: string, handle?: ClusterHandle): Promise<void>;
  // Deletes the data, too. `spec`: for brokers that this process has not reached yet.
  remove(id: string, handle?: ClusterHandle, spec?: ClusterSpec): Promise<void>;
  // The methods below need a started cluster; they fail with 'unavailable' if it does not run or answer. An existing
  // topic of that name stays unchanged, since the call may be repeated. 'refused' has the reason why the broker does
  // not accept the topic.
  createTopic(id: string, topic: TopicSpec): Promise<void>;
  deleteTopic(id: string, name: string): Promise<void>; // succeeds if the topic is missing
  topics(id: string): Promise<TopicFacts[]>; // all topics except internal ones, of any creator
  figures(id: string): Promise<ClusterFigures>;
  readonly inspections?: Inspections; // absent: Kafka clients must be used
  readonly brokers?: SingleBrokers; // absent: brokers are processes that a tester can kill
  // Does the work that is due by the clock, such as retention, if the engine does not follow the clock by itself.
  tidy(): Promise<void>;
  // Called when the region stops. Separate processes keep running, and the next `start` adopts them.
  close(): Promise<void>;
}

export interface EngineOptions {
  address: string; // embedded, kafka+jvm:FOLDER, kafka+list:FILE or kafka://…
  folder: string; // for the data of all clusters
  flushMs: number; // how often acknowledged records are synced to disk; 0: before they are acknowledged
  clock: Clock;
  log: Log;
  clusterLog(id: string): Log; // the log of a broker, for the owner of the cluster
}
