// The state as the rest of the program sees it: paths instead of keys, claims and links instead of tables,
// and the one way to change something: read, decide, hand over a write set, and decide again when it was raced.
import { Fault } from '../base/fault.ts';
import { CompletionSignal } from './operation/completion-signal.ts';
import { abovePaths, PendingOperations } from './operation/pending-operations.ts';
import { claimKey } from './operation/reservations.ts';
import { type Epoch, RecentCache } from './recent-cache.ts';
import type { Key, Outcome, Row, Scan, StateEngine, Table, Write, WriteSet } from './state/engine.ts';

export interface Decision<T> {
  writes: WriteSet;
  value: T;
  // A fault instead of another try.
  refuse?(outcome: Outcome & { ok: false }): Promise<Fault | undefined> | Fault | undefined;
}

const mostTries = 50;
const lookAgainMs = 100;

export class Store {
  readonly engine: StateEngine;
  // Raised by every change of users, groups, members, passwords or tokens, which invalidates their caches.
  identityEpoch = 0;
  busyWaitMs = 0; // the maximum wait of a call for pending operations on resources that it needs
  #queues = new Map<string, Promise<void>>();
  #pending = new PendingOperations();
  #completions = new CompletionSignal();
  #recent = new RecentCache<Row>();
  #epochs = new Map<number, number>();
  readonly #followers: ((writes: WriteSet) => void)[] = [];
  readonly #watchers: { topic: Topic; listener: () => void }[] = [];

  constructor(engine: StateEngine) {
    this.engine = engine;
    engine.watch('identity', () => this.identityEpoch++);
  }

