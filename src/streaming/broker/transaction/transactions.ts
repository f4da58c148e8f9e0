// The transaction coordinator. The decision to commit or abort is written first; then each partition gets a marker and
// the offsets are applied; then the end is written. A restart continues from the decision, and aborts transactions that
// a log has open but the coordinator does not know. Operations on one transactional id run one after the other.
import type { OffsetCommit, Offsets } from '../group/offsets.ts';
import type { KeyValueLog } from '../log/key-value-log.ts';
import type { Partition, Topics } from '../topic/topics.ts';
import { ProtocolError } from '../wire/errors.ts';
import {
  checkProducer,
  endingOf,
  isBusy,
  isRepeated,
  isSame,
  largestEpoch,
  type ProducerIdentity,
  parsePartitionKey,
  partitionKey,
  type Transaction,
} from './transaction.ts';

export interface TransactionsOptions {
  state: KeyValueLog;
  topics: Topics;
  offsets: Offsets;
  nowMs(): number;
}

const longestTimeoutMs = 900_000;
const idleIdMs = 7 * 86_400_000; // an id that was not used for so long is forgotten
const mostIds = 10_000;
const idBlock = 1_000; // number of ids that one write reserves
const prefix = 'transaction/';
const implicitJoinVersion = 12; // of Produce: the partition joins with its first batch
const bumpingVersion = 5; // of EndTxn: the producer continues with the next epoch

export class Transactions {
  readonly byId = new Map<string, Transaction>();
  readonly #options: TransactionsOptions;
  readonly #turns = new Map<string, Promise<unknown>>();
  #nextId: number;
  #reservedIds: number;
  #reserving: Promise<void> = Promise.resolve();

  static async open(options: TransactionsOptions): Promise<Transactions> {
    const transactions = new Transactions(options);
    await transactions.#resume();
    return transactions;
  }

  private constructor(options: TransactionsOptions) {
    this.#options = options;
    for (const [id, value] of options.state.entries(prefix)) this.byId.set(id, value as Transaction);
    this.#nextId = Number(options.state.get('producer-ids') ?? 0);
    this.#reservedIds = this.#nextId;
  }

