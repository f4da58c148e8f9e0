// The interfaces between products. A product imports no other product: it provides its own ports while it is opened,
// and uses those of others only after all products are open. So two products may need each other. The use of a port
// that no product provides fails with its name.
import type { SecureContext } from 'node:tls';
import type { Values } from '../base/json.ts';
import type { Caller } from '../core/access.ts';
import type { EngineHome } from '../core/nodes/engine-home.ts';
import type { Bounds } from '../core/operation/reservations.ts';
import type { ReconcilerHome } from '../core/reconciler.ts';
import type { Draft } from '../core/resource.ts';
import type { LogSource } from '../core/resource-logs.ts';
import type { MetricSource } from '../core/resource-metrics.ts';
import type { Row, Table } from '../core/state/engine.ts';
import type { Alerting, AlertSource } from './alerting/source.ts';
import type { CallRefusal } from './call-refusal.ts';
import type { ConsoleParts } from './console-parts.ts';
import type { Authenticator } from './http/authentication.ts';
import type { Route } from './http/exchange.ts';
import type { ServiceHosts } from './http/host-names.ts';

export interface Port<T> {
  readonly name: string;
  readonly carries?: T; // only for the type checker
}

export const port = <T>(name: string): Port<T> => ({ name });

export class Ports {
  readonly #filled = new Map<string, unknown>();

