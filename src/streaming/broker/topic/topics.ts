// The topics of a cluster and their logs. A topic exists when its row in the key-value log is written; its folder is
// named by its id, so a topic that is deleted and made again never meets the old files. Topics are made, grown and
// deleted one after the other, so each change is decided on what the one before it has left.
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { uuid } from '../../../base/ids.ts';
import { makeFolder } from '../../../base/sync-folder.ts';
import type { KeyValueLog } from '../log/key-value-log.ts';
import { PartitionLog } from '../log/partition-log.ts';
import type { Nodes } from '../nodes.ts';
import { ProtocolError } from '../wire/errors.ts';
import { type Configs, checkConfigs, logConfigOf } from './topic-config.ts';

export interface Partition {
  topic: Topic;
  index: number;
  log: PartitionLog;
  leader: number; // -1 where no broker serves
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
  withState: Set<number>; // partitions whose state was saved
}

export interface TopicRequest {
  name: string;
  partitions: number;
  replicationFactor: number;
  configs: Configs;
}

export interface StoredTopic extends TopicRequest {
  id: string;
  withState?: number[];
}

export interface TopicsOptions {
  folder: string;
  state: KeyValueLog;
  nodes: Nodes;
  clock: Clock;
  flush: 'always' | 'interval';
  mostPartitions: number;
}

const mostLostEpochs = 10_000;
const nameForm = /^[a-zA-Z0-9._-]{1,249}$/;

export class Topics {
  readonly byName = new Map<string, Topic>();
  readonly byId = new Map<string, Topic>();
  readonly #options: TopicsOptions;
  #epoch: number;
  #changes: Promise<unknown> = Promise.resolve(); // the last change that was begun or waits
  #removals: Promise<void> = Promise.resolve();
  readonly #unsaved = new Set<Topic>(); // partitions of them saved their state for the first time
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
    const lost = options.state.damage ? mostLostEpochs : 0; // epochs never go back
    this.#epoch = Number(options.state.get('leader-epoch') ?? -1) + 1 + lost;
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

  // Throws what is wrong with a topic before anything is made.
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
    checkConfigs(configs);
  }

  #checkCount(more: number): void {
    let count = 0;
    for (const { partitions } of this.byName.values()) count += partitions.length;
    const most = this.#options.mostPartitions - count;
    if (more < 1 || more > most)
      throw new ProtocolError('INVALID_PARTITIONS', `There may be 1 to ${most} more partitions.`);
  }

  create(request: TopicRequest): Promise<Topic> {
    return this.#inTurn(async () => {
      this.check(request);
      const topic = await this.#build({ ...request, id: uuid().replaceAll('-', '') });
      this.#add(topic);
      try {
        await this.#save(topic);
      } catch (error) {
        await this.#remove(topic); // it does not exist if it could not be written
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

  async #build({ id, name, partitions, replicationFactor, configs, withState }: StoredTopic): Promise<Topic> {
    const topic: Topic = { id, name, replicationFactor, configs, partitions: [], withState: new Set(withState) };
    await this.#grow(topic, partitions);
    return topic;
  }

  #add(topic: Topic): void {
    this.byName.set(topic.name, topic);
    this.byId.set(topic.id, topic);
  }

  async #grow(topic: Topic, count: number): Promise<void> {
    const { folder, clock, flush } = this.#options;
    const config = logConfigOf(topic.configs);
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

  addPartitions(topic: Topic, count: number): Promise<void> {
    return this.#inTurn(async () => {
      this.#checkStands(topic);
      if (count <= topic.partitions.length)
        throw new ProtocolError(
          'INVALID_PARTITIONS',
          `The topic currently has ${topic.partitions.length} partition(s).`,
        );
      this.#checkCount(count - topic.partitions.length);
      await this.#grow(topic, count);
      await this.#save(topic);
      this.#elect();
    });
  }

  #checkStands(topic: Topic): void {
    if (!this.byId.has(topic.id)) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
  }

  async setConfigs(topic: Topic, configs: Configs, isDryRun: boolean): Promise<void> {
    this.#checkStands(topic);
    checkConfigs(configs);
    if (isDryRun) return;
    topic.configs = configs;
    for (const { log } of topic.partitions) log.config = logConfigOf(configs);
    await this.#save(topic);
  }

  #save(topic: Topic): Promise<void> {
    return this.#options.state.put([rowOf(topic)]);
  }

  // So that a check knows which states have to be there. Those of one turn are written together. A state that an
  // earlier version saved is noted when its log is opened.
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
    await this.#options.state.put(noted.map(rowOf)).catch(() => {}); // the check knows less
  }

  delete(topic: Topic): Promise<void> {
    return this.#inTurn(async () => {
      this.#checkStands(topic);
      await this.#remove(topic);
    });
  }

  // The files go in the background; if that is not reached, the next start removes them.
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

  // A log whose disk failed is opened again, which cuts off what was not written whole.
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

  // Gives each partition a leader among its replicas that serve. A new leader has a new epoch, which never repeats.
  #elect(): void {
    const { nodes, state } = this.#options;
    let isChanged = false;
    for (const topic of this.all) {
      const first = Number.parseInt(topic.id.slice(-4), 16);
      for (const partition of topic.partitions) {
        partition.replicas = nodes.replicas(first + partition.index, topic.replicationFactor);
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
  }

  async close(): Promise<void> {
    await this.#changes;
    await this.#removals;
    this.#isClosing = true;
    await Promise.all(this.partitions.map(({ log }) => log.close()));
    await this.#saveNoted();
  }
}

function rowOf({ id, name, replicationFactor, configs, partitions, withState }: Topic): [string, StoredTopic] {
  const known = withState.size > 0 ? { withState: [...withState] } : {};
  return [`topic/${name}`, { id, name, replicationFactor, configs, partitions: partitions.length, ...known }];
}

// The files of a topic that does not exist: it was deleted, or could not be made. Where the row of one may have been
// lost by damage, its records are moved aside.
async function leaveOut(name: string, { folder, state }: TopicsOptions): Promise<void> {
  if (!state.wasDamaged) return rm(join(folder, name), { recursive: true, force: true });
  const aside = `${folder}.damaged`;
  await makeFolder(aside);
  await rename(join(folder, name), join(aside, name));
}
