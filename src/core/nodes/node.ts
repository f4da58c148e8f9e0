// This process as one of several nodes on the same state. A node holds a lease in the store's own time, and the journal
// row of each operation names the node that runs it. When a lease lapses, the other nodes take its operations over, and
// that node continues under a new id. With an exclusive state engine there is one node, which needs no lease.
import { uuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { counter, type Figures, gauge } from '../figures.ts';
import type { Lease, Row } from '../state/engine.ts';
import type { Store, Topic } from '../store.ts';

const leaseMs = 6000;
const beatMs = 1500;
const marginMs = 1000; // a step that starts within the lease should end within it
const takeOverCheckMs = 10_000;
const deadShownMs = 60_000; // how long `list` shows a dead node
const leaseRetentionMs = 600_000;
const prefix = 'node ';
const topic = 'node' satisfies Topic;

export const nodeFigures = {
  alive: gauge('Nodes of the region with a valid lease.'),
  leaseAgeSeconds: gauge('Time since this node renewed its lease.'),
  operationsTakenOver: counter('Operations of nodes that died, which this one took over.'),
};

export interface NodeInfo {
  id: string;
  about: string; // its URL, or its host and data folder; and the pid
  self: boolean;
  alive: boolean; // within its lease
  lagMs: number; // since its lease was renewed
  operations: number;
}

// Where a node's id is kept in its data folder. Only one process uses that folder, so the previous owner of the id is
// gone.
export interface NameTag {
  load(): string | undefined;
  save(id: string): void;
}

export interface Adopter {
  adopt(rows: Row[]): void;
  knows(row: Row): boolean; // is it running?
}

export class Node {
  #store: Store;
  #log: Log;
  #tag: NameTag | undefined;
  #about: string;
  #id = '';
  #former: string[] = []; // earlier ids whose leases are still to be released
  #renewedAt = Number.NEGATIVE_INFINITY;
  #wasHeard = false; // the lease was granted under the current id
  #known = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #unwatch = (): void => {};
  #beating: Promise<void> | undefined;
  #runner: Adopter | undefined;
  #takenOver = 0;
  #unknown = new Set<string>(); // our journal rows that the runner did not know at the last check

  constructor(store: Store, log: Log, tag?: NameTag, about = '') {
    this.#store = store;
    this.#log = log;
    this.#tag = tag;
    this.#about = about;
  }

  get id(): string {
    return this.#id;
  }

  // Whether the lease is certainly still valid. Checked before every step.
  get isHeard(): boolean {
    return this.#store.engine.exclusive || performance.now() - this.#renewedAt < leaseMs - marginMs;
  }

  // Hands the runner the journal rows that no node runs: all of them now, later those of nodes that died.
  async join(runner: Adopter): Promise<void> {
    this.#runner = runner;
    if (this.#store.engine.exclusive) {
      runner.adopt((await this.#store.learn()).map((row) => ({ ...row, owner: '' })));
      return;
    }
    const before = this.#tag?.load();
    if (before !== undefined) await this.#release(before);
    await this.#beat();
    this.#timer = setInterval(() => this.#pulse(), beatMs);
    this.#unwatch = this.#store.engine.watch(topic, () => this.#pulse());
  }

  #pulse(): void {
    this.#beating ??= this.#beat()
      .catch((error: unknown) => this.#log.warn('lease not renewed', { error }))
      .finally(() => {
        this.#beating = undefined;
      });
  }

  // Releases the lease and notifies the other nodes, which take over the operations.
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#unwatch();
    await this.#beating;
    if (this.#id === '') return;
    const { engine } = this.#store;
    await this.#release(this.#id).catch(() => undefined);
    await engine.apply([], [topic]).catch(() => undefined);
  }

  // Does work that only one node may do at a time. If another node does it, this one skips it.
  async alone(name: string, work: () => Promise<void>): Promise<void> {
    const { engine } = this.#store;
    if (engine.exclusive) return work();
    const holder = this.#id;
    if (!(await engine.lease(name, holder, leaseMs))) return;
    const renewal = setInterval(() => void engine.lease(name, holder, leaseMs).catch(() => false), beatMs);
    try {
      await work();
    } finally {
      clearInterval(renewal);
    }
  }

  // The other nodes that run, before or after this one joins them. Its previous process has ended.
  async others(): Promise<string[]> {
    if (this.#store.engine.exclusive) return [];
    const own = this.#tag?.load();
    const leases = await this.#store.engine.leases(prefix);
    return leases.filter(({ name, leftMs }) => leftMs > 0 && idIn(name) !== own).map(({ holder }) => aboutIn(holder));
  }

  async list(): Promise<NodeInfo[]> {
    if (this.#store.engine.exclusive) return [];
    const counts = new Map<string, number>();
    for await (const { owner } of this.#store.each({ below: '' }, 'journal'))
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const leases = await this.#store.engine.leases(prefix);
    return leases
      .filter(({ leftMs }) => leftMs > -deadShownMs)
      .map(({ name, holder, leftMs }) => {
        const id = idIn(name);
        const about = aboutIn(holder);
        return {
          id,
          about,
          self: id === this.#id,
          alive: leftMs > 0,
          lagMs: leaseMs - leftMs,
          operations: counts.get(id) ?? 0,
        };
      });
  }

  // Leases other than those of nodes, such as reconcilers'.
  async leases(): Promise<Lease[]> {
    const all = await this.#store.engine.leases('');
    return all.filter(({ name, leftMs }) => !name.startsWith(prefix) && leftMs > 0);
  }

  figures(): Figures<typeof nodeFigures> {
    if (this.#store.engine.exclusive) return {};
    return {
      alive: this.#known.split(' ').length,
      leaseAgeSeconds: (performance.now() - this.#renewedAt) / 1000,
      operationsTakenOver: this.#takenOver,
    };
  }

  // Releases the lease of a node id, whatever its holder text was.
  async #release(id: string): Promise<void> {
    const { engine } = this.#store;
    const [found] = await engine.leases(prefix + id);
    if (found) await engine.lease(found.name, found.holder, 0);
  }

  async #beat(): Promise<void> {
    const { engine } = this.#store;
    const lapsed = performance.now() - this.#renewedAt > leaseMs;
    if (lapsed) this.#rename();
    const requestedAt = performance.now();
    if (await engine.lease(prefix + this.#id, `${this.#id} ${this.#about}`, leaseMs)) {
      this.#renewedAt = requestedAt;
      this.#wasHeard = true;
    }
    while (this.#former[0] !== undefined) {
      await this.#release(this.#former[0]);
      this.#former.shift();
    }
    const leases = await engine.leases(prefix);
    const living = leases.filter(({ leftMs }) => leftMs > 0).map(({ name }) => idIn(name));
    for (const { name, holder, leftMs } of leases) if (leftMs < -leaseRetentionMs) await engine.lease(name, holder, 0);
    // Dead nodes may have left operations behind.
    const known = living.sort().join(' ');
    if (known === this.#known && performance.now() - this.#lookedAt < takeOverCheckMs) return;
    await this.#takeOver(new Set(living));
    this.#known = known;
    this.#lookedAt = performance.now();
  }

  // Operations under the old id may belong to another node by now.
  #rename(): void {
    if (this.#wasHeard) this.#log.warn('lease lost: continuing under a new id', { node: this.#id });
    if (this.#id !== '') this.#former.push(this.#id); // the lease may exist although the answer was lost
    this.#id = uuid();
    this.#wasHeard = false;
    this.#tag?.save(this.#id);
  }

  async #takeOver(living: ReadonlySet<string>): Promise<void> {
    const taken: Row[] = [];
    const unknown = new Set<string>();
    for await (const row of this.#store.each({ below: '' }, 'journal')) {
      if (living.has(row.owner) && !this.#isLost(row, unknown)) continue;
      const outcome = await this.#store.apply([{ op: 'update', table: 'journal', row: { ...row, owner: this.#id } }]);
      if (outcome.ok) taken.push({ ...row, owner: this.#id, version: row.version + 1 }); // else another node was faster
    }
    this.#takenOver += taken.length;
    if (taken.length > 0) this.#log.info('operations taken over', { count: taken.length });
    this.#unknown = unknown;
    this.#runner?.adopt(taken);
  }

  // A row of this node that was not running at two consecutive checks: it was written, but the answer was lost.
  #isLost(row: Row, unknown: Set<string>): boolean {
    if (row.owner !== this.#id || this.#runner?.knows(row)) return false;
    unknown.add(row.id);
    return this.#unknown.has(row.id);
  }
}

const idIn = (name: string): string => name.slice(prefix.length);

// Without the id, which has no blank.
export const aboutIn = (holder: string): string => holder.slice(holder.indexOf(' ') + 1);