  // Reads the journal once; from then on it is followed.
  async learn(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const row of this.each({ below: '' }, 'journal')) rows.push(row);
    for (const row of rows) this.#pending.add(row);
    return rows;
  }

  get(contract: number, place: string, id: string, table: Table = 'resource'): Promise<Row | undefined> {
    return this.engine.get(table, contract, place, id);
  }

  // For readers: the row from the cache, while nothing of the contract has changed. `epoch` is the contract's, read
  // after the call came.
  async look(contract: number, place: string, id: string, epoch: Epoch): Promise<Row | undefined> {
    const key = `${contract} ${place}/${id}`;
    const known = this.#recent.get(key, epoch);
    if (known) return known;
    const row = await this.engine.get('resource', contract, place, id);
    if (row) this.#recent.keep(key, epoch, row);
    return row;
  }

  at(contract: number, path: string): Promise<Row | undefined> {
    const cut = path.lastIndexOf('/');
    return this.engine.get('resource', contract, path.slice(0, cut), path.slice(cut + 1));
  }

  async children(contract: number, place: string): Promise<Row[]> {
    const all: Row[] = [];
    for await (const rows of this.pages({ contract, place })) all.push(...rows);
    return all;
  }

  range(scan: Scan, table: Table = 'resource'): Promise<Row[]> {
    return this.engine.range(table, scan);
  }

  // All rows of a scan, a page at a time, so that other calls do not wait for a million rows.
  async *each(scan: Omit<Scan, 'limit' | 'after'>, table: Table = 'resource', page = 500): AsyncGenerator<Row> {
    for await (const rows of this.pages(scan, table, page)) yield* rows;
  }

  // The same by pages, which is faster: each row of `each` costs a microtask.
  async *pages(scan: Omit<Scan, 'limit' | 'after'>, table: Table = 'resource', page = 500): AsyncGenerator<Row[]> {
    let after: Key | undefined;
    for (;;) {
      const rows = await this.engine.range(table, { ...scan, limit: page, ...(after && { after }) });
      yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < page) return;
      after = last;
      await new Promise(setImmediate);
    }
  }

  async counted(contract: number, name: string): Promise<number> {
    return (await this.engine.counters(contract, [name])).get(name) ?? 0;
  }

  async claimed(claim: string): Promise<{ contract: number; path: string } | undefined> {
    const { contract, place, id } = claimKey(claim);
    const row = await this.engine.get('claim', contract, place, id);
    return row && (JSON.parse(row.body) as { contract: number; path: string });
  }

  async linked(contract: number, path: string, way: '>' | '<', role: string): Promise<string[]> {
    const paths: string[] = [];
    for await (const rows of this.pages({ contract, place: `${path} ${way} ${role}` }, 'link'))
      for (const { id } of rows) paths.push(id);
    return paths;
  }

  async linkedRows(contract: number, path: string, way: '>' | '<', role: string): Promise<Row[]> {
    return rowsAt(this, contract, await this.linked(contract, path, way, role));
  }

  // Tells of this path and of all below it whether they are busy: by their own creation, alone or with a parent, or by
  // any operation below them. Parents of a busy resource show as BUSY, and are not locked.
  async busyAt(contract: number, path: string): Promise<(path: string) => boolean> {
    const found = await this.#journalOf(contract, path);
    return (one) => found.busy(contract, one);
  }

  async creating(contract: number, path: string): Promise<boolean> {
    return (await this.#journalOf(contract, path)).creating(contract, path);
  }

  // Is an operation pending that locks this path itself?
  async changing(contract: number, path: string): Promise<boolean> {
    if (this.engine.exclusive) return this.#pending.at(contract, path);
    return (await this.engine.range('journal', { contract, place: path, limit: 1 })).length > 0;
  }

  async #journalOf(contract: number, path: string): Promise<PendingOperations> {
    if (this.engine.exclusive) return this.#pending;
    const found = new PendingOperations();
    for (const place of [path, ...abovePaths(path)])
      for (const row of await this.engine.range('journal', { contract, place, limit: 100 })) found.add(row);
    for await (const row of this.each({ contract, below: `${path}/` }, 'journal')) found.add(row);
    return found;
  }

  // Only where the process is alone on its state: is it being removed?
  removing(contract: number, path: string): boolean {
    return this.#pending.removing(contract, path);
  }

  // Is the operation of this request pending? Only where the process is alone on its state …
  isPending(request: string): boolean {
    return this.#pending.has(request);
  }

  // … and where it is not. `path` is the one that its journal row locks.
  async pending(contract: number, path: string, request: string): Promise<boolean> {
    return (await this.engine.get('journal', contract, path, request)) !== undefined;
  }

  // How many operations of a contract have ended in this process …
  completionsOf(contract: number): number {
    return this.#completions.of(contract);
  }

  // … and until there is one more. Completions on other nodes are not signalled: then it waits for a moment only.
  untilCompletion(contract: number, seen: number, ms: number): Promise<void> {
    return this.#completions.wait(contract, seen, this.engine.exclusive ? ms : Math.min(ms, lookAgainMs));
  }

  // Differs after every change of a contract's resources: answers that were drawn before are invalid.
  async epochOf(contract: number): Promise<Epoch> {
    return this.engine.exclusive ? (this.#epochs.get(contract) ?? 0) : this.engine.current();
  }

  async apply(writes: WriteSet): Promise<Outcome> {
    const topics = this.#foresee(writes);
    let ok = false;
    try {
      const outcome = await this.engine.apply(writes, topics);
      ok = outcome.ok;
      return outcome;
    } finally {
      this.#follow(writes, topics, ok);
    }
  }

  // Pending operations are indexed before their rows are visible, so that a reader of such a row finds it busy.
  #foresee(writes: WriteSet): readonly Topic[] {
    let topics = noTopics;
    for (const write of writes) {
      const topic = topicOf(write);
      if (topic !== undefined && !topics.includes(topic)) topics = [...topics, topic];
      if (write.op === 'insert' && write.table === 'journal') this.#pending.add(write.row);
    }
    return topics;
  }

  // Calls back with every write set that this process has applied. Changes of other processes are not reported.
  follow(listener: (writes: WriteSet) => void): void {
    this.#followers.push(listener);
  }

  // Calls back after every write set with this topic, of this process or of another.
  watch(topic: Topic, listener: () => void): void {
    this.#watchers.push({ topic, listener });
    this.engine.watch(topic, listener);
  }

  #follow(writes: WriteSet, topics: readonly Topic[], ok: boolean): void {
    if (ok && topics.includes('identity')) this.identityEpoch++;
    if (ok) for (const { topic, listener } of this.#watchers) if (topics.includes(topic)) listener();
    if (ok) for (const follower of this.#followers) follower(writes);
    this.#raiseEpochs(writes);
    for (const write of writes) if (write.op !== 'count' && write.table === 'journal') this.#followJournal(write, ok);
  }

  #raiseEpochs(writes: WriteSet): void {
    let last = -1; // nearly all sets are of one contract
    for (const write of writes) {
      const contract = changedContract(write);
      if (contract === undefined || contract === last) continue;
      this.#epochs.set(contract, (this.#epochs.get(contract) ?? 0) + 1);
      last = contract;
    }
  }

  #followJournal(write: Write, ok: boolean): void {
    if (write.op === 'insert' && !ok) this.#pending.drop(write.row);
    if (write.op !== 'remove' || !ok) return;
    this.#pending.drop(write.key);
    this.#completions.add(write.key.contract);
  }

  // For writes that no race can break.
  async must(writes: WriteSet): Promise<string[]> {
    const outcome = await this.apply(writes);
    if (!outcome.ok)
      throw new Error(`write ${outcome.at} failed: ${outcome.why} ${JSON.stringify(writes[outcome.at])}`);
    return outcome.appended;
  }

  // Changes that are bound to race each other name a queue: in this process they run one after another.
  change<T>(decide: () => Promise<Decision<T>> | Decision<T>, queue?: string): Promise<T> {
    return queue === undefined ? this.#change(decide) : this.runExclusive(queue, () => this.#change(decide));
  }

  // The work must not wait for the same queue again.
  runExclusive<T>(queue: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(queue);
    const turn = before ? before.then(work) : work();
    const done = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#queues.set(queue, done);
    void done.then(() => {
      if (this.#queues.get(queue) === done) this.#queues.delete(queue);
    });
    return turn;
  }

  async #change<T>(decide: () => Promise<Decision<T>> | Decision<T>): Promise<T> {
    for (let tries = 0; tries < mostTries; tries++) {
      const decision = await decide();
      const outcome = await this.apply(decision.writes);
      if (outcome.ok) return decision.value;
      const fault = await decision.refuse?.(outcome);
      if (fault) throw fault;
    }
    throw new Fault('unavailable', 'Too many others change the same row at once. Try again.', { retryAfterS: 1 });
  }
}

