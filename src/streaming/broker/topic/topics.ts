// The topics of a cluster and their logs. A topic exists when its row in the key-value log is written; its folder is
// named by its id, so a topic that is deleted and created again never uses the old files. Topics are created, extended
// and deleted one after the other, so each change sees the result of the one before it.
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { uuid } from '../../../base/ids.ts';
import { makeFolder } from '../../../base/sync-folder.ts';
import type { KeyValueLog } from '../log/key-value-log.ts';
import type { LogConfig } from '../log/log-config.ts';
import { PartitionLog } from '../log/partition-log.ts';
import type { Nodes } from '../nodes.ts';
import { ProtocolError } from '../wire/errors.ts';
import { checkReplicas } from './replicas.ts';
import { type Configs, checkConfigs, logConfigOf } from './topic-config.ts';

export interface Partition {
  topic: Topic;
  index: number;
  log: PartitionLog;
  leader: number; // -1 if no broker is available
  leaderEpoch: number;
  replicas: number[];
  inSync: number[];
}

export interface Topic {
  id: string; // 32 hexadecimal digits
  name: string;
  replicationFactor: number;
  configs: Configs;
  partitions: Partition[];
  assigned: Map<number, number[]>; // replicas that a client has chosen, by partition
  withState: Set<number>; // partitions whose state was saved
}

export interface TopicRequest {
  name: string;
  partitions: number;
  replicationFactor: number;
  configs: Configs;
  assignments?: number[][]; // the replicas of each partition, if the client chooses them
}

export interface StoredTopic extends Omit<TopicRequest, 'assignments'> {
  id: string;
  assigned?: [partition: number, replicas: number[]][];
  withState?: number[];
}

export interface TopicsOptions {
  folder: string;
  state: KeyValueLog;
  nodes: Nodes;
  clock: Clock;
  flush: 'always' | 'interval';
  mostPartitions: number;
  defaults?(leader: number): Configs; // the values of settings that a topic does not set
}

const mostLostEpochs = 10_000;
const nameForm = /^[a-zA-Z0-9._-]{1,249}$/;

export class Topics {
  readonly byName = new Map<string, Topic>();
  readonly byId = new Map<string, Topic>();
  readonly #options: TopicsOptions;
  #epoch: number;
  #changes: Promise<unknown> = Promise.resolve(); // the last change that runs or waits
  #removals: Promise<void> = Promise.resolve();
  readonly #unsaved = new Set<Topic>(); // topics whose partitions saved their state for the first time
  #saving: Promise<void> | undefined;
  #isClosing = false;