  fill<T>(to: Port<T>, value: T): void {
    if (this.#filled.has(to.name)) throw new Error(`two products fill the port ${to.name}`);
    this.#filled.set(to.name, value);
  }

  use<T>(from: Port<T>): T {
    if (!this.#filled.has(from.name)) throw new Error(`no product fills the port ${from.name}`);
    return this.#filled.get(from.name) as T;
  }

  // For what a region may do without.
  find<T>(from: Port<T>): T | undefined {
    return this.#filled.get(from.name) as T | undefined;
  }

  // A port that several products add to.
  add<T>(to: Port<readonly T[]>, item: T): void {
    this.#filled.set(to.name, [...this.list(to), item]);
  }

  list<T>(from: Port<readonly T[]>): readonly T[] {
    return this.find(from) ?? [];
  }
}

// Identity: who calls, in which contracts, within which limits, and how people sign in to the console.
export const authentication = port<Authenticator>('authentication');
export const contractLimits = port<{
  limits(contract: number): Promise<Readonly<Record<string, number>>>; // by the platform's names
  bounds(contract: number): Promise<Bounds>; // by the name of the counter
}>('contract limits');
export const contracts = port<{
  numbers(): Promise<number[]>;
  first(): Promise<number>; // the one that was made with the region: its owner has the whole lab
  asMember(user: string, contract: number): Promise<Caller>; // a person in one of their contracts
  hasUser(user: string, contract: number): Promise<boolean>; // false: never was one of it, or was deleted
  canonicalUserId(user: string, contract: number): Promise<string | undefined>; // by which object storage knows them
}>('contracts');
export const signIn = port<{
  routes: Route[];
  lifetimes: readonly [name: string, seconds: number][]; // that a token may have
  mostTokens: number;
}>('sign-in');

// Routes of the console's own, below /console, for what no interface of a product offers.
export const consoleParts = port<readonly ConsoleParts[]>('console parts');
export const consoleRoutes = port<readonly Route[]>('console routes');
export const callRefusals = port<CallRefusal>('call refusals'); // filled by the front, of all services

// Entities without a resource declaration, such as buckets, that the console follows and finds too.
export interface UndeclaredCollection {
  readonly title: string; // Bucket
  readonly table: Table;
  readonly place: string; // of their rows, whose ids are their names. Whoever changes what is in one guards its row
  readonly address: string; // by which pages read them, in front of the name: /console/s3
  // Whether a caller of its contract may read the row. Without a row: whether the caller may read any.
  shows(caller: Caller, row: Row | undefined): Promise<boolean>;
}
export const undeclaredCollections = port<readonly UndeclaredCollection[]>('undeclared collections');

// The console: the addresses of its files, which the API pages load too. Undefined: they can't be bundled here.
export const webFiles = port<{ address(name: string): Promise<string | undefined> }>('web files');

// The labels of resources, for costs.
export interface Label {
  key: string;
  value: string;
  resourceId: string;
}
export const contractLabels = port<{ of(contract: number): Promise<readonly Label[]> }>('the labels of a contract');

// Compute: its machines and its network, for the lab.
export interface LabMachines {
  find(contract: number, serverId: string): Promise<Row | undefined>;
  look(server: Row, now: number): Promise<Values>;
  load(server: Row, now: number): Promise<Values>;
  setLoad(server: Row, sent: Values, now: number): Promise<Values>; // the new load
}
export const labMachines = port<LabMachines>('machines of the lab');

// What runs the region's machines, for `up`, `status` and the console.
export interface MachineEngineInfo {
  title: string;
  isReal: boolean; // machines run, and disks hold bytes
  abilities: [what: string, value: string][];
}
export const machineEngine = port<MachineEngineInfo>('the engine of machines');

export interface LabTraffic {
  readonly protocols: readonly string[];
  // `packet`: { from: { nicId, ip? } or { ip }, to, protocol, sourcePort?, targetPort?, icmpType?, icmpCode?, http?,
  // packets, bytes }
  send(
    contract: number,
    packet: Values,
    repeat: { count: number; sourcePortStep: number }, // the source port grows from one to the next
  ): Promise<{ verdict: 'ACCEPTED' | 'REJECTED' }[]>;
  // Through the network of real machines. Throws a Fault if they are simulated.
  sendReal(contract: number, packet: Values): Promise<{ verdict: 'ACCEPTED' | 'REJECTED' }>;
  find(contract: number, datacenterId: string): Promise<Row | undefined>;
  flows(datacenter: Row, since: number, limit: number): Promise<Values>;
}
export const labTraffic = port<LabTraffic>('traffic of the lab');

// Compute: servers that another product creates and removes in its operations, with their target groups and
// load.
export interface ReplicaServers {
  datacenter(contract: number, id: string): Promise<Row | undefined>;
  find(contract: number, datacenterId: string, serverId: string): Promise<Row | undefined>;
  // A part of the whole, not decided yet. `body` is that of a composite server creation. Throws the problems that the
  // schemas and rules find.
  creation(whole: Draft, datacenter: Row, id: string, body: ReplicaBody): Draft;
  check(creation: Draft): Promise<void>; // throws what a decision would refuse, and makes nothing
  plannedNics(creation: Draft): ReplicaNic[]; // once it is decided
  nics(server: Row): Promise<ReplicaNic[]>; // in the order of their creation
  removal(whole: Draft, datacenter: Row, server: Row, deleteVolumes: boolean): Promise<Draft>; // decided
  hasTargetGroup(caller: Caller, id: string): Promise<boolean>; // that the caller may see
  // A change of a target group, for an operation. A target is identified by its address and port. An existing one
  // stays unchanged. Undefined: the group does not exist, or there is nothing to change.
  retarget(
    caller: Caller,
    id: string,
    add: readonly ReplicaTarget[],
    remove: readonly ReplicaTarget[],
  ): Promise<Draft | undefined>;
  usage(server: Row, from: number, to: number): Promise<ServerUsage>;
  setLoad(server: Row, sent: Values, now: number): Promise<Values>;
}
export interface ReplicaBody {
  properties: Values;
  entities: Values;
}
export interface ReplicaNic {
  id: string;
  lan: number;
  ip?: string; // its first address of version 4
}
export interface ReplicaTarget {
  ip: string;
  port: number;
  weight: number;
}
export interface ServerUsage {
  runningMs: number;
  cpuPercent: number; // on average over the whole time
  networkInBytes: number;
  networkOutBytes: number;
  networkInPackets: number;
  networkOutPackets: number;
}
export const replicaServers = port<ReplicaServers>('replica servers');

// Auto scaling: its groups, for the lab.
export interface LabGroups {
  find(contract: number, groupId: string): Promise<Row | undefined>;
  look(group: Row): Promise<Values>; // replicas, metric, thresholds, the last actions
  load(group: Row): Promise<Values>;
  setLoad(group: Row, total: Values): Promise<Values>; // of all replicas together, spread over them from now on
}
export const labGroups = port<LabGroups>('groups of the lab');

// Event streaming: the brokers of its clusters, for the lab.
export interface LabBrokers {
  readonly home: EngineHome; // of the brokers
  find(contract: number, clusterId: string): Promise<Row | undefined>;
  look(cluster: Row): Promise<Values>; // { id, brokers: { id, address, serving, leads }[] }
  // A broker that does not serve is not to be reached, and leads nothing. Throws where there is no such broker.
  setServing(cluster: Row, brokerId: number, serving: boolean): Promise<void>;
}
export const labBrokers = port<LabBrokers>('brokers of the lab');

// The name of all brokers and the first of their ports, if the operator has set them.
export const advertisedBrokers = port<{ host: string; port: number }>('advertised brokers');

// Compute: the contract that has a public address, if any.
export const addressOwner = port<(ip: string) => Promise<number | undefined>>('address owner');

// DNS: records by which certificates are proven to belong to the owner of a name. `of` is what asks for them: they are
// made and removed in its maker's name.
export interface ChallengeRecords {
  // Which of the names and wildcards belongs to another contract, in a sentence. Undefined: none.
  conflict(contract: number, names: readonly string[]): Promise<string | undefined>;
  zone(contract: number, name: string): Promise<string | undefined>; // the path of the contract's zone that holds it
  put(of: Row, path: string, name: string, text: string): Promise<void>; // unless it is there; path: ZONE/records/ID
  remove(of: Row, path: string): Promise<void>; // if it is there
}
export const challengeRecords = port<ChallengeRecords>('challenge records');

// Certificates: for listeners of other products, which link to the path of what they present.
export interface HeldCertificates {
  find(contract: number, id: string): Promise<Row | undefined>;
  // The certificate that a listener with this id presents. If it was issued by an auto-certificate, or if the id is
  // that of an auto-certificate, this is the latest renewal.
  pem(contract: number, id: string): Promise<CertificatePem | undefined>;
  follow(listener: () => void): void; // calls back after changes of certificates, made by any node
}
export interface CertificatePem {
  id: string; // differs after a renewal; the certificate with an id never changes
  chain: string; // the certificate, then its issuers
  key: string;
}
export const heldCertificates = port<HeldCertificates>('held certificates');

// The services to whose host names the operator can assign certificates.
export interface CertificateTarget extends ServiceHosts {
  name: string; // in commands
}
export const certificateTargets = port<readonly CertificateTarget[]>('certificate targets');

// Certificates: the ones that the operator has assigned.
export interface AssignedCertificates {
  // For a handshake with this host name. `allows`: whether a certificate of this target may be presented for it.
  contextFor(host: string, allows: (target: string) => boolean): Promise<SecureContext | undefined>;
}
export const assignedCertificates = port<AssignedCertificates>('assigned certificates');

// Object storage: where flow logs are written to.
export const buckets = port<{
  exists(caller: Caller, name: string): Promise<boolean>; // of the caller's contract, and of no other user's alone
}>('buckets');

export interface ObjectWriter {
  readonly home: ReconcilerHome; // only the node that has the bytes may put
  canWrite(contract: number, bucket: string): Promise<boolean>; // false too where there is no such bucket
  // Resolves when the object is on disk. Rejects with a Fault 'missing' where the bucket is gone.
  put(contract: number, bucket: string, key: string, body: Buffer, options: { contentType: string }): Promise<void>;
  exists(contract: number, bucket: string, key: string): Promise<boolean>;
}
export const objectWriter = port<ObjectWriter>('object writer');

// The metrics of products about the resources of a contract, for central monitoring.
export const metricSources = port<readonly MetricSource[]>('metric sources');

// The logs of products about the resources of a contract, for central logging.
export const logSources = port<readonly LogSource[]>('log sources');

// The products whose pipelines alert rules can query, and the product of the rules.
export const alertSources = port<readonly AlertSource[]>('alert sources');
export const alerting = port<Alerting>('alerting');

// Save points of the data folder. To make and to restore one, the region is stopped and started again, so the call is
// answered before.
export interface SavePointService {
  list(): SavePointEntry[];
  last(): SavePointWork | undefined; // what was asked for last
  create(name: unknown, infrastructure: boolean): SavePointWork; // begins it
  restore(name: unknown): SavePointWork;
  remove(name: unknown): Promise<void>;
}
export interface SavePointEntry {
  name: string;
  createdDate: string; // by the machine's clock
  regionTime: string; // by the platform's, which a restore brings back
  program: string; // the version that made it
  bytes: number;
  copiedBytes: number; // that it takes for itself; the rest it shares with the region as long as both have them
  files: number;
  infrastructure?: true; // resources without data
  imported?: true; // from a file, with the accounts of the region that it was made of
}
export interface SavePointWork {
  id: string;
  work: 'create' | 'restore';
  name: string;
  state: 'BUSY' | 'DONE' | 'FAILED';
  message?: string; // why it failed
  offlineMs?: number; // so long no call was answered
  tookMs?: number;
}

// An example shop with a load that continues, one for each contract.
export type DemoState = 'OFF' | 'CREATING' | 'RUNNING' | 'DELETING' | 'FAILED';
export interface DemoStatus {
  contract: number;
  state: DemoState;
  since?: string; // of the state
  resources: number; // that it created
  message?: string; // why it failed, or what it could not delete
}
export interface DemoService {
  status(contract: number): Promise<DemoStatus>;
  // If the contract has resources, the demo starts only with `evenIfNotEmpty`.
  begin(contract: number, evenIfNotEmpty: boolean): Promise<DemoStatus>;
  end(contract: number): Promise<DemoStatus>; // deletes what the demo created
  settled(contract: number): Promise<DemoStatus>; // when the creation or deletion has ended
}

// Copies of contracts of the platform or of other regions.
export interface CopySource {
  from: string; // the address of the platform or of the region
  token: string; // only used while it is read
  storageKey?: { accessKey: string; secretKey: string } | undefined; // the same; without one, buckets are not read
  datacenter: string | undefined; // only this one
  isAnonymous: boolean;
}
export interface CopyProgress {
  done: number; // lists that were read, or resources that were created
  known: number; // of all, as far as known
  resources: number;
}
export interface CopyContents {
  id: string; // for its application
  counts: { kind: string; count: number }[];
  notes: string[]; // what a copy can't have
}
export interface CopyOutcome {
  created: number;
  existing: number; // resources that existed already
  hasKeys: boolean; // generated passwords and keys were stored
  placeholders: string[];
  datacenters: { id: string; name: string }[];
}
export interface CopyCall {
  signal: AbortSignal;
  onProgress(progress: CopyProgress): void;
}
export interface ContractCopies {
  // The last copy that was read stays in memory.
  read(source: CopySource, call: CopyCall): Promise<CopyContents>;
  // If it fails or is aborted, everything that it has created is deleted again.
  apply(id: string, call: CopyCall & { keepsIds: boolean }): Promise<CopyOutcome>;
}

// The process that runs the region, for the lab.
export interface RegionProcess {
  savePoints: SavePointService;
  demo?: DemoService;
  copies?: ContractCopies;
  addContract(): Promise<TestContract>;
  unready?(): string | undefined; // why it is not ready, though it serves
  keepsMachines?(): boolean; // when it stops: real machines are left running
}
export interface TestContract {
  contract: number;
  email: string; // of its owner
  password: string;
  token: string;
}
export const regionProcess = port<RegionProcess>('the process of the region');