// In the order of their creation.
export async function rowsAt(reader: Pick<Store, 'at'>, contract: number, paths: readonly string[]): Promise<Row[]> {
  const rows = await Promise.all(paths.map((path) => reader.at(contract, path)));
  return rows.filter((one) => one !== undefined).sort((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1));
}

// Requests, usage and the audit do not change how a contract's resources look.
const changedContract = (write: Write): number | undefined => {
  if (write.op === 'count') return write.contract;
  if (write.op === 'guard' || write.op === 'append' || write.table === 'request') return undefined;
  return 'row' in write ? write.row.contract : write.key.contract;
};

// What other nodes have to hear of: they remember it.
export type Topic = 'identity' | 'certificates' | 'lab' | 'node' | `${typeof engineClaims} ${string}`;
export const engineClaims = 'engine'; // the place of the rows that name the nodes of embedded data engines
const noTopics: readonly Topic[] = [];

const topicOf = (write: Write): Topic | undefined => {
  if (write.op === 'guard') return undefined; // only looks
  const key: Partial<Key> = 'row' in write ? write.row : 'key' in write ? write.key : {};
  const { place = '', id } = key;
  if (place.startsWith('um/') || place === 'accounts' || place.startsWith('objectstorage-management/'))
    return 'identity';
  if (place.startsWith('certificate-manager/')) return 'certificates';
  if (place === engineClaims) return `${engineClaims} ${id}`;
  return place === 'lab' ? 'lab' : undefined;
};