  static async open(options: TopicsOptions): Promise<Topics> {
    const topics = new Topics(options);
    await makeFolder(options.folder);
    const stored = [...options.state.entries('topic/')].map(([, value]) => value as StoredTopic);
    const known = new Set(stored.map(({ id }) => id));
    for (const name of await readdir(options.folder)) if (!known.has(name)) await leaveOut(name, options);
    for (const topic of await Promise.all(stored.map((one) => topics.#build(one)))) topics.#add(topic);
    for (const { topic, index, log } of topics.partitions) if (log.hadState) topics.#noteState(topic, index);
    await options.state.put([['leader-epoch', topics.#epoch]]);
    options.nodes.onChange(() => topics.#elect());
    topics.#elect();
    return topics;
  }

  private constructor(options: TopicsOptions) {
    this.#options = options;
    const lost = options.state.damage ? mostLostEpochs : 0; // epochs never decrease
    this.#epoch = Number(options.state.get('leader-epoch') ?? -1) + 1 + lost;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get all(): Topic[] {
    return [...this.byName.values()];
  }

  get partitions(): Partition[] {
    return this.all.flatMap(({ partitions }) => partitions);
  }

  find(name: string, index: number): Partition {
    const partition = this.byName.get(name)?.partitions[index];
    if (!partition) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
    return partition;
  }

  // Throws the first error of a topic before anything is created.
  check(request: TopicRequest): void {
    const { name, partitions, replicationFactor, configs } = request;
    if (!nameForm.test(name) || name === '.' || name === '..')
      throw new ProtocolError('INVALID_TOPIC_EXCEPTION', `Topic name is invalid: ${name}`);
    if (this.byName.has(name)) throw new ProtocolError('TOPIC_ALREADY_EXISTS', `Topic '${name}' already exists.`);
    this.#checkCount(partitions);
    if (replicationFactor < 1 || replicationFactor > this.#options.nodes.all.length)
      throw new ProtocolError(
        'INVALID_REPLICATION_FACTOR',
        `Replication factor must be 1 to ${this.#options.nodes.all.length}.`,
      );
    for (const replicas of request.assignments ?? []) checkReplicas(replicas, this.#options.nodes, replicationFactor);
    checkConfigs(configs);
  }

  #checkCount(more: number): void {
    let count = 0;
    for (const { partitions } of this.byName.values()) count += partitions.length;
    const most = this.#options.mostPartitions - count;
    if (more < 1 || more > most)
      throw new ProtocolError('INVALID_PARTITIONS', `The number of new partitions must be 1 to ${most}.`);
  }

  create(request: TopicRequest): Promise<Topic> {
    return this.#inTurn(async () => {
      this.check(request);
      const { assignments = [], ...facts } = request;
      const id = uuid().replaceAll('-', '');
      const topic = await this.#build({ ...facts, id, assigned: [...assignments.entries()] });
      this.#add(topic);
      try {
        await this.#save(topic);
      } catch (error) {
        await this.#remove(topic); // the topic does not exist if its row could not be written
        throw error;
      }
      this.#elect();
      return topic;
    });
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changes.then(change);
    this.#changes = turn.catch(() => {});
    return turn;
  }

  async #build({ partitions, assigned, withState, ...facts }: StoredTopic): Promise<Topic> {
    const topic: Topic = { ...facts, partitions: [], assigned: new Map(assigned), withState: new Set(withState) };
    await this.#grow(topic, partitions);
    return topic;
  }

  #add(topic: Topic): void {
    this.byName.set(topic.name, topic);
    this.byId.set(topic.id, topic);
  }

  async #grow(topic: Topic, count: number): Promise<void> {
    const { folder, clock, flush } = this.#options;
    const config = this.#configOf(topic, -1);
    const indexes = Array.from({ length: count - topic.partitions.length }, (_, at) => topic.partitions.length + at);
    const opened = await Promise.allSettled(
      indexes.map((index) =>
        PartitionLog.open({
          folder: join(folder, topic.id, String(index)),
          config,
          clock,
          flush,
          onState: () => this.#noteState(topic, index),
        }),
      ),
    );
    const failed = opened.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    const logs = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (failed) {
      await Promise.all(logs.map((log) => log.abandon()));
      throw failed.reason;
    }
    for (const log of logs) {
      const index = topic.partitions.length;
      topic.partitions.push({ topic, index, log, leader: -1, leaderEpoch: -1, replicas: [], inSync: [] });
    }
  }

  // Throws the first error of a partition increase before anything is created.
  checkGrowth(topic: Topic, count: number, assignments: number[][] | null): void {
    this.#checkStands(topic);
    if (count <= topic.partitions.length)
      throw new ProtocolError('INVALID_PARTITIONS', `The topic currently has ${topic.partitions.length} partition(s).`);
    const more = count - topic.partitions.length;
    this.#checkCount(more);
    if (!assignments) return;
    if (assignments.length !== more)
      throw new ProtocolError(
        'INVALID_REPLICA_ASSIGNMENT',
        `Attempted to add ${more} additional partition(s), but only ${assignments.length} assignment(s) ` +
          'were specified.',
      );
    for (const replicas of assignments) checkReplicas(replicas, this.#options.nodes, topic.replicationFactor);
  }

  addPartitions(topic: Topic, count: number, assignments: number[][] | null = null): Promise<void> {
    return this.#inTurn(async () => {
      this.checkGrowth(topic, count, assignments);
      const first = topic.partitions.length;
      await this.#grow(topic, count);
      for (const [at, replicas] of (assignments ?? []).entries()) topic.assigned.set(first + at, replicas);
      await this.#save(topic);
      this.#elect();
    });
  }

  // Changes the replicas of some partitions. The other partitions keep theirs.
  reassign(topic: Topic, replicas: Map<number, number[]>): Promise<void> {
    return this.#inTurn(async () => {
      this.#checkStands(topic);
      for (const one of topic.partitions)
        topic.assigned.set(one.index, replicas.get(one.index) ?? this.#chosenReplicas(one));
      topic.replicationFactor = topic.assigned.get(0)?.length ?? topic.replicationFactor;
      await this.#save(topic);
      this.#elect();
    });
  }

  // Returns the replicas chosen by the client, or else as many brokers as the topic has replicas, starting with a
  // different one for each partition.
  #chosenReplicas({ topic, index }: Partition): number[] {
    const first = Number.parseInt(topic.id.slice(-4), 16);
    return topic.assigned.get(index) ?? this.#options.nodes.replicas(first + index, topic.replicationFactor);
  }