  async #resume(): Promise<void> {
    const { offsets, topics } = this.#options;
    for (const { producer, ending = producer, offsets: groups } of this.byId.values())
      for (const [group, commits] of Object.entries(groups)) offsets.prepare(ending.id, group, commits);
    for (const [id, transaction] of this.byId)
      if (isBusy(transaction)) await this.#finish(id, transaction, transaction.state === 'PrepareCommit');
    const owners = new Map([...this.byId.values()].map((one) => [one.producer.id, one]));
    for (const { log, topic, index, leaderEpoch } of topics.partitions) {
      for (const [id, { transactionStart, epoch }] of log.producers.producers) {
        if (transactionStart < 0) continue;
        const owner = owners.get(id);
        const key = partitionKey(topic.name, index);
        if (owner?.producer.epoch !== epoch) await log.appendMarker({ id, epoch }, false, leaderEpoch);
        else {
          this.#start(owner); // its first batch was written before this state was
          if (!owner.partitions.includes(key)) owner.partitions.push(key);
        }
      }
    }
  }

  async newProducer(): Promise<ProducerIdentity> {
    const id = this.#nextId++;
    if (id >= this.#reservedIds) {
      this.#reservedIds = id + idBlock;
      this.#reserving = this.#options.state.put([['producer-ids', this.#reservedIds]]);
    }
    try {
      await this.#reserving; // also for ids of another reservation: an id is never assigned twice
    } catch (error) {
      this.#reservedIds = this.#nextId;
      throw error;
    }
    return { id, epoch: 0 };
  }

  // A producer with a transactional id starts: its open transaction is aborted, and older instances are fenced.
  begin(id: string, timeoutMs: number, known: ProducerIdentity): Promise<ProducerIdentity> {
    return this.#inTurn(id, async () => {
      if (timeoutMs <= 0 || timeoutMs > longestTimeoutMs) throw new ProtocolError('INVALID_TRANSACTION_TIMEOUT');
      const before = this.byId.get(id);
      if (!before && this.byId.size >= mostIds)
        throw new ProtocolError('POLICY_VIOLATION', `A cluster has at most ${mostIds} transactional ids.`);
      if (before && isRepeated(before, known)) return before.producer;
      if (before && known.id >= 0) checkProducer(before, known);
      if (before && (before.state === 'Ongoing' || isBusy(before))) await this.#abort(id, before);
      const producer = await this.#nextEpoch(before?.producer);
      const nowMs = this.#options.nowMs();
      const fresh: Transaction = {
        producer,
        timeoutMs,
        state: 'Empty',
        partitions: [],
        offsets: {},
        startMs: -1,
        changeMs: nowMs,
        ...(known.id >= 0 && { lastEpoch: known.epoch }),
      };
      this.byId.set(id, fresh);
      await this.#save(id, fresh);
      return producer;
    });
  }

  async #nextEpoch(producer: ProducerIdentity | undefined): Promise<ProducerIdentity> {
    if (!producer || producer.epoch >= largestEpoch) return this.newProducer();
    return { id: producer.id, epoch: producer.epoch + 1 };
  }

  addPartitions(id: string, producer: ProducerIdentity, partitions: Partition[]): Promise<void> {
    return this.#inTurn(id, () => {
      const transaction = this.#usable(id, producer);
      return this.#join(id, transaction, partitions);
    });
  }

  // Synchronous, because produce requests must not overtake each other. Throws, or returns the promise that the answer
  // has to wait for.
  joinByProduce(
    id: string | null,
    producer: ProducerIdentity,
    partition: Partition,
    version: number,
  ): Promise<void> | undefined {
    const transaction = this.byId.get(id ?? '');
    if (!transaction || transaction.producer.id !== producer.id) throw new ProtocolError('INVALID_PRODUCER_ID_MAPPING');
    if (producer.epoch !== transaction.producer.epoch) throw new ProtocolError('INVALID_PRODUCER_EPOCH');
    if (isBusy(transaction)) throw new ProtocolError('CONCURRENT_TRANSACTIONS');
    const isPart = transaction.partitions.includes(partitionKey(partition.topic.name, partition.index));
    if (transaction.state === 'Ongoing' && isPart) return undefined;
    if (version < implicitJoinVersion) throw new ProtocolError('INVALID_TXN_STATE');
    return this.#join(id as string, transaction, [partition]);
  }

  #join(id: string, transaction: Transaction, partitions: Partition[]): Promise<void> {
    this.#start(transaction);
    const keys = partitions.map(({ topic, index }) => partitionKey(topic.name, index));
    transaction.partitions = [...new Set([...transaction.partitions, ...keys])];
    return this.#save(id, transaction);
  }

  #start(transaction: Transaction): void {
    if (transaction.state === 'Ongoing') return;
    Object.assign(transaction, { state: 'Ongoing', partitions: [], offsets: {}, startMs: this.#options.nowMs() });
  }

  #usable(id: string, producer: ProducerIdentity): Transaction {
    const transaction = checkProducer(this.byId.get(id), producer);
    if (isBusy(transaction)) throw new ProtocolError('CONCURRENT_TRANSACTIONS');
    return transaction;
  }

  // Adds offsets that apply when the transaction commits. An empty list only opens the transaction.
  addOffsets(id: string, producer: ProducerIdentity, group: string, commits: OffsetCommit[]): Promise<void> {
    return this.#inTurn(id, () => {
      const transaction = this.#usable(id, producer);
      this.#start(transaction);
      if (commits.length > 0) {
        transaction.offsets[group] = [...(transaction.offsets[group] ?? []), ...commits];
        this.#options.offsets.prepare(producer.id, group, commits);
      }
      return this.#save(id, transaction);
    });
  }

  // Returns the identity with which the producer continues.
  end(id: string, producer: ProducerIdentity, committed: boolean, version: number): Promise<ProducerIdentity> {
    return this.#inTurn(id, async () => {
      const transaction = this.byId.get(id);
      const isBumping = version >= bumpingVersion;
      const done = committed ? 'CompleteCommit' : 'CompleteAbort';
      const isAgain = isBumping && transaction?.producer.epoch === producer.epoch + 1 && transaction.state === done;
      if (transaction && isAgain && transaction.producer.id === producer.id) return transaction.producer;
      if (transaction && isBusy(transaction)) {
        if (!isSame(endingOf(transaction), producer)) checkProducer(transaction, producer);
        throw new ProtocolError('CONCURRENT_TRANSACTIONS');
      }
      const own = checkProducer(transaction, producer);
      if (own.state === done && !isBumping) return own.producer; // a repetition
      if (own.state !== 'Ongoing' && (committed || !isBumping)) throw new ProtocolError('INVALID_TXN_STATE');
      own.ending = own.producer;
      if (isBumping) own.producer = await this.#nextEpoch(own.producer);
      own.state = committed ? 'PrepareCommit' : 'PrepareAbort';
      await this.#save(id, own);
      await this.#finish(id, own, committed).catch(() => {}); // it is decided: `expire` tries again
      return own.producer;
    });
  }

  // Aborts with a new epoch, so that the producer that left the transaction open can't continue.
  async #abort(id: string, transaction: Transaction): Promise<void> {
    const committed = transaction.state === 'PrepareCommit';
    if (transaction.state === 'Ongoing') {
      transaction.ending = transaction.producer;
      transaction.producer = await this.#nextEpoch(transaction.producer);
      transaction.state = 'PrepareAbort';
      await this.#save(id, transaction);
    }
    await this.#finish(id, transaction, committed);
  }

  // The marker has the new epoch if the producer id stays the same, which fences writes that are still in flight.
  async #finish(id: string, own: Transaction, committed: boolean): Promise<void> {
    const { topics, offsets } = this.#options;
    const before = endingOf(own);
    const marker = own.producer.id === before.id ? own.producer : before;
    await Promise.all(
      own.partitions.map(async (key) => {
        const { topic, partition: index } = parsePartitionKey(key);
        const partition = topics.byName.get(topic)?.partitions[index];
        await partition?.log.appendMarker(marker, committed, partition.leaderEpoch);
      }),
    );
    await offsets.decide(before.id, committed);
    own.state = committed ? 'CompleteCommit' : 'CompleteAbort';
    delete own.ending;
    Object.assign(own, { partitions: [], offsets: {}, startMs: -1 });
    await this.#save(id, own);
  }

  // Aborts transactions that exceed their timeout, ends decided ones that could not be ended, and forgets unused ids. A
  // failing transaction does not stop the others.
  async expire(): Promise<void> {
    const failures: unknown[] = [];
    const nowMs = this.#options.nowMs();
    const isLate = ({ state, startMs, timeoutMs }: Transaction): boolean =>
      state === 'Ongoing' && nowMs - startMs > timeoutMs;
    const isIdle = (one: Transaction): boolean =>
      one.state !== 'Ongoing' && !isBusy(one) && nowMs - one.changeMs > idleIdMs;
    for (const [id, transaction] of this.byId) {
      if (!isLate(transaction) && !isIdle(transaction) && !isBusy(transaction)) continue;
      const turn = this.#inTurn(id, async () => {
        if (this.byId.get(id) !== transaction) return;
        if (isLate(transaction) || isBusy(transaction)) await this.#abort(id, transaction);
        else if (isIdle(transaction)) await this.#forget(id);
      });
      await turn.catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #forget(id: string): Promise<void> {
    this.byId.delete(id);
    await this.#options.state.put([[`${prefix}${id}`, null]]);
  }

  #save(id: string, transaction: Transaction): Promise<void> {
    transaction.changeMs = this.#options.nowMs();
    return this.#options.state.put([[`${prefix}${id}`, transaction]]);
  }

  async #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(id) ?? Promise.resolve();
    const turn = before.catch(() => {}).then(work);
    this.#turns.set(id, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    }
  }
}