  #checkStands(topic: Topic): void {
    if (!this.byId.has(topic.id)) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
  }

  async setConfigs(topic: Topic, configs: Configs, isDryRun: boolean): Promise<void> {
    this.#checkStands(topic);
    checkConfigs(configs);
    if (isDryRun) return;
    topic.configs = configs;
    this.#configure(topic);
    await this.#save(topic);
  }

  #configOf({ configs }: Topic, leader: number): LogConfig {
    return logConfigOf({ ...this.#options.defaults?.(leader), ...configs });
  }

  #configure(topic: Topic): void {
    const byLeader = new Map<number, LogConfig>();
    for (const { leader, log } of topic.partitions) {
      const config = byLeader.get(leader) ?? this.#configOf(topic, leader);
      byLeader.set(leader, config);
      log.config = config;
    }
  }

  // Called after a change of the defaults.
  configureAll(): void {
    for (const topic of this.all) this.#configure(topic);
  }

  #save(topic: Topic): Promise<void> {
    return this.#options.state.put([rowOf(topic)]);
  }

  // Registers a saved state, so that a check knows which states must exist. Those of one turn are written together. A
  // state saved by an earlier version is registered when its log is opened.
  #noteState(topic: Topic, index: number): void {
    if (topic.withState.has(index)) return;
    topic.withState.add(index);
    this.#unsaved.add(topic);
    if (!this.#isClosing) this.#saving ??= Promise.resolve().then(() => this.#saveNoted());
  }

  async #saveNoted(): Promise<void> {
    this.#saving = undefined;
    const noted = [...this.#unsaved].filter((topic) => this.byId.has(topic.id));
    this.#unsaved.clear();
    await this.#options.state.put(noted.map(rowOf)).catch(() => {}); // only the check is less exact
  }

  delete(topic: Topic): Promise<void> {
    return this.#inTurn(async () => {
      this.#checkStands(topic);
      await this.#remove(topic);
    });
  }

  // The files are deleted in the background; the next start removes those that are left.
  async #remove(topic: Topic): Promise<void> {
    this.byName.delete(topic.name);
    this.byId.delete(topic.id);
    await this.#options.state.put([[`topic/${topic.name}`, null]]);
    const remove = async (): Promise<void> => {
      for (const { log } of topic.partitions) await log.abandon();
      await rm(join(this.#options.folder, topic.id), { recursive: true, force: true });
    };
    this.#removals = this.#removals.then(remove).catch(() => {});
  }

  // Reopens a log whose disk failed, which truncates incomplete writes.
  async reopenFailed(onError: (error: unknown) => void): Promise<void> {
    const { clock, flush } = this.#options;
    for (const partition of this.partitions.filter(({ log }) => log.failure)) {
      const { folder, config } = partition.log;
      try {
        await partition.log.abandon();
        const onState = (): void => this.#noteState(partition.topic, partition.index);
        partition.log = await PartitionLog.open({ folder, config, clock, flush, onState });
      } catch (error) {
        onError(error);
      }
    }
  }

  // Gives each partition a leader among its available replicas. A new leader has a new epoch, which never repeats.
  #elect(): void {
    const { nodes, state } = this.#options;
    let isChanged = false;
    for (const topic of this.all) {
      for (const partition of topic.partitions) {
        partition.replicas = nodes.served(this.#chosenReplicas(partition));
        partition.inSync = partition.replicas.filter((id) => nodes.find(id)?.isServing);
        const leader = partition.inSync[0] ?? -1;
        if (leader === partition.leader) continue;
        if (partition.leaderEpoch >= 0) isChanged = true;
        partition.leader = leader;
        partition.leaderEpoch = -1;
      }
    }
    if (isChanged) void state.put([['leader-epoch', ++this.#epoch]]).catch(() => {});
    for (const partition of this.partitions) if (partition.leaderEpoch < 0) partition.leaderEpoch = this.#epoch;
    this.configureAll();
  }

  async close(): Promise<void> {
    await this.#changes;
    await this.#removals;
    this.#isClosing = true;
    await Promise.all(this.partitions.map(({ log }) => log.close()));
    await this.#saveNoted();
  }
}

function rowOf(topic: Topic): [string, StoredTopic] {
  const { id, name, replicationFactor, configs, partitions, assigned, withState } = topic;
  const chosen = assigned.size > 0 ? { assigned: [...assigned] } : {};
  const known = withState.size > 0 ? { withState: [...withState] } : {};
  return [
    `topic/${name}`,
    { id, name, replicationFactor, configs, partitions: partitions.length, ...chosen, ...known },
  ];
}

// Handles the files of a topic that does not exist, because it was deleted or not completely created. If damage may
// have lost its row, its records are moved aside.
async function leaveOut(name: string, { folder, state }: TopicsOptions): Promise<void> {
  if (!state.wasDamaged) return rm(join(folder, name), { recursive: true, force: true });
  const aside = `${folder}.damaged`;
  await makeFolder(aside);
  await rename(join(folder, name), join(aside, name));
}
